# What is taken out of a profile becomes blank, not 0 or "no": in every column of every view, and in
# the facts of the overview, that had other values before.
. "${srcdir:-.}/tests/lib.sh"

# values_of FILE: "view.column values others" of each column; OTHERS are neither 0 nor "no"
values_of()
{
	rm -rf "$work/all"
	strata report all -q -f tsv --no-cache -o "$work/all" "$1" 2>"$work/err" || return 1
	awk -F '\t' '
	FNR == 1 {
		view = FILENAME; sub(/.*\//, "", view); sub(/\.tsv$/, "", view)
		split($0, id, "\t")
		facts = view == "overview"
		next
	}
	facts { count($1 "/" $2, $4); next }
	{ for (i = 1; i <= NF; i++) count(id[i], $i) }
	function count(column, value)
	{
		if (value == "")
			return
		values[view "." column]++
		others[view "." column] += value !~ /^(0|0\.0|no|false)$/
	}
	END { for (key in values) print key "\t" values[key] "\t" others[key] }' "$work/all"/*.tsv
}

# Zeros that are right: positions, counts of what the file has, parts of what is left.
true_zeros='^(info|tasks)\.|^overview\.(links|profile|window|trust|device [0-9]*)/
\.(id|step|depth|thread|rank|device|stream|leaf|seq|critical|parent|name|partial|start_ns|api_start_ns|time_ns)$
(idle_unknown|idle_host|other|idle_outside|gpu_min|gpu_self|cpu_self|sync|self_size_increase)_(ns|pct|bytes)$|\.free_ns$
(memcpy|memset|exposed_copy)_(ns|pct)$|dataloader_(ns|pct)$|^spans\.(dur|self)_ns$'

# strip WHAT FROM TO: FROM has lost WHAT, which is TO now
strip()
{
	values_of "$2" >"$work/before"
	values_of "$3" >"$work/after" || {
		grep -q ' without GPU events' "$work/err" && return # nothing is left
		fail "$2 without $1 cannot be opened: $(cat "$work/err")"
	}
	awk -F '\t' 'NR == FNR { had[$1] = $3; next } $2 && !$3 && had[$1] { print $1 }' \
		"$work/before" "$work/after" | sort >"$work/zeros"
	echo "$true_zeros" >"$work/true"
	! grep -Evf "$work/true" "$work/zeros" >&2 ||
		fail "$2 without $1 says 0 or no where nothing is known"
	strata report dashboard -q -w 160 "$3" >"$work/drawn"
}

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

arguments='sizes bytes|Bytes
links correlation|External id
shapes Input Dims|Input type
launches grid|block|registers per thread|shared memory|blocks per SM|est\. achieved occupancy %
properties deviceProperties
groups Collective name|Group size|In msg nelems|Out msg nelems|dtype'
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
	strip_rows sizes "$database" 'UPDATE' 'CUPTI_ACTIVITY_KIND_MEM*' ' SET bytes = NULL'
done <"$work/databases"
echo "$(cat "$work/traces" "$work/databases" | wc -l) profiles"
