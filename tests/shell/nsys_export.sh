# Reports of Nsight Systems are converted by the nsys on PATH, once; without it, or when it refuses,
# the message says what to do.
. "${srcdir:-.}/tests/lib.sh"
need_command sqlite3

mkdir -p "$work/bin" "$work/none"
report=$work/run.nsys-rep
# as reports of 2021 to 2025 begin
printf 'NVIDIA Tegra Profiler Report 2025@5@1@121-255136380782v0.\n\013Local (CLI)\022\007\010\000' >"$report"
sqlite3 "$work/export.sqlite" "
	CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
	INSERT INTO StringIds VALUES (1, 'gemm');
	CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT,
		streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT,
		gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
		(100, 200, 0, 1, 7, 5, 0, 1, 1, 1, 1, 1, 32, 1, 1);"

fake() # SCRIPT: becomes nsys
{
	printf '#!/bin/sh\necho "$@" >>"%s/calls"\n%s\n' "$work" "$1" >"$work/bin/nsys"
	chmod +x "$work/bin/nsys"
}
query() { PATH="$work/bin:$PATH" strata query -q -f csv "$@" | tr -d "\r"; }

# Without nsys: today's message.
assert_exit 4 env PATH="$work/none" "$builddir/strata" info -q "$report"
assert_line "$work/err" 'is an Nsight Systems report; run: nsys export'

# The output is the argument after --output; the report is the last one, and may have any name.
odd="$work/a b;\$(touch x)'.nsys-rep"
cp "$report" "$odd"
fake 'while [ $# -gt 1 ]; do [ "$1" != --output ] || cp "'"$work"'/export.sqlite" "$2"; shift; done
	[ -f "$1" ]'
query "SELECT name FROM launches" "$report" >"$work/names"
assert_line "$work/names" '^gemm$'
query "SELECT name FROM launches" "$report" >"$work/names"
assert_equal 'calls of nsys for a report opened twice' 1 "$(wc -l <"$work/calls")"
query "SELECT value FROM info WHERE metric = 'path'" "$report" >"$work/path"
assert_line "$work/path" 'run.nsys-rep'
query "SELECT name FROM launches" "$odd" >"$work/names"
assert_line "$work/names" '^gemm$'
[ ! -e x ] || fail "a shell ran the name of a report"

# A pipe of that name is read as what it holds, which nsys cannot export.
mkfifo "$work/pipe.nsys-rep"
cat "$report" >"$work/pipe.nsys-rep" &
assert_exit 4 env PATH="$work/bin:$PATH" "$builddir/strata" info -q "$work/pipe.nsys-rep"
assert_line "$work/err" 'is an Nsight Systems report; run: nsys export'
wait

# The head of a genuine report.
if [ -d "$corpus/nsys_rep" ]; then
	genuine=$corpus/nsys_rep/pdl_2p2c.nsys-rep
	assert_exit 4 env PATH="$work/none" "$builddir/strata" info -q "$genuine"
	assert_line "$work/err" 'run: nsys export -t sqlite FILE, where Nsight Systems of its version'
	query "SELECT name FROM launches" "$genuine" >"$work/names"
	assert_line "$work/names" '^gemm$'
	strata cache --clear >"$work/out"
	query "SELECT name FROM launches" "$report" "$odd" >"$work/names"
fi

# Only finished databases stay; `strata cache --clear` removes them.
assert_equal 'files of nsys' 2 "$(ls "$XDG_CACHE_HOME/strata" | grep -c '^nsys-.*sqlite$')"
assert_equal 'other files' '' "$(ls "$XDG_CACHE_HOME/strata" | grep -e tmp -e log || :)"
strata cache --clear >"$work/out"
assert_equal 'files of nsys after clearing' '' "$(ls "$XDG_CACHE_HOME/strata" | grep nsys || :)"

# An older nsys refuses: its message is shown.
fake 'echo "Generating"; echo "Error: report version 2026.1 is newer than this tool" >&2; exit 1'
status=0
PATH="$work/bin:$PATH" strata info -q "$report" >"$work/out" 2>"$work/err" || status=$?
assert_equal 'exit status of a refused report' 4 "$status"
assert_line "$work/err" 'report version 2026.1 is newer'
assert_equal 'lines of the message' 1 "$(wc -l <"$work/err")"

# One that claims success without a database, or prints what a terminal must not show.
fake 'printf "\033[31mred\n"; exit 0'
status=0
PATH="$work/bin:$PATH" strata info -q "$report" >"$work/out" 2>"$work/err" || status=$?
assert_equal 'exit status without a database' 4 "$status"
! grep -q "$(printf '\033')" "$work/err" || fail "an escape sequence reached the terminal"

# Cancelling ends nsys and leaves nothing behind.
fake 'echo $$ >"'"$work"'/pid.new"; mv "'"$work"'/pid.new" "'"$work"'/pid"; exec sleep 600'
PATH="$work/bin:$PATH" "$builddir/strata" info -q "$report" >"$work/out" 2>"$work/err" &
loading=$!
while [ ! -f "$work/pid" ]; do
	kill -0 "$loading" || fail "strata ended before nsys began"
	sleep 0.05
done
kill -TERM "$loading"
status=0
wait "$loading" || status=$?
[ "$status" != 0 ] || fail "a cancelled conversion succeeded"
! kill -0 "$(cat "$work/pid")" 2>/dev/null || fail "nsys still runs"
assert_equal 'files after cancelling' '' "$(ls "$XDG_CACHE_HOME/strata" | grep nsys || :)"
