# Commands that parse profiles have given up their rights when the first byte of one is read, and do
# all that they should nevertheless; info --sandbox says what holds.
. "${srcdir:-.}/tests/lib.sh"
cd "$work"
mkdir in to
tracegen --steps 2 --rank 0 --world 2 -o in/rank0.json
tracegen --steps 2 --rank 1 --world 2 -o in/rank1.json
strata info --sandbox in >says
assert_equal "lines" 3 "$(wc -l <says)"
grep -q '^programs none is run$' says || skip "no seccomp here: $(paste -sd';' says)"

# confined COMMAND...: while it waits to write to a pipe, the process has a filter and no way to rights
confined()
{
	rm -f to/pipe; mkfifo to/pipe
	"$builddir/strata" "$@" >to/pipe 2>err &
	process=$!
	exec 4<to/pipe
	for try in 1 2 3 4 5 6 7 8 9 10; do
		grep -q '^Seccomp:.*2' /proc/$process/status 2>/dev/null && break
		sleep 0.2
	done
	grep -E '^(NoNewPrivs|Seccomp):' /proc/$process/status >rights || :
	cat <&4 >/dev/null
	exec 4<&-
	wait $process || fail "strata $* failed: $(cat err)"
	assert_line rights '^NoNewPrivs:.1$'
	assert_line rights '^Seccomp:.2$'
}
many='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n'
confined query -q "$many" in/rank0.json
confined report launches -q --raw -f csv in/rank0.json in/rank1.json
mkfifo requests
"$builddir/strata" serve --stdio in/rank0.json <requests >answers &
server=$!
exec 3>requests
echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' >&3
until [ -s answers ]; do sleep 0.1; done
assert_line /proc/$server/status '^Seccomp:.2$'
exec 3>&-
wait $server

# Every way to write, into folders that exist and that do not, with and without a cache
for cache in '' --no-cache; do
	assert_exit 0 strata report kernels $cache -o to/kernels.csv -f csv in
	assert_exit 0 strata report all $cache -f csv -o to/new/deep/all in/rank0.json
	[ -s to/new/deep/all/kernels.csv ] || fail "no reports in a new folder"
	assert_exit 0 strata export $cache --sqlite to/x.db --trace to/x.json --stacks to/x.txt in/rank0.json
	assert_exit 0 strata summarize -q -o to/summaries in
	assert_exit 0 strata merge -q -o to/run.strsum to/summaries
	assert_exit 0 strata query $cache -q -o to/q.csv 'SELECT 1' to/run.strsum
	(cd to && assert_exit 0 strata report steps $cache -q -o here.csv -f csv ../in/rank0.json && [ -s here.csv ])
	rm -r to/new to/summaries to/run.strsum
done
ln -s ../in/rank0.json to/link.json
assert_exit 0 strata report steps -q to/link.json
assert_exit 0 strata report steps -q --base in/rank1.json in/rank0.json
