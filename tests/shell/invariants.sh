# The views agree with themselves and each other, on complete and truncated generated runs.
. "${srcdir:-.}/tests/lib.sh"
seldom 4

for options in '' '--layers 2 --stacks 0 --no-modules' '--no-shapes --steps 1' \
	'--rank 0 --world 2 --straggler 1:2' '--slow layer3:4 --seed 3'; do
	tracegen $options -o "$work/trace.json"
	hold_invariants "$work/trace.json"
done
for bytes in 5000 60000 700000 1500000; do
	head -c $bytes "$work/trace.json" >"$work/cut.json"
	hold_invariants "$work/cut.json"
done

need_corpus kineto
small_profiles | grep -E '^(kineto|nsys|rocpd|rpd|xplane|onnxruntime|nvprof|ascend)/' | sampled 3 >"$work/paths"
while read -r path; do
	! strata info -q "$corpus/$path" >"$work/info" 2>&1 || hold_invariants "$corpus/$path"
done <"$work/paths"
