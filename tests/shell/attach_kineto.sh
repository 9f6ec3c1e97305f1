# strata attach and Kineto itself: needs a program that is linked with libkineto, KINETO_JOB. From a checkout with
# submodules it is built so:
#
#     cmake -S kineto/libkineto -B kineto/build -DKINETO_BACKEND=cpu -DKINETO_BUILD_TESTS=OFF -DKINETO_LIBRARY_TYPE=static
#     make -C kineto/build
#     c++ -std=c++20 -DKINETO_NAMESPACE=libkineto -Ikineto/libkineto/include -Ikineto/libkineto/src \
#         tests/attach/kineto_job.cc kineto/build/libkineto.a -ldl -pthread -o kineto_job
. "${srcdir:-.}/tests/lib.sh"
[ "${KINETO_JOB-}" ] || skip "no program of libkineto here (KINETO_JOB)"
mkdir "$work/ipc" "$work/traces"
export KINETO_USE_DAEMON=1 KINETO_IPC_SOCKET_DIR="$work/ipc" KINETO_ONDEMAND_TRACE_DIR="$work/traces" KINETO_LOG_LEVEL=1

# play N: as many jobs, whose numbers are in $jobs
play()
{
	jobs=
	for i in $(seq "$1"); do
		"$KINETO_JOB" 120 2>"$work/log.$i" &
		jobs="$jobs $!"
	done
}
trap 'kill $jobs 2>/dev/null; rm -rf "$work"' EXIT

# By duration, by steps; then it has ended as little as before.
play 1
job=${jobs# }
assert_exit 0 strata attach --within 60s --pid $job --duration 300ms --stacks
assert_line "$work/out" "^$work/traces/strata-[A-Za-z0-9]*/trace_$job.pt.trace.json$"
assert_line "$work/log.1" 'Trace duration: 300ms'
grep -q '"traceEvents"' "$(cat "$work/out")" || fail "no trace"
assert_exit 0 strata attach --within 60s --pid $job --steps 3
assert_line "$work/log.1" 'Trace profile Iterations: 3'
kill -0 $job || fail "the job has ended"
# Kineto ends a job that is answered from another spelling of its directory.
KINETO_IPC_SOCKET_DIR="$work/ipc/" assert_exit 4 strata attach --within 8s --pid $job
assert_line "$work/err" 'spell KINETO_IPC_SOCKET_DIR in another way'
kill -0 $job || fail "the job has ended"
kill $job

# 64 at once, which begin at one time
play 64
assert_exit 0 strata attach --within 20s --all --duration 300ms -q
assert_equal "traces" 64 "$(wc -l <"$work/out")"
assert_equal "starts" 1 "$(sed -n 's/.*Trace start time: //p' "$work"/log.* | sort -u | wc -l)"
