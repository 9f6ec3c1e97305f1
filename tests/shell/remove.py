"""Removes one source of information at a time from a profile.

remove.py PROFILE FOLDER [EVERY FIRST KEPT]: writes each variant as FOLDER/N/NAME and prints "N<tab>what was
removed"; with EVERY of those whose description does not match the regular expression KEPT only the ones whose
number is FIRST or a multiple of EVERY from it.
Databases lose a table or a column's values; XPlanes a kind of statistics, planes or lines; traces the events of a
category; pickles and JSON a member of all dictionaries; tables in text a column; folders do so in each of their files.
"""
import csv, gzip, io, json, os, pickle, re, shutil, sqlite3, sys, urllib.parse

from protobuf import parse, write


# ---- databases ----

def of_database(path):
    # Of a folder that is not written, as this one: SQLite makes files beside a database with a log.
    data = sqlite3.connect("file:%s?immutable=1" % urllib.parse.quote(path), uri=True)
    for (table,) in data.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        quoted = '"%s"' % table
        if table.startswith("sqlite_") or not data.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0]:
            continue
        yield table, f"DELETE FROM {quoted}"
        for _, column, _, required, _, key in data.execute(f"PRAGMA table_info({quoted})").fetchall():
            if not required and not key and data.execute(f'SELECT count("{column}") FROM {quoted}').fetchone()[0]:
                yield f"{table}.{column}", f'UPDATE {quoted} SET "{column}" = NULL'


def write_database(path, target, statement):
    shutil.copyfile(path, target)
    with sqlite3.connect(target) as data:
        data.execute(statement)


# ---- XPlanes ----

def first(fields, number, default=b""):
    return next((value for at, _, value in fields if at == number), default)


def without_stats(message, field, ids):
    """MESSAGE less its statistics (FIELD) of these ids."""
    return [f for f in message if f[0] != field or first(parse(f[2]), 1, 0) not in ids]


def stat_names(plane):
    """ids by name"""
    entries = [parse(value) for number, _, value in plane if number == 5]
    return {first(parse(first(entry, 2)), 2): first(entry, 1, 0) for entry in entries}


def in_plane(plane, line=lambda fields: fields, event=None, ids=()):
    """PLANE with its lines, their events, and statistics of the plane and its events less IDS."""
    out = []
    for number, kind, value in without_stats(plane, 6, ids):
        if number == 3:
            changed = line(parse(value))
            if changed is None:
                continue
            if ids:
                changed = [(4, 2, write(without_stats(parse(v), 4, ids))) if n == 4 else (n, k, v)
                           for n, k, v in changed]
            value = write(changed)
        elif number == 4 and ids:
            entry = parse(value)
            value = write([(2, 2, write(without_stats(parse(v), 5, ids))) if n == 2 else (n, k, v)
                           for n, k, v in entry])
        out.append((number, kind, value))
    return out


def of_xplane(path):
    space = parse(open(path, "rb").read())
    planes = [parse(value) for number, _, value in space if number == 1]
    for name in sorted({name for plane in planes for name in stat_names(plane)}):
        yield "stat " + name.decode(), ("stat", name)
    for name in sorted({first(plane, 2) for plane in planes}):
        yield "plane " + name.decode(), ("plane", name)
    lines = {re.sub(rb"#.*", b"", first(parse(value), 2))
             for plane in planes for number, _, value in plane if number == 3}
    for name in sorted(lines):
        yield "line " + name.decode(), ("line", name)
    for number, what in (3, "durations"), (2, "offsets"):
        yield what, ("event", number)


def write_xplane(path, target, how):
    kind, what = how
    out = []
    for number, wire, value in parse(open(path, "rb").read()):
        plane = parse(value) if number == 1 else None
        if plane and kind == "plane" and first(plane, 2) == what:
            continue
        if plane and kind == "stat":
            plane = in_plane(plane, ids={stat_names(plane).get(what)} - {None})
        elif plane and kind == "line":
            plane = in_plane(plane, lambda line: None if re.sub(rb"#.*", b"", first(line, 2)) == what else line)
        elif plane and kind == "event":
            plane = in_plane(plane, lambda line: [
                (4, 2, write([f for f in parse(v) if f[0] != what])) if n == 4 else (n, k, v)
                for n, k, v in line])
        out.append((number, wire, write(plane) if plane else value))
    open(target, "wb").write(write(out))


