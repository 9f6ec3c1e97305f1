# strata-mpi on four processes does what strata does, byte for byte.
. "${srcdir:-.}/tests/lib.sh"
[ -x "$builddir/strata-mpi" ] || skip "no strata-mpi here (configure --with-mpi)"
[ -z "${TEST_WRAPPER-}${SANITIZERS-}" ] || skip "MPI does not run under these tools"
need_command mpirun
export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 \
	OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR="$work"
together() { mpirun --allow-run-as-root --oversubscribe -np 4 "$builddir/strata-mpi" "$@"; }

ldd "$builddir/strata" | grep -i mpi && fail "strata links MPI"

mkdir "$work/traces"
for rank in 0 1 2 3 4; do
	tracegen --rank $rank --world 7 -o "$work/traces/rank$rank.json"
done
printf damaged >"$work/traces/rank5.json"
cd "$work"
files=$(echo traces/rank?.json traces/rank6.json)
assert_exit 3 strata summarize -o serial $files
assert_exit 3 together summarize -o parallel $files
assert_line "$work/err" 'traces/rank5.json: is not a known profile'
assert_line "$work/err" 'traces/rank6.json: cannot open'
assert_line "$work/err" 'summaries written: 5, up to date: 0, failed: 2'
diff -r serial parallel || fail "summaries of processes differ"

head -c 3000 serial/rank4.json.strsum >serial/rank5.json.strsum
assert_exit 3 strata merge -o serial.strsum serial/*.strsum serial/rank6.json.strsum
assert_exit 3 together merge -o parallel.strsum serial/*.strsum serial/rank6.json.strsum
assert_line "$work/err" 'rank5.json.strsum: is a summary that was cut off'
assert_line "$work/err" 'rank6.json.strsum: cannot open'
assert_line "$work/err" 'ranks merged: 5; missing: 5..6'
cmp serial.strsum parallel.strsum || fail "the merged files differ"

# ranks that several processes find, some without rows: as in one process
strata merge -q -o half.strsum serial/rank[0-2]*
assert_exit 0 strata merge -q -o serial.strsum half.strsum serial/rank[1-4]*
assert_exit 0 together merge -q -o parallel.strsum half.strsum serial/rank[1-4]* half.strsum
cmp serial.strsum parallel.strsum || fail "ranks found twice differ"
mkdir many && "$builddir/tests/bench/summaries" 4200 many
strata merge -q -o serial.strsum many
mkdir even && mv many/*[02468].strsum even/
strata merge -q --all-ranks -o all.strsum even
assert_exit 0 together merge -o parallel.strsum many all.strsum
assert_line "$work/err" 'ranks merged: 4200; rows of [0-9]+ key ranks kept'
cmp serial.strsum parallel.strsum || fail "the key ranks differ"
assert_exit 0 together merge -q -o again.strsum serial.strsum all.strsum
cmp serial.strsum again.strsum || fail "merging again changed the file"

# two summaries of a rank: nothing is written, by any process
cp serial/rank0.json.strsum other.strsum
strata summarize -q --no-python -o other traces/rank0.json
assert_exit 4 together merge -o none.strsum other.strsum other/rank0.json.strsum
assert_line "$work/err" 'their summaries of rank 0 differ'
[ ! -e none.strsum ] || fail "a file was written"
