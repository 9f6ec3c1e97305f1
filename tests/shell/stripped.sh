# What is taken out of a profile becomes blank, not 0 or "no": in every column of every view, and in
# the facts of the overview, that had other values before.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
. "$srcdir/tests/strip.sh"

# drop PATTERN: leave out the events of a trace of tracegen that match, one of several lines each
drop()
{
	awk -v pattern="$1" '
	/^  \{$/ { inside = 1; event = $0; next }
	inside && /^  \},?$/ {
		inside = 0
		if (event !~ pattern) {
			printf "%s%s\n  }", started ? ",\n" : "", event
			started = 1
		}
		next
	}
	inside { event = event "\n" $0; next }
	started { print ""; started = 0 }
	{ print }' "$work/own.json" >"$work/less.json"
}

# hide PATTERN FROM: rename the members of events that match
hide() { sed -E "s/\"($1)\" *:/\"not \1\":/g" "$2" >"$work/less.json"; }

tracegen --rank 0 --world 2 --layers 2 -o "$work/own.json"
while read -r what pattern; do
	drop "$pattern"
	! cmp -s "$work/own.json" "$work/less.json" || fail "$what: nothing dropped"
	strip "$what" "$work/own.json" "$work/less.json"
done <<'END'
kernels "cat": "kernel"
GPU-events "cat": "(kernel|gpu_[a-z_]*)"
runtime-calls "cat": "cuda_(runtime|driver)"
operators "cat": "cpu_op"
steps ProfilerStep
memory \[memory\]
host-events "cat": "(cpu_op|cuda_runtime|cuda_driver|user_annotation|python_function)"
END

arguments='durations dur
sizes bytes|Bytes
links correlation|External id
shapes Input Dims|Input type
launches grid|block|registers per thread|shared memory|blocks per SM|est\. achieved occupancy %
properties deviceProperties
groups Collective name|Group size|In msg nelems|Out msg nelems|dtype
categories cat'
# each_argument FILE
each_argument()
{
	echo "$arguments" | while read -r what pattern; do
		hide "$pattern" "$1"
		strip "$what" "$1" "$work/less.json"
	done
}
each_argument "$work/own.json"

# ten traces, and ten databases
need_corpus kineto
find "$corpus/kineto" -name '*.json.gz' -size -60k | sort | awk 'NR % 7 == 3' | head -10 | sampled 3 >"$work/traces"
while read -r trace; do
	gunzip -c "$trace" >"$work/trace.json"
	each_argument "$work/trace.json"
done <"$work/traces"

# by gloo the annotations tell of communication; in traces of ROCm kernels have no grid
gunzip -c "$corpus/kineto/torch113/ddp/ddp_gloo_2"/rank0*.gz >"$work/trace.json"
sed 's/"cat": "user_annotation"/"cat": "hidden"/' "$work/trace.json" >"$work/less.json"
! cmp -s "$work/trace.json" "$work/less.json" || fail "no annotations of gloo"
strip annotations "$work/trace.json" "$work/less.json"
gunzip -c "$corpus/kineto/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz" >"$work/trace.json"
hide cat "$work/trace.json"
strip categories "$work/trace.json" "$work/less.json"

need_command sqlite3
# strip_rows WHAT DATABASE STATEMENT TABLES REST: in all tables of these names
strip_rows()
{
	names=$(sqlite3 "$2" "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '$4'")
	[ "$names" ] || return 0
	cp "$2" "$work/less.db"
	chmod u+w "$work/less.db"
	for name in $names; do
		sqlite3 "$work/less.db" "$3 \"$name\"$5" 2>/dev/null || return 0
	done
	strip "$1" "$2" "$work/less.db"
}
find "$corpus/nsys" "$corpus/rpd" "$corpus/rocpd" "$corpus/nvprof" -type f -size -700k \
	! -name '*.nvvp' ! -name '*.md' | sort | head -12 | sampled 3 >"$work/databases"
while read -r database; do
	case $(head -c 15 "$database") in SQLite*) ;; *) continue ;; esac
	strip_rows kernels "$database" 'DELETE FROM' 'CUPTI_ACTIVITY_KIND_*KERNEL' ''
	strip_rows kernels "$database" 'DELETE FROM' 'rocpd_kernel_dispatch_*' ''
	strip_rows work "$database" 'DELETE FROM' 'rocpd_op' ''
	strip_rows calls "$database" 'DELETE FROM' 'CUPTI_ACTIVITY_KIND_RUNTIME' ''
	strip_rows calls "$database" 'DELETE FROM' 'rocpd_region_*' ''
	strip_rows calls "$database" 'DELETE FROM' 'rocpd_api' ''
	strip_rows ranges "$database" 'DELETE FROM' 'NVTX_EVENTS' ''
	strip_rows links "$database" 'UPDATE' 'CUPTI_ACTIVITY_KIND_*KERNEL' ' SET correlationId = NULL'
	strip_rows names "$database" 'DELETE FROM' 'String[IT]*' ''
	strip_rows ends "$database" 'UPDATE' 'CUPTI_ACTIVITY_KIND_RUNTIME' ' SET end = NULL'
	strip_rows sizes "$database" 'UPDATE' 'CUPTI_ACTIVITY_KIND_MEM*' ' SET bytes = NULL'
done <"$work/databases"
# without names it is not known whether kernels communicate, and so whether other processes use the other GPUs
find "$corpus/nvprof" -name output.nvvp -path '*nccl*' | head -1 >"$work/named"
true_zeros="$true_zeros
^advice\.predicted_"
while read -r database; do
	strip_rows names "$database" 'DELETE FROM' 'StringTable' ''
done <"$work/named"
echo "$(cat "$work/traces" "$work/databases" | wc -l) profiles"
