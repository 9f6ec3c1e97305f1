#include "test.h"

#include "base/any_of.h"
#include "base/buffer.h"
#include "base/demangle.h"
#include "base/text.h"
#include "base/text_slice.h"
#include "input/cuda/cuda_names.h"

#include <stdlib.h>
#include <string.h>

static void check_escape(const char *raw, size_t length, const char *safe)
{
	struct buffer out = { 0 };
	text_escape(&out, raw, length);
	assert_string_equal(buffer_text(&out), safe);
	buffer_free(&out);
}

TEST(escapes_control_characters)
{
	check_escape("plain", 5, "plain");
	check_escape("", 0, "");
	check_escape("a\nb\tc\rd", 7, "a\\nb\\tc\\rd");
	check_escape("\x1b[31m", 5, "\\x1b[31m");
	check_escape("nul\0!", 5, "nul\\x00!");
	check_escape("\x7f", 1, "\\x7f");
	check_escape("\xc2\x85", 2, "\\u0085");
	check_escape("\xe2\x80\xae"
		     "evil",
		     7, "\\u202eevil");
	check_escape("\xef\xbb\xbfx", 4, "\\ufeffx");
	check_escape("\xf3\xa0\x80\xa1", 4, "\\U000e0021");
	check_escape("\xff\xfeok", 4, "\\xff\\xfeok");
	check_escape("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
	check_escape("\xc3\xa9 \xe6\xbc\xa2", 6, "\xc3\xa9 \xe6\xbc\xa2");
	check_escape("cut \xe6\xbc", 6, "cut \\xe6\\xbc");
}

TEST(escaping_is_idempotent)
{
	struct buffer once = { 0 }, twice = { 0 };
	char every[256];
	for (int i = 0; i < 256; i++)
		every[i] = (char)i;
	text_escape(&once, every, sizeof every);
	text_escape(&twice, once.data, once.length);
	assert_string_equal(once.data, twice.data);
	buffer_free(&once);
	buffer_free(&twice);
}

TEST(measures_columns)
{
	assert_int_equal(text_width("abc", 3), 3);
	assert_int_equal(text_width("\xe6\xbc\xa2\xe5\xad\x97", 6), 4);
	assert_int_equal(text_width("e\xcc\x81", 3), 1);
	assert_int_equal(text_point_width(0x1f600), 2);
	assert_int_equal(text_point_width(0xe000), 1);
}

static void check_elide(const char *text, size_t columns, const char *expected)
{
	struct buffer out = { 0 };
	size_t used = text_elide(&out, text, strlen(text), columns, false);
	assert_string_equal(buffer_text(&out), expected);
	assert_int_equal(used, text_width(buffer_text(&out), out.length));
	assert_true(used <= columns);
	buffer_free(&out);
}

TEST(reads_mangled_names)
{
	struct buffer probe = { 0 };
	/* C++20 template parameters, which older demanglers do not know */
	const char *symbol = "_ZN3hip12_GLOBAL__N_13mulI4bf16TnPFT_S2_EXadL_Z4siluEEEEvPS2_";
	check_elide(symbol, 60, "hip::(anonymous namespace)::mul<~>");
	check_elide("_Z3mulI4bf16TnPFT_S1_EXadL_Z4siluEEEEvPS1_", 60, "mul<~>");
	check_elide("_Z999mul", 60, "_Z999mul");
	check_elide("_Z99999999999999999999mul", 60, "_Z99999999999999999999mul");
	check_elide("_Z1\xc3\xa9", 60, "_Z1\xc3\xa9"); /* ends within a character */
	check_elide("_ZN3add1\xc3\xa9", 60, "add");
	check_elide("_Zombie", 60, "_Zombie");
	check_elide("_Z", 60, "_Z");
	if (demangle(&probe, "_ZN5torch3addEv")) {
		check_elide("_ZN5torch3addEv", 60, "torch::add()");
		check_elide("  _ZN5torch3addEv", 60, "  torch::add()");
		check_elide("_ZN5torch3addIfEEvPfi", 12, "add<float>~");
	}
	buffer_clear(&probe);
	/* 16-bit floats */
	if (demangle(&probe, "_ZN5torch3addIDF16_EEvi"))
		check_elide("_ZN5torch3addIDF16_EEvi", 40, "void torch::add<_Float16>(int)");
	buffer_free(&probe);
}

TEST(elides_the_middle)
{
	check_elide("short", 5, "short");
	check_elide("volta_sgemm_128x64_nn", 11, "volta~64_nn");
	check_elide("void at::native::(anonymous namespace)::softmax<float, 4>(float*)", 30,
		    "softmax<float, 4>(float*)");
	check_elide("void (anonymous namespace)::softmax<float, 4>(float*)", 18,
		    "softmax<float, 4>~");
	check_elide("void at::native::softmax<float, 4>(float*)", 19, "softmax<float, 4>~");
	check_elide("void at::native::softmax<float, 4>(float*)", 18, "softmax<float, 4>~");
	check_elide("void at::native::softmax<float, 4>(float*)", 17, "softmax<float, 4~");
	check_elide("void at::native::softmax<float, 4>(float*)", 14, "softmax~");
	check_elide("void at::native::softmax<float, 4>(float*)", 7, "sof~max");
	check_elide("softmax<float, at::Wide<4>, 4>(F<int (*)(int)>)", 24,
		    "softmax<float, Wide<4>,~");
	check_elide("void <unnamed>::pool<int>(int *)", 10, "pool<int>~");
	check_elide("void ck_tile::kentry<ck_tile::gfx950_t, 2, ck_tile::Fmha<ck_tile::Pipe>, "
		    "ck_tile::Arguments>(ck_tile::Arguments)",
		    20, "Fmha<Pipe>");
	check_elide("void rocprim::detail::trampoline_kernel<rocprim::detail::wrapped_scan_config<"
		    "int>, (rocprim::detail::target_arch)950, rocprim::scan_impl<true> >(int*)",
		    40, "trampoline_kern~wrapped_scan_config<int>");
	check_elide("void ck_tile::kentry<2, ck_tile::Fmha>(ck_tile::Arguments) [clone .kd]", 20,
		    "kentry<2, Fmha>~");
	check_elide("void pool(int) [clone .kd]", 14, "pool(int)");
	check_elide("f<4, at::(anonymous namespace)::Add<std::array<char*, 2ul> > >(int)", 32,
		    "f<4, Add<array<char*, 2ul> > >~");
	check_elide("GPU time (100 %)", 10, "GPU t~0 %)");
	check_elide("softmax(float*, int)", 9, "softmax~");
	check_elide("torch::autograd::CppNode<Lookup>", 20, "CppNode<Lookup>");
	check_elide("    void ns::softmax<float>(float*)", 27, "    softmax<float>(float*)");
	check_elide("    abcdef", 3, "   ");
	check_elide("ns::fits(int)", 13, "ns::fits(int)");
	check_elide("## a step (of one) ##", 10, "## a ~) ##");
	check_elide("abcdef", 2, "a~");
	check_elide("abcdef", 1, "~");
	check_elide("abcdef", 0, "");
	/* a wide character that does not fit leaves its column blank */
	check_elide("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 6,
		    "\xe6\xbc\xa2~\xe6\xbc\xa2");
	/* the tail does not start with a combining mark of an omitted character */
	check_elide("abcdefe\xcc\x81g", 4, "ab~g");
}

/* Of "elementwise_kernel<…>" the arguments say what is computed. */
TEST(keeps_the_functor_of_a_kernel)
{
	static const char add[] = "void at::native::vectorized_elementwise_kernel<4, "
				  "at::native::CUDAFunctor_add<float>, Array<char*, 3> >(int)";
	check_elide(add, 200, add);
	check_elide(add, 74, "vectorized_elementwise_kernel~CUDAFunctor_add<float>");
	check_elide(add, 75,
		    "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, Array<char*, 3> >~");
	check_elide(add, 40, "vectorized_elemen~CUDAFunctor_add<float>");
	check_elide(add, 31, "vectoriz~CUDAFunctor_add<float>");
	check_elide(add, 30, "vectorized_ele~CUDAFunctor_add");
	check_elide(add, 20, "vect~CUDAFunctor_add");
	check_elide(add, 19, "CUDAFunctor_add");
	check_elide(add, 15, "CUDAFunctor_add");
	check_elide(add, 14, "CUDAFun~or_add");
	check_elide(add, 1, "~");
	check_elide(
		"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
		"at::native::BinaryFunctor<float, float, float, "
		"at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, "
		"int const&)::{lambda(int)#1}>(int)",
		36, "elementwise_kernel~MulFunctor<float>");
	check_elide("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
		    "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, "
		    "float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned "
		    "int, float, 4> >(int)",
		    41, "reduce_k~sum_functor<float, float, float>");
	check_elide("void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
		    "namespace)::clamp_kernel(at::TensorIterator&, "
		    "c10::Scalar)::{lambda()#1}::operator()() const::{lambda(float)#1}, "
		    "std::array<char*, 2ul> >(int)",
		    30, "vectorized_elemen~clamp_kernel");
	check_elide(
		"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float, 4>>()",
		30, "multi_te~AdamFunctor<float, 4>");
	check_elide("vectorized_elementwise_kernel<4, unnamed>::silu_kernel(TensorIteratorBase "
		    "&)::[lambda() (instance 1)], std::array<char *, 2>>(int, T2, T3)",
		    30, "vectorized_element~silu_kernel");
	/* without one, and of other kernels, as of any signature */
	check_elide("void at::native::elementwise_kernel_manual_unroll<128, 8, at::native::"
		    "gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >(int)>(int)",
		    50, "elementwise_kernel_manual_u~CUDAFunctor_add<float>");
	check_elide(
		"void at::native::elementwise_kernel<(int)128, void at::native::gpu_kernel_impl<"
		"at::native::BUnaryFunctor<c10::Half, at::MulFunctor<float>>>(int)>(int, T3)",
		40, "elementwise_kernel~MulFunctor<float>");
	check_elide("void splitKreduce_kernel<32, float, true, false>(int)", 40,
		    "splitKreduce_kernel<32, float, true, fa~");
	check_elide("void reduce_kernel<512, 1, float>(int)", 24, "reduce_kernel<512, 1, f~");
	check_elide("void softmax_forward<Functor<float>, 12345678>(int)", 28,
		    "softmax_forward<Functor<flo~");
	check_elide("void reduce_kernel<(int)", 20, "reduce_kernel<(int)");
	check_elide("reduce_kernel,a_functor_of_so_many_letters_that_they_double_what_is_kept<1>",
		    72, "reduce_kernel,a_functor_of_so_many_l~tters_that_they_double_what_is_kept");
	check_elide("void cutlass::Kernel2<cutlass_tensorop_>(int)", 16, "cutlass_~nsorop_");
	check_elide("void reduce_kernel<512, Mean<(int)", 16, "reduce_ker~Mean<");
}

TEST(keeps_file_and_line_of_a_place)
{
	static const char place[] = "vllm/model/parameter.py(122): __torch_function__";
	check_elide(place, 48, place);
	check_elide(place, 47, "model/parameter.py(122): __torch_function__");
	check_elide(place, 42, "parameter.py(122): __torch_function__");
	check_elide(place, 36, "parameter.py(122): __torch_~nction__");
	check_elide(place, 23, "parameter.py(122): __~_");
	check_elide(place, 22, "parameter.py(122)~");
	check_elide(place, 18, "parameter.py(122)~");
	check_elide(place, 17, "parameter.p~(122)");
	check_elide(place, 10, "para~(122)");
	check_elide(place, 9, "para~122)");
	check_elide(place, 1, "~");
	check_elide("/home/me/src/model.py:7 forward", 30, "model.py:7 forward");
	check_elide("/home/me/src/model.py:7", 15, "model.py:7");
	check_elide("/home/me/src/model.py", 11, "/home~el.py");
	check_elide("train.py(12): <module>", 13, "train.py(12)~");
	check_elide("  a/b/train.py(12): f", 17, "  train.py(12): f");
	check_elide("a/b.py(1): f;a/b.py(2): g", 15, "a/b.py(~y(2): g");
	check_elide("a/b.py(1): f;at::mm(int)", 15, "a/b.py(~mm(int)");
	check_elide("a/b.py(1): f < b.py(2): g", 15, "a/b.py(~y(2): g");
	check_elide("f(int): softmax of a", 8, "f(in~f a");
}

/* "Kernel2" and "kernel" are many kernels' names. */
TEST(leaves_out_names_that_say_nothing)
{
	const char *product =
		"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_32x6_tn_align4>(P)";
	check_elide(product, 61, "Kernel2<cutlass_80_tensorop_s1688gemm_64x64_32x6_tn_align4>~");
	check_elide(product, 50, "cutlass_80_tensorop_s1688gemm_64x64_32x6_tn_align4");
	check_elide(product, 49, "s1688gemm_64x64_32x6_tn_align4");
	check_elide(product, 20, "s1688gemm_~tn_align4");
	check_elide("void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::"
		    "Mainloop<2>>>>(P)",
		    30, "FlashAttnFwdSm90<Mainloop<2>>");
	check_elide("std::enable_if<true, void>::type internal::gemvx::kernel<int, __half>(P)", 22,
		    "gemvx::kernel<int, __~");
	check_elide("std::enable_if<!(false), void>::type f<int, float>(int, int, int)", 15,
		    "f<int, float>~");
	check_elide("void kernel<int, __half, __half>(P)", 22, "kernel<int, __half, _~");
}

/* Of the frames of a stack the functions say most. */
TEST(stacks_are_elided_by_folders_first)
{
	static const char stack[] = "/lib/py/threading.py(10): run;main;/lib/py/pool.py(5): join";
	check_elide(stack, 59, stack);
	check_elide(stack, 58, "threading.py(10): run;main;pool.py(5): join");
	check_elide(stack, 30, "threading.py(10~ol.py(5): join");
	check_elide("(1/2);a/b.cc;f", 10, "(1/2)~cc;f");
}

/* Of a sentence the beginning says most. */
TEST(sentences_are_cut_at_their_end)
{
	static const char sentence[] = "its GPU idles 1.17 ms longer";
	static const struct {
		size_t columns;
		const char *kept;
	} cuts[] = { { 28, sentence },
		     { 27, "its GPU idles 1.17 ms long…" },
		     { 4, "its…" },
		     { 1, "…" },
		     { 0, "" } };
	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
		struct buffer out = { 0 };
		size_t used = text_cut(&out, sentence, strlen(sentence), cuts[i].columns, true);
		assert_string_equal(buffer_text(&out), cuts[i].kept);
		assert_int_equal(used, cuts[i].columns);
		buffer_free(&out);
	}
}

