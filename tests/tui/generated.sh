# Generated code of the provenance samples: v on a row of generated shows the lines of Python, the nodes of the graph
# that Inductor fused into the kernel, and its code, beside each other or, on a narrow screen, below.
. "${srcdir:-.}/tests/tui/lib.sh"
need_corpus torch_trace

for sample in "$corpus"/torch_trace/inductor_provenance*; do
	for size in 170x40 80x40; do
		play $size "$sample" <<-END_SCRIPT
			:view generated
			v
			:save-screen code
		END_SCRIPT
		shows code '^ Python'
		shows code 'FX nodes'
		shows code 'Generated code'
		shows code '(activation|aot).py:[0-9]+ in forward'
		shows code '> +[0-9]+ +add_tensor_1: "f32'
		shows code '> +[0-9]+ .*async_compile.triton\(|> +[0-9]+ +triton_poi_fused_addmm_relu_sigmoid_0 ='
	done
	# the part where the cursor is has its name in reverse
	play 170x40 "$sample --theme mono --color always" <<-END_SCRIPT
		:view generated
		v
		:save-screen code.ans
		<Tab>
		:save-screen next.ans
	END_SCRIPT
	assert_line "$work/code.ans" '1mPython.*1mFX nodes.*7mGenerated code'
	assert_line "$work/next.ans" '7mPython.*1mFX nodes.*1mGenerated code'
done
