# Asking running jobs for traces: a client that speaks Kineto's protocol plays them.
. "${srcdir:-.}/tests/lib.sh"

# Listings cut long commands.
ln -s "$builddir/tests/attach/attach_client" "$work/client"
client=$work/client
# Many clients that look for leaks at once take long, and say nothing of strata.
client() { ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" exec "$client" "$@"; }

tracegen --steps 2 --layers 2 --stacks 0 --rank 0 --world 2 -o "$work/rank0.json"
tracegen --steps 2 --layers 2 --stacks 0 --rank 1 --world 2 -o "$work/rank1.json"
rank0=$work/rank0.json rank1=$work/rank1.json

# play ARGUMENT...: a client in the background; its number is in $played
play()
{
	client "$@" >"$work/played" 2>>"$work/complaints" &
	played=$!
}

# in_background ARGUMENT...: strata; its number is in $attached
in_background()
{
	(
		set +e
		trap - INT
		exec "$builddir/strata" attach "$@" >"$work/out" 2>"$work/err"
	) &
	attached=$!
}

# await CONDITION: wait for it, up to a minute
await()
{
	for i in $(seq 600); do
		! eval "$1" || return 0
		sleep 0.1
	done
	fail "it never came that $1"
}

# One process: asked, written, opened.
one()
{
	mkdir "$work/traces/taken"
	play -i 300 "$rank1"
	other=$played
	play -m text "$rank0"
	assert_exit 0 strata attach --within 60s --pid $played --duration 250ms --shapes --stacks -o "$work/traces/taken"
	wait $played || fail "the client failed: $?"
	kill $other
	path=$(cat "$work/out") # of this process alone
	assert_line "$work/out" "^$work/traces/taken/strata-[A-Za-z0-9]*/trace_$played.pt.trace.json$"
	cmp "$path" "$rank0" || fail "another trace"
	assert_line "$work/err" "^strata: process $played: ready$"
	assert_equal "the request" \
		"ACTIVITIES_DURATION_MSECS=250 PROFILE_REPORT_INPUT_SHAPES=true
PROFILE_PROFILE_MEMORY=false PROFILE_WITH_STACK=true PROFILE_WITH_FLOPS=false PROFILE_WITH_MODULES=false" \
		"$(sed '1,2d' "$work/played" | tr '\n' ' ' | sed 's/ PROFILE_PROFILE/\nPROFILE_PROFILE/; s/ $//')"
	assert_line "$work/played" "^ACTIVITIES_LOG_FILE=$work/traces/taken/strata-[A-Za-z0-9]*/trace.pt.trace.json$"
	[ ! -e "$work/ipc/dynolog" ] || fail "the socket stays"
}

# From the file to the first screen takes no longer than a second of a machine of its own.
screen()
{
	printf ':save-screen %s/screen\n' "$work" >"$work/script"
	for try in 1 2 3 4 5 6 7 8 9 10; do # on a machine that has other work
		play -w 0 "$rank0"
		assert_exit 0 strata attach --within 60s --pid $played --steps 3 -q --script "$work/script" --size 100x24 --view operators
		[ -s "$work/screen" ] || fail "no screen"
		assert_line "$work/screen" 'Operators'
		written=$(stat -c %.Y "$work/traces"/strata-*/trace_$played.pt.trace.json)
		shown=$(stat -c %.Y "$work/screen")
		[ -z "${TEST_WRAPPER-}${SANITIZERS-}" ] || return 0
		limit=$(awk -v cores="$(getconf _NPROCESSORS_ONLN)" '{ print ($1 > cores) ? $1 / cores : 1 }' /proc/loadavg)
		! awk "BEGIN { exit !($shown - $written < $limit) }" || return 0
	done
	fail "from the file at $written to the screen at $shown took longer than $limit s, ten times"
}

list()
{
	play -m busy -i 500 -j 4711
	short=$played
	play -m busy -i 500 "$work/of/a/name/that/is/longer/than/the/list/is/wide/and/its/end/matters/train.py"
	in_background --within 60s # each is listed when it asks
	await 'grep -q "$short" "$work/out" && grep -q "$played" "$work/out"'
	kill -INT $attached
	wait $attached || :
	assert_exit 0 strata attach --within $within
	kill $short $played
	assert_line "$work/out" "^ +[12] +$played .* $client -m busy -i .*~.*/is/wide/and/its/end/matters/train.py \(records already\)$"
	assert_line "$work/out" "^ +[12] +$short .* 4711 +$client -m busy -i 500 -j 4711 \(records already\)$"
	assert_line "$work/err" 'strata attach --pid PID or --all'
}

many()
{
	play -n 64 -j 5 "$rank0"
	assert_exit 0 strata attach --job 5 -q --within $within
	wait $played || fail "a client of 64 failed: $?"
	assert_equal "64 traces" 64 "$(wc -l <"$work/out")"
	while read -r path; do
		cmp "$path" "$rank0" || fail "$path is not whole"
	done <"$work/out"
}

# Ranks are one run; summaries go to a folder of the host.
ranks()
{
	client "$rank0" & first=$!
	client "$rank1" & second=$!
	assert_exit 0 strata attach --within $within --all --summarize -q -o "$work/sums"
	wait $first $second
	assert_equal "two summaries" 2 "$(find "$work/sums/$(uname -n)" -name '*.strsum' | wc -l)"
	assert_exit 0 strata query -q -f csv 'SELECT count(*) FROM ranks' "$work/sums"
	assert_equal "two ranks" 2 "$(tail -n 1 "$work/out" | tr -d '\r')"
}

# What goes wrong is a sentence.
absent()
{
	assert_exit 4 strata attach --pid 1
	assert_line "$work/err" 'process 1 did not ask within 6 seconds: start the job with KINETO_USE_DAEMON=1'
	assert_exit 2 strata attach some.json
	assert_exit 2 strata attach --all --duration 0
	assert_line "$work/err" '--duration must be a time \(500ms, 2s\), not "0"'
	assert_exit 2 strata attach --all --within soon
	assert_line "$work/err" '--within must be a time'
	assert_exit 4 strata attach --within 1500ms --job 7
	assert_line "$work/err" 'no process of job 7 asked within 1.5 seconds'
	play -m die
	assert_exit 4 strata attach --within 60s --pid $played
	assert_line "$work/err" "process $played ended before its trace was written"
}

liars()
{
	liars=
	for lie in size huge short type pids pid; do
		play -m $lie -i 300
		liars="$liars $played"
	done
	assert_exit 4 strata attach --within $within --all
	kill $liars
	assert_line "$work/err" '[0-9] messages have not the size that they say, or an unknown type'
	assert_line "$work/err" '[0-9] messages came in the name of another process'
	play -m flood "$rank0"
	assert_exit 0 strata attach --within 60s --pid $played -q
	wait $played || fail "the flood stopped it"
}

# One that reads late, as the host is busy: the request comes again.
late()
{
	play -m late "$rank0"
	assert_exit 0 strata attach --within 60s --pid $played -q
	wait $played || fail "the client failed: $?"
}

# A link is not followed: the file that replaces it is taken.
link()
{
	play -m link "$rank0"
	assert_exit 0 strata attach --within 60s --pid $played -q
	[ -f "$(cat "$work/out")" ] && [ ! -L "$(cat "$work/out")" ] || fail "a link was taken"
}

# Kineto would not write there.
elsewhere()
{
	play -i 400 "$rank0"
	assert_exit 4 strata attach --within 60s --pid $played -o "$work"
	assert_line "$work/err" "process $played writes only below $work/traces"
	assert_exit 4 strata attach --within 60s --pid $played -o "$work/nothing"
	assert_line "$work/err" "nothing: No such file"
	! grep 'did not ask' "$work/err" || fail "it did ask"
	mkdir "$work/other"
	(KINETO_ONDEMAND_TRACE_DIR="$work/other" client "$rank1") & other=$!
	assert_exit 0 strata attach --within $within --all
	assert_line "$work/err" 'writes only below .*KINETO_ONDEMAND_TRACE_DIR'
	kill $other $played 2>/dev/null || :
}

# An interrupt leaves the job alone.
interrupt()
{
	play -m refuse
	in_background --pid $played --within 60s
	await '[ "$(ls "$work/traces")" ]'
	kill -TERM $attached
	status=0
	wait $attached || status=$?
	assert_equal "interrupted" 143 $status
	assert_line "$work/err" "stopped waiting; the jobs go on, their traces come to $work/traces/strata-"
	[ "$(ls "$work/traces")" ] || fail "the traces have no place to come to"
	kill -0 $played || fail "the job is gone"
	kill $played
}

# Another process has the endpoint: it keeps it. One that is gone leaves a socket, which is replaced.
taken()
{
	play -i 300 -m refuse
	in_background --pid $played --within 60s --steps 3 # which it takes, and never begins
	await '[ "$(ls "$work/traces")" ]'
	assert_exit 4 "$builddir/strata" attach --within 60s --pid $played --steps 3 --shapes
	assert_line "$work/err" "dyno gputrace --log-file /tmp/trace.json --iterations 3 --pids $played --record-shapes"
	[ -S "$work/ipc/dynolog" ] || fail "the socket was stolen"
	kill -KILL $attached
	wait $attached || :
	[ -S "$work/ipc/dynolog" ] || fail "no stale socket to test with"
	assert_exit 0 strata attach --within $within
	kill $played
	assert_line "$work/out" "$played"
}

# The abstract name, and processes of another user
users()
{
	chmod 755 "$work"
	unset KINETO_IPC_SOCKET_DIR
	play -u 65534 -i 300
	status=0
	# an empty variable names no directory either
	KINETO_IPC_SOCKET_DIR= strata attach --within $within --all >"$work/out" 2>"$work/err" || status=$?
	kill $played || :
	assert_equal "of another user" 4 $status
	grep -q 'another process' "$work/err" || assert_line "$work/err" 'messages came from processes of other users'
}

# ended: the end of a part that failed; nothing of it is left for the next
ended()
{
	status=$?
	[ $status = 0 ] || {
		echo "$1 with $2: exit $status after $(($(date +%s) - began)) s; strata and its clients say:"
		cat "$work/out" "$work/err" "$work/complaints"
	} >&2 2>/dev/null
	for number in $(jobs -p); do kill "$number" || :; done 2>/dev/null
	exit $status
}

# try_part NAME TIME: that function, with an endpoint and files of its own; strata listens for TIME
try_part()
{
	set -e
	trap "ended $1 $2" EXIT
	work=$work/$1.$2 within=$2 began=$(date +%s)
	mkdir -p "$work/ipc" "$work/traces"
	export KINETO_IPC_SOCKET_DIR="$work/ipc" KINETO_ONDEMAND_TRACE_DIR="$work/traces"
	"$1"
}

# part NAME: in the background. Where processes did not get to poll in the time that strata listens
# by default, as the machine has other work, they get a minute. Not after "||", which ignores errors.
parts=
part()
{
	{
		set +e
		(try_part "$1" 6s)
		[ $? = 0 ] || (try_part "$1" 60s)
	} >"$work/$1.log" 2>&1 &
	parts="$parts $1:$!"
}

finish()
{
	failed=
	for part in $parts; do
		wait ${part#*:} || failed="$failed ${part%:*}"
	done
	parts=
	[ ! "$failed" ] || {
		for part in $failed; do cat "$work/$part.log" >&2; done
		fail "parts:$failed"
	}
}

# Alone, as it takes the time; the others mostly wait.
part screen
finish
for name in one list many ranks absent liars late link elsewhere interrupt taken; do
	part $name
done
[ "$(id -u)" != 0 ] || part users
finish
