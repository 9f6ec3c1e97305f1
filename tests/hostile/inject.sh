# One failure in a run: the Nth allocation, read or write of it fails, N spread over all of them, for a
# profile of each format. The program ends with a documented status; it says what failed, in a message or
# as damage of the profile, or its output is as without the failure; no output is left half written.
#
#   INJECT_POINTS=N   failures of each kind and format (default: 12)
. "${srcdir:-.}/tests/hostile/lib.sh"
need_plain_memory
points=${INJECT_POINTS:-12}
library=$(realpath "$builddir/tests/hostile/inject.so")
export MALLOC_ARENA_MAX=1

# inject SPEC ARGUMENT...: run with a failure; status, $work/out and $work/err
inject()
{
	spec=$1 status=0
	shift
	timeout $limit env INJECT="$spec" LD_PRELOAD="$library" "$builddir/strata" "$@" \
		>"$work/out" 2>"$work/err" || status=$?
}

# survives SPEC ARGUMENT...
survives()
{
	inject "$@"
	case $status in
	0 | 1 | 3) cmp -s "$work/out" "$work/whole" || [ -s "$work/err" ] ||
		[ "$(grep -c '^trust ' "$work/out")" -gt "$(grep -c '^trust ' "$work/whole")" ] ||
		fail "other output, and no word, with $*" ;;
	2 | 4 | 5) [ -s "$work/err" ] || fail "status $status without a word with $*"
		is_clean "$work/err" ;;
	*) head -c 2000 "$work/err" >&2; fail "status $status with $*" ;;
	esac
}

# spread COUNT: numbers of calls to let fail, the first and the last among them
spread()
{
	awk -v count="$1" -v points="$points" 'BEGIN {
		for (i = 0; i < points && i < count; i++) {
			n = 1 + int(i * (count - 1) / (points > 1 ? points - 1 : 1))
			if (n != last) print n
			last = n
		} }'
}

# each_failure KINDS ARGUMENT...: the run survives each failure
each_failure()
{
	kinds=$1
	shift
	export INJECT_COUNT="$work/count"
	inject none "$@"
	unset INJECT_COUNT
	[ "$status" -le 1 ] || { cat "$work/err" >&2; fail "status $status without a failure: $*"; }
	cp "$work/out" "$work/whole"
	cp "$work/count" "$work/counts"
	for kind in $kinds; do
		count=$(sed -n "s/^$kind //p" "$work/counts")
		[ "${count:-0}" -gt 0 ] || fail "no $kind was counted: $*"
		for n in $(spread "$count"); do
			survives "$kind:$n" "$@"
			tried=$((tried + 1))
		done
	done
}

tried=0
tracegen --steps 2 --layers 2 -o "$work/t.json"
gzip -k "$work/t.json"
strata summarize -q -o "$work/s" "$work/t.json"
strata export -q --sqlite "$work/t.db" "$work/t.json"
for file in "$work/t.json" "$work/t.json.gz" "$work"/s/*.strsum; do
	each_failure "alloc read write" report advice -q "$file"
done
each_failure "alloc read write" query -q "SELECT name, count(*) FROM launches GROUP BY 1" "$work/t.json"
each_failure "alloc read" diff -q "$work/t.json" "$work/t.json.gz"

# The explorer goes on without what it has no memory for, or ends.
printf '%s\n' 3 '<Enter>' ':view timeline' ++ w ':plot flame' ":save-screen $work/screen" >"$work/script"
asked=$points points=$((points * 6)) # each takes little, and has much to own
each_failure alloc --script "$work/script" --size 90x20 "$work/t.json"
points=$asked

# A file that could not be written is not there.
mkdir "$work/made"
export INJECT_COUNT="$work/count"
inject none export -q --sqlite "$work/made/t.db" "$work/t.json"
unset INJECT_COUNT
rm "$work/made/t.db"
for n in $(spread "$(sed -n 's/^write //p' "$work/count")"); do
	inject "write:$n" export -q --sqlite "$work/made/t.db" "$work/t.json"
	case $status in
	0) [ -e "$work/made/t.db" ] || fail "status 0 and no file with write:$n"
		rm "$work/made/t.db" ;;
	5) [ -z "$(ls -A "$work/made")" ] || fail "left over with write:$n: $(ls -A "$work/made")" ;;
	*) head -c 2000 "$work/err" >&2; fail "status $status with write:$n" ;;
	esac
done

[ -d "$corpus" ] || skip "no profiles of other formats here; $tried failures"
while read -r name; do
	[ -e "$corpus/$name" ] || fail "$name is not in the corpus"
	each_failure "alloc read" report overview -q "$corpus/$name"
done <<'END'
nsys/tunguz__cuda13/nsys_easy.sqlite
ncu/mlp_t4.raw.csv
rocpd/rocpd_3.0.3_graphs.db
xplane/generated_gpu_tpu.xplane.pb
torch_trace/cache_hit_miss.log
pprof/jax_model_parallel_memory.prof
dlprof/MohanadOdema__DLProf/w_Relu__dlprof_dldb.sqlite
python/torch_stacks/EmperorNiu__gpt2-profile__profiler_stacks.txt
ascend/text/level1/rank0_ascend_pt
nvprof/josiahdavis__profiling-lm/net.sql
memory_snapshot/softmax_peak_small.pickle
END
# What is beside a file is missing only if it is.
each_failure list report overview -q "$corpus/ascend/text/level1/rank0_ascend_pt"
echo "$tried failures"
