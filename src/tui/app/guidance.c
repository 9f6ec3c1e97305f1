/*
 * Guidance on mixed precision; a section of the help and of strata-views(7).
 */
#include "tui/app/app.h"
#include "tui/text/text_pane.h"

static const char *const items[][2] = {
	{ "Tensor Cores",
	  "Units for matrix products in FP16, BF16, TF32, FP8 or INT8, many times as fast as FP32: NVIDIA GPUs since Volta; matrix cores of AMD" },
	{ "Mixed precision",
	  "Products and convolutions in 16 bits, weights and sums in FP32; AMP (automatic mixed precision) casts operator by operator" },
	{ "TF32",
	  "Products of FP32 matrices, rounded to 10 bits of mantissa: Ampere and later, without casts in the program" },
	{ "Eligible operators",
	  "Column TC Eligible: matrix products, convolutions, attention and recurrent cells whose types fit; FP64 does not" },
	{ "Shapes",
	  "Multiples of 8 elements in 16 bits, 16 in 8 bits, 4 in TF32: batch, channels, hidden size, vocabulary; else slower kernels run" },
	{ "PyTorch",
	  "torch.autocast(\"cuda\", dtype=torch.bfloat16) around forward pass and loss; with float16 also torch.amp.GradScaler(\"cuda\"), or small gradients vanish" },
	{ "PyTorch, TF32",
	  "torch.set_float32_matmul_precision(\"high\"), or since 2.9 torch.backends.cuda.matmul.fp32_precision = \"tf32\", not both; convolutions use TF32 by default" },
	{ "TensorFlow",
	  "tf.keras.mixed_precision.set_global_policy(\"mixed_bfloat16\"); with \"mixed_float16\" Model.compile scales the loss. TF32 is on by default" },
	{ "JAX",
	  "Compute in jnp.bfloat16 (Flax: dtype=jnp.bfloat16, parameters stay FP32). TF32 is on by default; jax.default_matmul_precision(\"float32\") turns it off" },
	{ "FP8", "Ada, Hopper and later: through Transformer Engine or torchao" },
	{ "Layout",
	  "Convolutions: model and input .to(memory_format=torch.channels_last) avoids conversions" },
	{ "Casts",
	  "Many kernels of aten::to or copy_ between types: keep weights or a whole part in one type" },
	{ "Are they used?",
	  ":view overview (Tensor Core Time), columns TC Self and TC Total of operators, :plot steps tensor-cores, :view dlprof-tensor_core" },
	{ "Who does not?", ":view operators, :filter tc_eligible:yes, and see TC Self" },
	{ "Findings",
	  "tensor_cores, tf32_off, unaligned_gemm, conversions, layouts, gemm_low_efficiency" },
	{ "Then",
	  "With short kernels the CPU or memory is the next limit: see the findings, :plot roofline" },
};

void guidance_add(struct pane *pane)
{
	text_pane_heading(pane, "Mixed precision and Tensor Cores (:help mixed-precision)");
	for (size_t i = 0; i < sizeof items / sizeof *items; i++)
		text_pane_item(pane, items[i][0], items[i][1]);
}

void guidance_list(FILE *out)
{
	for (size_t i = 0; i < sizeof items / sizeof *items; i++)
		fprintf(out, "%s\t%s\n", items[i][0], items[i][1]);
}
