# Series of runs whose truth is known: where a layer becomes slower, that run is the first bad one; a clean series has
# none. For some seeds here; SEEDS=200 make check TESTS=tests/shell/history_planted.sh asks more, FIRST=N others.
. "${srcdir:-.}/tests/lib.sh"
[ -z "${SANITIZERS-}" ] || skip "verdicts are judged in a build without sanitizers"
cd "$work"
seeds=${SEEDS-5} first=${FIRST-1}

# noisy SEED: each kernel takes a lognormal part more or less, all kernels of the run another
noisy()
{
	awk -v seed="$1" '
		function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
		BEGIN { srand(seed); run = exp(0.005 * normal()) }
		/"cat": "kernel"/ && match($0, /"dur": [0-9.]*/) {
			dur = substr($0, RSTART + 7, RLENGTH - 7) * run * exp(0.03 * normal())
			$0 = substr($0, 1, RSTART - 1) "\"dur\": " sprintf("%.3f", dur) substr($0, RSTART + RLENGTH)
		} 1' plain.json
}

# series SEED RUNS FIRST LAYER: a baseline of RUNS runs, from FIRST on with a slower LAYER; 0: none
series()
{
	strata baseline remove series 2>/dev/null || :
	for run in $(seq "$2"); do
		slow=
		[ "$3" = 0 ] || [ "$run" -lt "$3" ] || slow="--slow $4:1.3"
		tracegen --steps 4 --layers 4 --stacks 0 --seed $(($1 * 1000 + run)) $slow -o plain.json
		noisy $(($1 * 1000 + run)) >run.json
		strata baseline add series run.json --label "run-$run" 2>/dev/null
	done
}

# changes: rows of the series that changed, "kind name verdict run" with tabs
changes()
{
	strata history series -q -f tsv -c kind,name,verdict,run 2>/dev/null | tr -d '\r' | sed 1d |
		awk -F '\t' '$3 != "" && $3 != "same" && $3 != "within noise"'
}

named=0 clean=0
for seed in $(seq "$first" $((first + seeds - 1))); do
	set -- $(awk -v seed="$seed" 'BEGIN {
		srand(seed * 7919); rand(); runs = 10 + int(rand() * 8)
		print runs, 4 + int(rand() * (runs - 5)), "layer" 1 + int(rand() * 4) ".0" }')
	series "$seed" "$1" "$2" "$3"
	label=$(strata history series 2>&1 >/dev/null | sed -n 's/.*First bad run: \([^ ]*\) .*/\1/p')
	if [ "$label" = "run-$2" ]; then
		named=$((named + 1))
	else
		echo "seed $seed: $3 is slower from run $2 of $1, named ${label:-none}"
	fi
	series $((seed + 500000)) "$1" 0
	changes >rows
	if [ -s rows ]; then
		echo "seed $seed: clean, but" && cat rows
	else
		clean=$((clean + 1))
	fi
done
echo "named $named, clean $clean of $seeds"
[ $((named * 20)) -ge $((seeds * 19)) ] || fail "only $named of $seeds first bad runs are named"
[ $((clean * 20)) -ge $((seeds * 19)) ] || fail "only $clean of $seeds clean series are without change"
