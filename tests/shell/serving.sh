# Phases and tokens of real servers are those that their annotations, read with other means, tell.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
need_corpus kineto/tracelens

# Of the names on standard input: phase, requests, tokens in, tokens out, tokens of context.
told()
{
	awk '
	function number(key,  at) { at = match($0, "[^a-z_]" key "[0-9]+"); return at ? substr($0, at + 1 + length(key)) + 0 : -1 }
	/^step\[DECODE/ { bs = $0; sub(/.*bs=/, "", bs); print "decode", bs + 0, 0, bs + 0, "-" ; next }
	/generation/ {
		split($0, half, "_generation_")
		prompts = half[1]; sub(/.*context_/, "", prompts); next_tokens = half[2]
		first = prompts; sub(/[^(]*\((sq)?/, "", first); rest = next_tokens; sub(/[^(]*\((sq)?/, "", rest)
		context = "-"
		if (prompts ~ /sk/) {
			one = prompts; sub(/[^(]*\(sq[0-9]*sk/, "", one); two = next_tokens; sub(/[^(]*\(sq[0-9]*sk/, "", two)
			context = one + two
		}
		phase = prompts + 0 && next_tokens + 0 ? "mixed" : prompts + 0 ? "prefill" : "decode"
		print phase, prompts + next_tokens, first + 0, rest + 0, context
	}'
}

for trace in b200/eager_trace inference/vllm_decode_full/graph_execution \
	inference/sglang_decode/sglang_Qwen3-8B_decode; do
	path=$corpus/kineto/tracelens/$trace.json.gz
	[ -e "$path" ] || skip "no ${trace##*/} here"
	gunzip -c "$path" | grep -ao '"execute_[0-9_a-z()]*"' | tr -d '"' | sort -u | told >"$work/told"
	strata report steps -q -f csv -c phase,requests,tokens_in,tokens_out,context_tokens "$path" |
		sed 1d | tr -d '\r' | tr ',' ' ' | sed 's/ $/ -/' | sort -u >"$work/found"
	assert_equal "batches of ${trace##*/}" "$(cat "$work/told")" "$(cat "$work/found")"
	for view in kernels:total_ns gaps:dur_ns steps:dur_ns; do
		column=${view#*:} view=${view%:*}
		whole=$(strata query "select sum($column) from $view" -q -f csv "$path" | sed 1d)
		parts=$(strata query "select sum($column) from $view where group_by = 'phase'" -q -f csv "$path" | sed 1d)
		assert_equal "$view of ${trace##*/} by phase" "$whole" "$parts"
	done
	decode=$(strata query "select sum(total_ns) from kernels where phase = 'decode'" -q -f csv "$path" | sed 1d)
	scope=$(strata query "select sum(total_ns) from kernels" --phase decode -q -f csv "$path" | sed 1d)
	assert_equal "kernels in decode of ${trace##*/}" "$scope" "$decode"
done
path=$corpus/kineto/tracelens/inference/xdit_flux.1_aiter_sage/profile_trace_rank_0.json.gz
assert_equal "images of xDiT" 1 "$(strata report steps -q -f csv -c requests "$path" | sed 1d | tr -d '\r')"

# What a decode step reads at least: the operands of its products, which the capture of its graph
# tells, and so the time of the memory (MI300X: 5.3 TB/s); the time of a token.
path=$corpus/kineto/tracelens/inference/sglang_decode
if [ -d "$path" ]; then
	right=$(strata report launches -q -f csv -c kind,operator,name,input_shapes "$path" | grep -E '^kernel,aten::(mm|addmm),Cijk' |
		tr -d '"[]\r' | awk -F, '
		{ m = $(NF - 3); k = $(NF - 2); n = $NF; sum += 2 * (m * k + k * n + m * n) }
		END { printf "%.0f %d\n", sum, sum / 5.3e3 }')
	found=$(strata report steps -g phase -q -f csv -c bytes,bound_ns "$path" | sed '1d;s/\r//;s/,/ /')
	assert_equal "bytes of products, and their time" "$right" "$found"
	assert_equal "time of a token" "$(strata query "select sum(dur_ns) / 32 from steps" -q -f csv "$path" | sed 1d)" \
		"$(strata report steps -q -f csv -c token_ns "$path" | sed 1d)"
fi

# Where names do not tell phases, the work does: the same traces with other names.
for trace in b200/eager_trace:prefill inference/vllm_decode_full/graph_execution:decode \
	inference/sglang_decode/sglang_Qwen3-8B_decode:decode; do
	phase=${trace#*:} trace=${trace%:*}
	gunzip -c "$corpus/kineto/tracelens/$trace.json.gz" |
		sed -E 's/"(execute_[^"]*|step\[[^"]*)"/"ProfilerStep#1"/g' >"$work/unnamed.json"
	assert_equal "phase of ${trace##*/} without names" "$phase" \
		"$(strata report steps -q -f csv -c phase "$work/unnamed.json" | sed '1d;s/\r//' | grep .)"
	strata report steps "$work/unnamed.json" 2>&1 | grep -q inferred || fail "not marked as inferred"
done

# Servers get no advice about training.
for trace in b200/eager_trace inference/vllm_decode_full/graph_execution \
	inference/sglang_decode/sglang_Qwen3-8B_decode; do
	strata report advice -q -g all -f csv "$corpus/kineto/tracelens/$trace.json.gz" >"$work/advice"
	grep -E '^(high|medium|low|headline)' "$work/advice" >"$work/fired" || :
	! grep -Ei 'raise the batch|larger batch|DataLoader|fused=True|no_sync' "$work/fired" ||
		fail "advice about training for ${trace##*/}"
done

# An all-reduce before each norm but the first, with a copy of its result between: the same work as decode.
gunzip -c "$corpus/kineto/tracelens/b200/eager_trace.json.gz" |
	sed 's/"execute_context_1(888_788544)_generation_0(0)"/"execute_context_0(0)_generation_1(1)"/' >"$work/decode.json"
assert_equal "all-reduces before norms" "Of 73 all-reduces in a decode step 72 are short" \
	"$(strata report advice -q -g all -f csv -c detector,evidence "$work/decode.json" |
		sed -n 's/^decode_all_reduce,"*\(Of [^,]*short\).*/\1/p')"
for trace in b200/eager_trace inference/vllm_decode_full/graph_execution inference/sglang_decode/sglang_Qwen3-8B_decode; do
	assert_equal "no other all-reduces to fuse in ${trace##*/}" "decode_all_reduce,silent" \
		"$(strata report advice -q -g all -f csv -c detector,severity "$corpus/kineto/tracelens/$trace.json.gz" |
			tr -d '\r' | grep decode_all_reduce)"
done

# The first screen of a server names the time of a decode step, and the host gap with its cause.
path=$corpus/kineto/tracelens/inference/vllm_decode_full/graph_execution.json.gz
strata report dashboard -q "$path" >"$work/dashboard"
step=$(strata report steps -g phase -q -f table -c phase,avg_ns "$path" | sed -n 's/^decode *//p' | head -1)
grep -F "$step" "$work/dashboard" | grep -q '^ decode ' || fail "no time of a decode step: $step"
cause=$(strata report gaps -g phase -q -f csv -c phase,cause "$path" | sed -n '2{s/\r//;s/decode,//p;}')
grep -q "decode: $cause " "$work/dashboard" || fail "no cause of the host gap: $cause"
