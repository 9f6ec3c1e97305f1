"""Plays an inference server that records: python3 server.py MODE DIRECTORY TRACE...

Prints its port, then each request: path and body. stop_profile writes the traces to DIRECTORY.
MODE, of the answers: good, missing (404), busy (400), headers (no end of them), nolength (and
kept open), slow (a byte each fifth of a second), noise (no HTTP), mute (none), gone (closes), and
of the traces: none, link.
"""
import os
import shutil
import socketserver
import sys
import time

mode, directory, traces = sys.argv[1], sys.argv[2], sys.argv[3:]


def write_traces():
    for number, trace in enumerate(traces if mode != "none" else []):
        path = os.path.join(directory, "run", "host.%d.pt.trace.json" % number)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if mode == "link":
            os.symlink(trace, path)
        else:
            shutil.copyfile(trace, path)


def say_endlessly(say):
    say(b"HTTP/1.1 200 OK\r\n")
    while True:
        say(b"X-More: " + b"x" * 1000 + b"\r\n")


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        path = self.rfile.readline().split()[1].decode()
        length = 0
        for line in iter(self.rfile.readline, b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        print(path, self.rfile.read(length).decode(), flush=True)
        stops = path == "/stop_profile"
        if stops:
            write_traces()
        try:
            self.answer(self.wfile.write, "good" if stops else mode)
        except OSError:
            pass

    def answer(self, say, how):
        if how == "headers":
            say_endlessly(say)
        elif how == "slow":
            for byte in b"HTTP/1.1 200 OK\r\n\r\n":
                say(bytes([byte]))
                time.sleep(0.2)
        elif how == "mute":
            time.sleep(60)
        elif how == "nolength":
            say(b"HTTP/1.1 200 OK\r\n\r\nProfiling")
            time.sleep(60)
        elif how == "noise":
            say(b"SSH-2.0-OpenSSH_9.6\r\n")
        elif how != "gone":
            status = {"missing": b"404 Not Found", "busy": b"400 Bad Request"}.get(how, b"200 OK")
            say(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nOK")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


with Server(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