/* The library is in every name of a collective, the operation in none but its own. */
TEST(nccl_kernels_keep_their_operation)
{
	static const char nccl[] = "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)";
	check_elide(nccl, 44, "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t~");
	check_elide(nccl, 42, "SendRecv_RING_SIMPLE_Sum_int8_t~");
	check_elide(nccl, 12, "SendRecv_RI~");
	check_elide("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, "AllReduce_Sum_f32_R~");
}

TEST(keeps_the_tile_of_a_kernel)
{
	static const char kernel[] = "Cijk_Alik_Bljk_F8HS_BH_MT256x224x128_MI16x16x1_SN_WG32_8_1";
	check_elide(kernel, sizeof kernel - 1, kernel);
	check_elide(kernel, sizeof kernel - 2,
		    "Cijk_Alik_Bljk_F8HS_B~MT256x224x128~MI16x16x1_SN_WG32_8_1");
	check_elide(kernel, 40, "Cijk_Alik_Blj~MT256x224x128~_SN_WG32_8_1");
	check_elide(kernel, 20, "Cijk_~MT256x224x128~");
	check_elide(kernel, 18, "Cijk_Alik~WG32_8_1");
	static const char xmma[] = "sm80_xmma_wgrad_implicit_gemm_f16f16_tilesize128x64x32_stage4_"
				   "warpsize2x2x1_g1_kernel_cudnn";
	check_elide(xmma, 50, "sm80_xmma_wgrad_impl~128x64x32~2x1_g1_kernel_cudnn");
	check_elide(xmma, 33, "sm80_xmma_wgrad~128x64x32~l_cudnn");
	check_elide(xmma, 26, "sm80_xmma_wgrad~128x64x32~");
	check_elide(xmma, 25, "xmma_wgrad_imp~128x64x32~");
	check_elide(xmma, 21, "xmma_wgrad~128x64x32~");
	check_elide(xmma, 20, "sm80_xmma_~nel_cudnn");
	check_elide("sm100_xmma_fprop_implicit_gemm_tilesize64x64x64_stage4", 22,
		    "xmma_fprop_i~64x64x64~");
	check_elide("Cijk_Ailk_MT64x64x8", 18, "Cijk_Ai~MT64x64x8");
	check_elide("Cijk_Ailk_Bjlk_SB_WG16_16_1", 18, "Cijk_Ailk~G16_16_1");
	check_elide("Cijk_\xe6\xbc\xa2\xe5\xad\x97_MT64x64x8_WG16_16_1", 16,
		    "Cijk_\xe6\xbc\xa2~G16_16_1");
}

TEST(keeps_file_and_function_of_pstats)
{
	static const char place[] = "C:\\Users\\Ann Lee\\lib\\gen_ops.py:30(_assert)";
	check_elide(place, 40, "Users\\Ann Lee\\lib\\gen_ops.py:30(_assert)");
	check_elide(place, 30, "lib\\gen_ops.py:30(_assert)");
	check_elide(place, 22, "gen_ops.py:30(_assert)");
	check_elide(place, 15, "gen_ops~assert)");
	check_elide("/a/b/x.py:1(<lambda>)", 16, "x.py:1(<lambda>)");
	check_elide("~:0(<built-in f>)", 11, "~:0(<~n f>)");
}

TEST(keeps_the_name_of_a_method)
{
	static const char method[] = "<built-in method items of dict object at 0x7860f04d19c0>";
	check_elide(method, 56, method);
	check_elide(method, 55, "<built-in items of dict>");
	check_elide(method, 24, "<built-in items of dict>");
	check_elide(method, 23, "<built-in items>");
	check_elide(method, 16, "<built-in items>");
	check_elide(method, 15, "<items>");
	check_elide(method, 6, "<it~s>");
	check_elide("<method 'run_backward' of '_EngineBase' objects>", 46,
		    "<method run_backward of _EngineBase>");
	check_elide("<method 'run_backward' of '_EngineBase' objects>", 35,
		    "<method run_backward>");
	check_elide("<method 'run_backward' of '_EngineBase' objects>", 20, "<run_backward>");
	check_elide("<method '' of '_EngineBase' objects>", 10, "<meth~cts>");
	check_elide("<built-in method torch.conv2d>", 29, "<built-in torch.conv2d>");
	check_elide("<built-in method torch.conv2d>", 20, "<torch.conv2d>");
	check_elide("<built-in method items of dict>", 30, "<built-in items of dict>");
	check_elide("<built-in method items of >", 20, "<built-in ~tems of >");
	check_elide("<built-in method abcdefg>", 20, "<built-in abcdefg>");
	check_elide("<built-in method object at 0x7f>", 20, "<built-in ~ at 0x7f>");
	check_elide("<built-in_method_object_at_0x7f>", 20, "<built-in_~_at_0x7f>");
	check_elide("<built-in_method_conv2d_of_type_object_at_0x7f9e8897a760>", 26,
		    "<built-in conv2d of type>");
	check_elide("<built-in_method_conv2d_of_type_object_at_0x7f9e8897a760>", 12, "<conv2d>");
	check_elide("<built-in_method_conv2d>", 20, "<built-in conv2d>");
	/* several frames are no method */
	check_elide("<built-in method mm of type> < a.py(1): <module>", 48,
		    "<built-in method mm of type> < a.py(1): <module>");
	check_elide("<built-in method mm of type> < a.py(1): <module>", 40,
		    "<built-in method mm of type> < a.py(1)~");
}

static void check_address(const char *text, const char *before)
{
	size_t start = 0;
	bool found = text_address(text, strlen(text), &start);
	assert_int_equal(found, before != NULL);
	if (found) {
		assert_int_equal(start, strlen(before));
		assert_memory_equal(text, before, start);
	}
}

TEST(finds_addresses_of_objects)
{
	check_address("<built-in method items of dict object at 0x7860f04d19c0>",
		      "<built-in method items of dict");
	check_address("<f object at 0x0>", "<f");
	check_address("<f object at 0x7g>", NULL);
	check_address("<f object at 0x7", NULL);
	check_address("<f object at 0x7 or so>", NULL);
	check_address("<f>", NULL);
	check_address("", NULL);
}

TEST(decodes_and_encodes)
{
	for (uint32_t point = 1; point < 0x110000; point += 97) {
		if (point >= 0xd800 && point < 0xe000)
			continue;
		char bytes[4];
		int32_t back;
		size_t length = text_encode(point, bytes);
		assert_int_equal(text_decode(bytes, length, &back), length);
		assert_int_equal(back, point);
	}
	int32_t point;
	assert_int_equal(text_decode("\xc0\x80", 2, &point), 1);
	assert_int_equal(point, -1);
}

TEST(ends_of_paths)
{
	static const struct {
		const char *text;
		size_t parts;
		const char *end;
	} cases[] = {
		{ "/a/b/c.py(1): f/g", 1, "c.py(1): f/g" },
		{ "/a/b/c.py:7 f", 2, "b/c.py:7 f" },
		{ "/a/b/c.py", 3, "a/b/c.py" },
		{ "/a/b/c.py", 4, "/a/b/c.py" },
		{ "a/b/c.py", 1, "a/b/c.py" },
		{ "/", 1, "" },
		{ "", 1, "" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(cases[i].text + text_path_end(cases[i].text,
								  strlen(cases[i].text),
								  cases[i].parts),
				    cases[i].end);
	assert_int_equal(text_folders("/a/b/c.py(1): f", 15), 5);
	assert_int_equal(text_folders("/a/b/c.py:7", 11), 5);
	assert_int_equal(text_folders("/conv1/Conv + /relu/Relu", 24), 0);
	assert_int_equal(text_folders("/conv1/Conv (fused)", 19), 0);
	assert_int_equal(text_folders("a/b/c.py:7", 10), 0);
	assert_int_equal(text_folders("/a/b/c.py:", 10), 0);
}

/* Lines of COLUMNS bytes; LINES: with a bar behind each. */
static void check_wrap(const char *text, size_t columns, bool whole, const char *lines)
{
	char out[256] = "";
	for (const char *at = text; *at;) {
		size_t length = strlen(at);
		size_t line = text_wrap(at, length, columns < length ? columns : length, whole);
		assert_in_range(line, 1, length);
		strncat(out, at, line);
		strcat(out, "|");
		at += line;
	}
	assert_string_equal(out, lines);
}

TEST(wraps_at_blanks)
{
	check_wrap("", 4, false, "");
	check_wrap("one two", 7, false, "one two|");
	check_wrap("one two", 6, false, "one |two|");
	check_wrap("one two", 3, false, "one |two|");
	check_wrap("one  two", 3, false, "one  |two|");
	/* a number keeps its unit, but not any word */
	check_wrap("in all 12.5 % of it", 11, false, "in all |12.5 % of |it|");
	check_wrap("in 153 calls", 8, false, "in 153 |calls|");
	check_wrap("12.5 %", 4, false, "12.5| %|");
	check_wrap("12.5 %", 4, true, "12.5 %|");
	/* a word longer than a line */
	check_wrap("short", 4, false, "shor|t|");
	check_wrap("short as", 4, false, "shor|t as|");
	check_wrap("a /long/path/to", 6, false, "a /lon|g/path|/to|");
	check_wrap("four /long/path/to", 6, false, "four |/long/|path/t|o|");
	check_wrap("a /long/path/to b", 6, true, "a |/long/path/to |b|");
	check_wrap("/long/path/to b", 0, true, "/long/path/to |b|");
}

/* What names of kernels and places are made of, and what breaks their syntax. */
static const char *const pieces[] = {
	"void ",
	"at::",
	"::",
	":",
	"<",
	">",
	"(",
	")",
	",",
	", ",
	" ",
	"_",
	"1",
	"64",
	"kernel",
	"kernel<",
	"Kernel2<",
	"kentry<",
	"reduce_kernel",
	"elementwise_kernel<",
	"ReduceOp<",
	"Functor",
	"a_functor_of_many_letters_",
	"std::enable_if<",
	"::type ",
	"(anonymous namespace)::",
	"unnamed>::",
	"tensorop_",
	"sm80_",
	"_tilesize",
	"Cijk_",
	"_MT",
	" [clone ",
	"]",
	"_Z",
	"_ZN",
	"3add",
	"2a",
	"1\xc3\xa9",
	"IfE",
	"Ev",
	"/a/b.py",
	"(12): ",
	":7",
	" < ",
	";",
	"<built-in method ",
	"<built-in_method_",
	"<method '",
	"' of '",
	"' objects>",
	" of ",
	"object at 0x",
	" object at 0x7f>",
	"_object_at_0x",
	"\xe2\x80\xa6",
	"\xe6\xbc\xa2",
	"e\xcc\x81",
	"\xff",
	"\xc3",
	"\xa9",
};

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

static void check_elided(const char *text, size_t length, size_t columns, bool unicode)
{
	struct buffer out = { 0 }, again = { 0 }, safe = { 0 };
	size_t used = text_elide(&out, text, length, columns, unicode);
	text_elide(&again, text, length, columns, unicode);
	text_escape(&safe, buffer_text(&out), out.length);
	bool same = !strcmp(buffer_text(&out), buffer_text(&again));
	bool valid = !strcmp(buffer_text(&out), buffer_text(&safe));
	bool lost = length && columns && !out.length;
	if (used > columns || used != text_width(buffer_text(&out), out.length) || !same ||
	    !valid || lost)
		fail_msg("\"%.*s\" in %zu columns: \"%s\" (%zu columns)", (int)length, text,
			 columns, buffer_text(&out), used);
	buffer_free(&out);
	buffer_free(&again);
	buffer_free(&safe);
}

TEST(elides_every_name)
{
	enum {
		NAMES = 10000,
		COUNT = sizeof pieces / sizeof *pieces,
		PIECES_MAX = 16,
		COLUMNS_MAX = 60
	};
	static const char *const ends[] = { "", ">", ")", ">(int)" }; /* signatures end so */
	uint64_t chance = 1;
	for (int i = 0; i < NAMES; i++) {
		struct buffer raw = { 0 }, safe = { 0 };
		for (uint64_t left = draw(&chance) % PIECES_MAX; left > 0; left--)
			buffer_puts(&raw, pieces[draw(&chance) % COUNT]);
		buffer_puts(&raw, ends[draw(&chance) % (sizeof ends / sizeof *ends)]);
		text_escape(&safe, buffer_text(&raw), raw.length);
		/* without a terminator, so that sanitizers see what reads too far */
		char *text = malloc(safe.length + !safe.length);
		assert_non_null(text);
		memcpy(text, buffer_text(&safe), safe.length);
		for (size_t columns = 0; columns <= COLUMNS_MAX; columns++)
			check_elided(text, safe.length, columns, i % 2);
		free(text);
		buffer_free(&raw);
		buffer_free(&safe);
	}
}

/* TEXT in COLUMNS, beside OTHER, which would read alike. */
static void expect_apart(const char *wanted, const char *text, const char *other, size_t columns)
{
	struct buffer out = { 0 }, plain = { 0 };
	assert_true(
		text_elide_apart(&out, text, strlen(text), other, strlen(other), columns, false));
	assert_string_equal(buffer_text(&out), wanted);
	assert_in_range(text_width(buffer_text(&out), out.length), 1, columns);
	text_elide(&plain, other, strlen(other), columns, false);
	assert_string_not_equal(buffer_text(&out), buffer_text(&plain));
	buffer_free(&out);
	buffer_free(&plain);
}

TEST(keeps_what_differs)
{
	static const char f[] = "elementwise_kernel<128, 4, gpu_kernel_impl<MulFunctor<float>>>",
			  g[] = "elementwise_kernel<128, 2, gpu_kernel_impl<MulFunctor<float>>>",
			  five[] = "sgemm_with_sums<float, float, 1024, 5, 5, 3, 3, 3, 1>",
			  seven[] = "sgemm_with_sums<float, float, 128, 6, 7, 3, 3, 3, 1>";
	struct buffer out = { 0 };

	expect_apart("elementwise~4~MulFunctor<float>", f, g, 31);
	expect_apart("elementwise~2~MulFunctor<float>", g, f, 31);
	expect_apart("sgemm_with_~1024, 5, 5~", five, seven, 23);
	expect_apart("sgemm_with_~128, 6, 7,~", seven, five, 23);
	/* the same, short enough, different as they are, and too little room */
	assert_false(text_elide_apart(&out, f, strlen(f), f, strlen(f), 31, false));
	assert_false(text_elide_apart(&out, f, strlen(f), g, strlen(g), 100, false));
	assert_false(text_elide_apart(&out, f, strlen(f), five, strlen(five), 31, false));
	assert_false(text_elide_apart(&out, f, strlen(f), g, strlen(g), 8, false));
	assert_int_equal(out.length, 0);
}

TEST(finds_one_of_several_words)
{
	static const char words[] = "open|openat|o";
	assert_int_equal(text_choice("openat", 6, words), 1);
	assert_int_equal(text_choice("openat", 4, words), 0);
	assert_int_equal(text_choice("opens", 5, words), -1);
	assert_int_equal(text_choice("", 0, words), -1);
	assert_int_equal(text_start("openat(2)", SIZE_MAX, words), 4);
	assert_int_equal(text_start("op", SIZE_MAX, words), 1);
	assert_int_equal(text_start("open", 3, "open|x"), 0);
	assert_int_equal(text_start("", SIZE_MAX, words), 0);
	assert_int_equal(text_end("read64", 6, "64|_unlocked"), 2);
	assert_int_equal(text_end("read64", 5, "64|_unlocked"), 0);
	assert_int_equal(text_end("4", 1, "64|_unlocked"), 0);
	assert_true(text_has_one("a.lib\\b", 7, "site|lib\\"));
	assert_false(text_has_one("a.lib\\b", 5, "site|lib\\"));
	assert_true(text_holds_one("my_Paged_KV", "flash|paged"));
	assert_false(text_holds_one("pag", "flash|paged"));
	assert_false(text_begins_one(NULL, words));
}

TEST(finds_the_first_element)
{
	const struct {
		int key, value;
	} items[] = { { 1, 10 }, { 2, 20 }, { 2, 30 } };
	assert_ptr_equal(first_of(at, items, 3, at->key == 2), &items[1]);
	assert_null(first_of(at, items, 1, at->key == 2));
	assert_null(first_of(at, items, 0, true));
}

TEST(finds_the_direction_of_a_copy)
{
	static const char *const texts[][2] = {
		{ "HtoD", "[CUDA memcpy Host-to-Device]" },
		{ "DtoH", "DEVICE_TO_HOST" },
		{ "DtoD", "MemcpyD2D" },
		{ "HtoH", "HostToHost" },
		{ "PtoP", "[CUDA memcpy PtoP]" },
		{ NULL, "Copy_pad2d" },
		{ NULL, "" },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *direction = cuda_copy_direction(texts[i][1]);
		assert_int_equal(direction != NULL, texts[i][0] != NULL);
		if (direction)
			assert_string_equal(direction, texts[i][0]);
	}
}
