# Real profiles: other ids, another time and another order of rows change nothing else; equal ranks
# differ in nothing. The same for random traces: tests/unit/test_relations.c.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_corpus kineto/dlrm_8ranks

# shown DIRECTORY FILE: all views but those that list the file, launches and CPU events without ids
shown()
{
	rm -rf "$work/$1"
	assert_exit 0 strata report all -q --no-cache -f csv -o "$work/$1" "$2"
	for view in info recordings runs spans launches attributes; do
		rm -f "$work/$1/$view.csv"
	done
	strata query -q --no-cache -f csv "SELECT name, start_ns, dur_ns, step, operator, layer, pass,
		api_start_ns, launch_delay_ns, flops FROM launches" "$2" >"$work/$1/launches.csv"
}

rounded() { sed -E 's/(\.[0-9]{6})[0-9]+/\1/g' | sort; }

# same WHAT: the views in "before" and "after" have the same rows, to 6 digits after the point
same()
{
	for view in "$work"/before/*.csv; do
		rounded <"$view" >"$work/left"
		rounded <"$work/after/${view##*/}" >"$work/right"
		cmp -s "$work/left" "$work/right" ||
			{ diff "$work/left" "$work/right" | head -5 >&2; fail "$1: ${view##*/}"; }
	done
	[ "$(find "$work/before" -name '*.csv' | wc -l)" -ge 10 ] || fail "$1: few views"
}

dlrm=$(find "$corpus/kineto/dlrm_8ranks" -name 'worker0_*')
for trace in "$dlrm" "$corpus/kineto/torch113/convnet_train/convnet_adam_all.pt.trace.json.gz" \
	"$corpus/kineto/particle_transformer/gpu_working_chrome_trace.json.gz" \
	"$corpus/kineto/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz"; do
	[ -f "$trace" ] || continue
	gzip -dc "$trace" >"$work/plain"
	cp "$work/plain" "$work/trace.json"
	shown before "$work/trace.json"
	sed -E 's/("(correlation|External id|Sequence number|Python id|Python parent id)": *)([1-9])/\19\3/g
		/"cat": *"(ac2g|async_gpu|async_cpu_to_gpu|fwdbwd|forward_backward)"/s/("id": *)([1-9])/\19\2/' \
		"$work/plain" >"$work/trace.json"
	cmp -s "$work/plain" "$work/trace.json" && fail "nothing was renamed in $trace"
	shown after "$work/trace.json"
	[ ! -f "$work/after/links.csv" ] || for run in before after; do # shows the numbers
		cut -d, -f2- "$work/$run/links.csv" >"$work/cut" && mv "$work/cut" "$work/$run/links.csv"
	done
	for run in before after; do
		rm -f "$work/$run/calls.csv"
	done
	same "other ids in $trace"
done

gzip -dc "$dlrm" >"$work/trace.json"
shown before "$work/trace.json"
sed -i -E 's/("ts": *)169/\1170/' "$work/trace.json" # 116 days later
shown after "$work/trace.json"
same "a later time"

# ---- equal ranks ----
mkdir "$work/run"
for rank in 0 1 2; do
	gzip -dc "$dlrm" | sed -E "s/(\"rank\": *)0/\1$rank/" >"$work/run/rank$rank.json"
done
ask() { strata query -q --no-cache -f csv "$1" "$work/run" | tail -n 1 | tr -d '\r'; }
for column in computation_ns communication_ns idle_ns sync_ns straggler; do
	assert_equal "$column of equal ranks" 1 "$(ask "SELECT count(DISTINCT $column) FROM ranks")"
done
assert_equal "ranks, waits, stragglers" 3,0,0 "$(ask "SELECT count(*), total(sync_ns), total(straggler)
	FROM ranks")"
assert_equal "rows of equal ranks that exceed the median" 0 "$(ask \
	"SELECT count(*) FROM rank_outliers WHERE excess_pct > 1.01")"
assert_equal "a straggler among equal ranks" 0 "$(ask \
	"SELECT count(*) FROM advice WHERE detector LIKE '%straggler%' AND severity <> 'unknown'")"

# ---- rows of a database in another order ----
need_command sqlite3
for name in LeiWang1999__memfusion_artifact/report1 MohanadOdema__DLProf/w_Relu__nsys_profile \
	GindaChen__nsys-ai/mfu_2gpu_before; do
	database="$corpus/nsys/$name.sqlite"
	[ -f "$database" ] || continue
	cp "$database" "$work/database.sqlite"
	chmod u+w "$work/database.sqlite"
	shown before "$work/database.sqlite"
	for table in KERNEL MEMCPY MEMSET RUNTIME SYNCHRONIZATION; do
		table=CUPTI_ACTIVITY_KIND_$table
		echo "CREATE TEMP TABLE moved AS SELECT * FROM $table ORDER BY correlationId % 7, start DESC;
			DELETE FROM $table; INSERT INTO $table SELECT * FROM moved; DROP TABLE moved;" |
			sqlite3 "$work/database.sqlite" 2>/dev/null || :
	done
	shown after "$work/database.sqlite"
	same "another order of rows in $name"
done
