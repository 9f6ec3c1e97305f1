# Every real Nsight Systems and nvprof database opens or reports what is missing; all views can be
# built.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_corpus nsys

answer() { strata query -q -f csv "$1" "$2" | tail -n +2 | tr -d '\r'; }

find "$corpus/nsys" "$corpus/nvprof" -type f | sort >"$work/databases"
while IFS= read -r database; do
	assert_exit 0 strata info -q -f csv "$database"
	assert_line "$work/out" '^links,GPU events,'
	! grep -q 'ENVIRONMENT_VARIABLE' "$work/out" || fail "info shows the environment"
	rm -rf "$work/all"
	assert_exit 0 strata report all -q -f ndjson -o "$work/all" "$database"
	# No call launches a migration of unified memory: the driver moves pages.
	rows=$(answer "SELECT count(*) FROM launches WHERE name NOT LIKE 'Memcpy UVM %'" "$database")
	launched=$(answer 'SELECT count(*) FROM launches WHERE api_start_ns IS NOT NULL' "$database")
	[ "$rows" = 0 ] || [ "$((launched * 10))" -ge "$((rows * 9))" ] ||
		fail "$launched of $rows launches are linked in $database"
done <"$work/databases"
echo "$(wc -l <"$work/databases") databases"

# Two processes use equal correlation ids: joined by id alone, 294 more kernels would match a call.
trimmed="$corpus/nsys/GindaChen__nsys-ai/mfu_2gpu_before.sqlite"
assert_equal 'linked kernels of two processes' 3986 "$(answer "
	SELECT count(*) FROM launches WHERE kind = 'kernel' AND api_start_ns IS NOT NULL" "$trimmed")"

# Their layers are separate, too.
if command -v sqlite3 >/dev/null; then
	sqlite3 -csv "file:$trimmed?immutable=1" "
	WITH work(pid, ns) AS (
		SELECT globalPid, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
		SELECT globalPid, end - start FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
		SELECT globalPid, end - start FROM CUPTI_ACTIVITY_KIND_MEMSET)
	SELECT 'python3 ' || (pid / 0x1000000 % 0x1000000), sum(ns) FROM work
	GROUP BY pid ORDER BY 1" | tr -d '\r"' >"$work/theirs"
	answer "SELECT name, gpu_total_ns FROM layers WHERE kind = 'process' ORDER BY name" \
		"$trimmed" | tr -d '"' >"$work/ours"
	diff "$work/theirs" "$work/ours" >&2 || fail "processes among the layers differ"
	[ "$(wc -l <"$work/ours")" = 2 ] || fail "not two processes"
	# Each process is a rank.
	sqlite3 -csv "file:$trimmed?immutable=1" "
	SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY globalPid
	ORDER BY globalPid" | tr -d '\r' >"$work/theirs"
	for rank in 0 1; do
		answer "SELECT count(*), sum(dur_ns) FROM launches
			WHERE kind = 'kernel' AND rank = $rank" "$trimmed"
	done >"$work/ours"
	diff "$work/theirs" "$work/ours" >&2 || fail "kernels of ranks differ"
fi

# Backward kernels with a sequence number show their forward operator.
resnet="$corpus/nsys/gxxxh__ml_predict/resnet.sqlite"
assert_equal 'backward kernels, with forward, shapes' 519,519,519 "$(answer "
	SELECT count(*), count(forward), count(input_shapes)
	FROM launches WHERE pass = 'bwd' AND seq IS NOT NULL" "$resnet")"
assert_equal 'forward operators outside all layers' \
	'aten::_log_softmax,aten::mean,aten::nll_loss_forward' "$(answer "
	SELECT group_concat(forward) FROM (SELECT DISTINCT forward FROM launches
	WHERE pass = 'bwd' AND seq IS NOT NULL AND layer IS NULL ORDER BY forward)" "$resnet" |
	tr -d '"')"
assert_equal 'layers of a convolution' 'conv4_x/Bottleneck_8/Downsample' "$(answer "
	SELECT DISTINCT layer FROM launches WHERE operator = 'aten::convolution_backward'
	AND layer LIKE '%Bottleneck_8/Downsample'" "$resnet")"
