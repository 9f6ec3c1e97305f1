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
