# Asking inference servers for traces: a server plays them, and lies.
. "${srcdir:-.}/tests/lib.sh"
need_command python3

for rank in 0 1; do
	tracegen --steps 2 --layers 2 --stacks 0 --rank $rank --world 2 -o "$work/rank$rank.json"
done

# serve MODE: a server in the background, its port in $port, what it was asked in $work/asked
serve()
{
	rm -rf "$work/traces" "$work/asked"
	mkdir "$work/traces"
	cp "$work/rank0.json" "$work/traces/old.pt.trace.json"
	touch -d '1 hour ago' "$work/traces/old.pt.trace.json"
	python3 "$srcdir/tests/attach/server.py" "$1" "$work/traces" "$work/rank0.json" "$work/rank1.json" \
		>"$work/asked" 2>"$work/log" &
	server=$!
	for i in $(seq 600); do
		[ ! -s "$work/asked" ] || break
		sleep 0.1
	done
	port=$(head -n 1 "$work/asked")
	[ "$port" ] || fail "no server: $(cat "$work/log")"
}

# ask STATUS ARGUMENT...: of the server, which ends
ask()
{
	expected=$1; shift
	assert_exit $expected strata attach --http $port --duration 100ms -o "$work/traces" "$@"
	kill $server
	wait $server || :
}

stopped() { sed 1d "$work/asked" | cut -d ' ' -f 1 | tr '\n' ' '; }

# The two traces, and not the one that was there; what is asked for; every way to name the host
for host in '' localhost: http://127.0.0.1:; do
	serve good
	port=$host$port
	ask 0 --shapes --within 60s
	printf "$work/traces/run/host.%d.pt.trace.json\n" 0 1 >"$work/expected"
	sort "$work/out" | cmp - "$work/expected" || fail "other traces: $(cat "$work/out")"
	assert_equal "requests of $host" '/start_profile /stop_profile ' "$(stopped)"
done
assert_line "$work/asked" "^/start_profile \{\"output_dir\":\"$work/traces\",\"with_stack\":false,\"record_shapes\":true\}$"
serve good
ask 0 --summarize -q --within 60s
assert_equal "summaries" 2 "$(find "$work/traces/$(uname -n)" -name '*.strsum' | wc -l)"

# Answers that say enough, whatever follows
for mode in headers nolength; do
	serve $mode
	ask 0 --within 60s
	assert_equal "traces of $mode" 2 "$(wc -l <"$work/out")"
done
serve slow
ask 0 --within 60s
assert_equal "traces of a slow one" 2 "$(wc -l <"$work/out")"

# What goes wrong is a sentence. A recording that may have begun is stopped, that of another is not.
wrong() # MODE SENTENCE REQUESTS
{
	serve $1
	ask 4 --within ${4-60s}
	assert_line "$work/err" "$2"
	assert_equal "requests of $1" "$3" "$(stopped)"
}
wrong missing 'status 404: start vLLM with VLLM_TORCH_PROFILER_DIR' '/start_profile '
wrong busy 'answers to start_profile with status 400$' '/start_profile '
wrong noise 'does not answer by HTTP$' '/start_profile /stop_profile '
wrong gone 'does not answer by HTTP$' '/start_profile /stop_profile '
wrong mute 'does not answer to start_profile within 1 seconds$' '/start_profile /stop_profile ' 1s
wrong slow 'does not answer to start_profile within 1 seconds$' '/start_profile /stop_profile ' 1s
wrong none "traces: the server wrote no trace here$" '/start_profile /stop_profile '
wrong link "traces: the server wrote no trace here$" '/start_profile /stop_profile '

# An interrupt stops the recording, and the waiting.
serve good
(exec "$builddir/strata" attach --http $port --duration 100s --within 60s -o "$work/traces" 2>"$work/err") &
attached=$!
for i in $(seq 600); do
	! grep -q start_profile "$work/asked" || break
	sleep 0.1
done
kill -TERM $attached
status=0
wait $attached || status=$?
assert_equal "interrupted" 143 $status
assert_line "$work/err" 'stopped waiting'
for i in $(seq 600); do
	! grep -q stop_profile "$work/asked" || break
	sleep 0.1
done
assert_equal "requests" '/start_profile /stop_profile ' "$(stopped)"
kill $server
wait $server || :

# Nothing listens there; what cannot be asked
assert_exit 4 strata attach --http $port -o "$work/traces"
assert_line "$work/err" "$port: Connection refused"
for typed in '' 0 70000 :1 8000x host.example:80 127.0.0.1 https://127.0.0.1:80 '[::1]:80' 1.2.3.4:80:90; do
	assert_exit 2 strata attach --http "$typed" -o "$work/traces"
	assert_line "$work/err" '--http must be a port'
done
assert_exit 2 strata attach --http $port
assert_line "$work/err" 'needs -o DIR'
assert_exit 2 strata attach --http $port -o "$work/traces" --steps 3
assert_line "$work/err" 'by --duration'
assert_exit 5 strata attach --http $port -o "$work/nothing"
assert_line "$work/err" 'nothing: No such file'