# ---- other messages of Protocol Buffers: fields by their path ----

def message_of(value):
    """VALUE as fields that are written as it is; None: it is no message"""
    try:
        fields = parse(value)
        return fields if fields and write(fields) == value and all(0 < n < 64 for n, _, _ in fields) else None
    except (IndexError, KeyError, ValueError):
        return None


def paths_of(fields, inner, path=""):
    for number, kind, value in fields:
        here = f"{path}.{number}"
        yield here
        message = message_of(value) if kind == 2 and here in inner else None
        if message:
            yield from paths_of(message, inner, here)


def without_field(fields, removed, path=""):
    out = []
    for number, kind, value in fields:
        here = f"{path}.{number}"
        if here == removed:
            continue
        if removed.startswith(here + "."):
            value = write(without_field(parse(value), removed, here))
        out.append((number, kind, value))
    return out


# profile.proto: sample types, samples and their labels, mappings, locations and their lines, functions
PPROF_MESSAGES = {".1", ".2", ".2.3", ".3", ".4", ".4.4", ".5", ".11"}


def of_pprof(path):
    data = open(path, "rb").read()
    fields = parse(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
    return [("field " + at, at) for at in sorted(set(paths_of(fields, PPROF_MESSAGES)))]


def write_pprof(path, target, removed):
    data = open(path, "rb").read()
    fields = parse(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
    open(target, "wb").write(write(without_field(fields, removed)))


# ---- pickles and JSON: members ----

def members(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            here = path + "." + str(key)
            yield here
            yield from members(inner, here)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from members(inner, path)


def without(value, removed, path=""):
    if isinstance(value, dict):
        return {key: without(inner, removed, path + "." + str(key)) for key, inner in value.items()
                if path + "." + str(key) != removed}
    if isinstance(value, (list, tuple)):
        return type(value)(without(inner, removed, path) for inner in value)
    return value


def of_pickle(path):
    with open(path, "rb") as file:
        value = pickle.load(file)
    return [(member, member) for member in sorted(set(members(value)))]


def write_pickle(path, target, removed):
    with open(path, "rb") as file:
        value = pickle.load(file)
    with open(target, "wb") as file:
        pickle.dump(without(value, removed), file)


def opened(path):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


def events(value):
    """the list of a trace's events; of other JSON an empty one"""
    value = value.get("traceEvents", []) if isinstance(value, dict) else value
    return [event for event in value if isinstance(event, dict)]


def of_json(path):
    with opened(path) as file:
        value = json.load(file, strict=False)
    for member in sorted(set(members(value))):
        if not re.search(r"[0-9@]", member):
            yield member, (None, member)
    for category in sorted({str(event["cat"]) for event in events(value) if "cat" in event}):
        yield "events " + category, (category, None)


def write_json(path, target, how):
    category, removed = how
    with opened(path) as file:
        value = json.load(file, strict=False)
    if category:
        left = [event for event in events(value) if str(event.get("cat")) != category]
        value = {**value, "traceEvents": left} if isinstance(value, dict) else left
    with gzip.open(target, "wt", 1) if target.endswith(".gz") else open(target, "w") as file:
        json.dump(without(value, removed), file)


# ---- tables in text ----

def of_csv(path):
    for at, name in enumerate(next(csv.reader(open(path, newline="")), [])):
        yield "values of " + name, (at, False)
        yield "column " + name, (at, True)


def write_csv(path, target, how):
    at, drop = how
    with open(target, "w", newline="") as file:
        for number, row in enumerate(csv.reader(open(path, newline=""))):
            if len(row) > at:
                row[at:at + 1] = [] if drop else [row[at] if number == 0 else ""]
            csv.writer(file, lineterminator="\n").writerow(row)


HEADS = re.compile(r"(?=.*\|)(?=.*Action)|.*# of Calls|.*Mem usage|.*\bncalls +tottime|.*\bncalls .*filename")


def columns_of(line):
    """(name, first, last) of each heading, columns of characters"""
    if "|" in line:
        edges = [-1] + [m.start() for m in re.finditer(r"\|", line)] + [len(line)]
        spans = [(a + 1, b) for a, b in zip(edges, edges[1:])]
    else:
        words = list(re.finditer(r"\S+(?: \S+)*", line))
        spans = [(0 if i == 0 else words[i - 1].end(), word.end()) for i, word in enumerate(words)]
    return [(line[a:b].strip(), a, b) for a, b in spans if line[a:b].strip()]


def of_text(path):
    seen = set()
    lines = open(path).read().split("\n")
    for line in lines:
        if HEADS.match(line):
            for name, _, _ in columns_of(line)[0 if "|" in line else 0:]:
                if name not in seen and not re.match(r"Action$|Name$|filename|Line Contents", name):
                    seen.add(name)
                    yield "column " + name, ("column", name)
    for number, line in enumerate(lines):
        if re.search(r"(function calls.* in |Ordered by|time total:|List reduced|Running with|^PyTorch|\| +Total )", line):
            yield "line " + line.strip(), ("line", number)


def write_text(path, target, how):
    kind, what = how
    out, span = [], None
    for number, line in enumerate(open(path).read().split("\n")):
        if kind == "line":
            if number != what:
                out.append(line)
            continue
        if HEADS.match(line):
            span = next(((a, b) for name, a, b in columns_of(line) if name == what), None)
            bars = "|" in line
            column = line[:span[1]].count("|") if span and bars else None
        if not line.strip() and span and not bars:
            out.append(line)
            continue
        if span and bars and "|" in line:
            cells = line.split("|")
            del cells[column:column + 1]
            line = "|".join(cells)
        elif span and not bars:
            line = line[:span[0]] + line[span[1]:]
        out.append(line)
    open(target, "w").write("\n".join(out))


# ---- files and folders ----

def form_of(path):
    with open(path, "rb") as file:
        head = file.read(16)
    if head.startswith(b"SQLite"):
        return of_database, write_database
    if path.endswith(".pb"):
        return of_xplane, write_xplane
    if path.endswith((".prof", ".pprof")):
        return of_pprof, write_pprof
    if head.startswith(b"\x80"):
        return of_pickle, write_pickle
    if path.endswith((".json", ".json.gz")):
        return of_json, write_json
    if path.endswith(".csv"):
        return of_csv, write_csv
    return of_text, write_text


def main(profile, folder, every=1, first_chosen=0, kept=None):
    number = candidates = 0
    profile = os.path.normpath(profile)
    inside = [os.path.join(at, name) for at, _, names in os.walk(profile) for name in sorted(names)]

    def is_chosen(what):
        nonlocal candidates
        if kept and re.search(kept, what):
            return False
        candidates += 1
        return candidates % int(every) == int(first_chosen) % int(every)

    for path in sorted(inside) or [profile]:
        list_of, write_one = form_of(path)
        if inside:
            number += 1
            if is_chosen(os.path.basename(path)):
                target = os.path.join(folder, str(number), os.path.basename(profile))
                shutil.copytree(profile, target)
                os.remove(os.path.join(target, os.path.relpath(path, profile)))
                print(f"{number}\t{os.path.basename(path)}")
        for what, how in list_of(path):
            number += 1
            if inside:
                what = os.path.basename(path) + " " + what
            if not is_chosen(what):
                continue
            target = os.path.join(folder, str(number), os.path.basename(profile))
            os.makedirs(os.path.dirname(target))
            if inside:
                shutil.copytree(profile, target)
                target = os.path.join(target, os.path.relpath(path, profile))
            if os.path.exists(target):
                os.remove(target)
            write_one(path, target, how)
            print(f"{number}\t{what}")


main(*sys.argv[1:])
