# DLProf's reports of the Nsight Systems export that a run of DLProf was made from agree with it.
. "${srcdir:-.}/tests/lib.sh"
need_corpus nsys/MohanadOdema__DLProf
export_=$corpus/nsys/MohanadOdema__DLProf/w_Relu__nsys_profile.sqlite
original=$corpus/dlprof/MohanadOdema__DLProf/w_Relu__dlprof

# the machine, but for the version of DLProf
assert_exit 0 strata report dlprof-summary -q "$export_"
sed -n '1,/^$/p' "${original}_summary.csv" | grep -v '^DLProf' >"$work/expected"
sed -n '1,/^$/p' "$work/out" | cmp - "$work/expected" || fail "System Config differs"
assert_exit 0 strata info -q "$export_"
assert_line "$work/out" 'driver version +515\.43\.04$'
assert_line "$work/out" 'CUDA version +11\.7$'
assert_exit 0 strata report dlprof-summary -q --demo
assert_line "$work/out" '^CUDA Version,12\.6$'
if grep -q '^GPU Driver Version' "$work/out"; then
	fail "CUDA's driver interface is no driver version"
fi

# ops, their kernels, types and groups, byte for byte
for report in detailed kernel tensor_core op_type group_op; do
	assert_exit 0 strata report "dlprof-$report" -q "$export_"
	cmp "$work/out" "${original}_$report.csv" || fail "dlprof-$report of the export differs"
done

# launches, but for long names: DLProf gives all of a short name the long name of one of them
assert_exit 0 strata report dlprof-iteration -q "$export_"
sed 's/,"[^"]*"$//' "${original}_iteration.csv" >"$work/expected"
sed 's/,"[^"]*"$//' "$work/out" | cmp - "$work/expected" ||
	fail "dlprof-iteration of the export differs"

# reading a file has its part of the time, in the summary and on the dashboard
cp "$export_" "$work/files.sqlite"
chmod u+w "$work/files.sqlite"
if command -v sqlite3 >/dev/null; then
	sqlite3 "$work/files.sqlite" "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
		INSERT INTO StringIds SELECT max(id) + 1, 'fread' FROM StringIds;
		INSERT INTO OSRT_API SELECT 1000000, 501000000, (SELECT globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1),
		max(id) FROM StringIds"
	assert_exit 0 strata report dlprof-summary -q "$work/files.sqlite"
	assert_line "$work/out" '^IO Duration %,17\.6$'
	assert_exit 0 strata report dashboard -q -w 200 "$work/files.sqlite"
	assert_line "$work/out" ' DLProf .*i'
	# without any call that gave the GPU work, its shares and times are unknown, not 0
	for table in $(sqlite3 "$work/files.sqlite" .tables | tr ' ' '\n' | grep '^CUPTI_ACTIVITY'); do
		sqlite3 "$work/files.sqlite" "DROP TABLE $table"
	done
	assert_exit 0 strata report dlprof-summary -q "$work/files.sqlite"
	for blank in 'Tensor Core Kernel Utilization %,$' 'GPU Utilization %,$' 'Memory Duration %,$' 'All kernels,,,$' \
		'Ops using TC,,,$' 'Ops eligible for TC but not using,,,$' \
		'All ops,,[0-9]*,[1-9][0-9]*$'; do
		assert_line "$work/out" "^$blank"
	done
	assert_line "$work/out" '^Other Duration %,[0-9.]*$'
	# without ops, too, there is no time to have shares of
	sqlite3 "$work/files.sqlite" 'DROP TABLE NVTX_EVENTS'
	assert_exit 0 strata report dlprof-summary -q "$work/files.sqlite"
	for blank in 'Wall Clock Time (ns)' 'IO Duration %' 'CPU Duration %' 'Other Duration %' 'Average Iteration Time (ns)'; do
		grep -qFx "$blank," "$work/out" || fail "$blank is not blank"
	done
fi

# the whole summary: the run is one iteration from time 0; what was not recorded is blank
assert_exit 0 strata report dlprof-summary -q "$export_"
grep -v '^DLProf' "${original}_summary.csv" | sed 's/^\(IO Duration %\),.*/\1,/' >"$work/expected"
cmp "$work/out" "$work/expected" || fail "dlprof-summary of the export differs"
assert_exit 0 strata report dlprof-summary -q -f json "$export_"
assert_line "$work/out" '"IO Duration %": null'
