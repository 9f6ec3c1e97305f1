/*
 * Calls and the models of their operators (work_models.txt).
 */
#include "analysis/work/work_private.h"
#include "base/data_table.h"

#include <math.h>

#define WORK_MAX 1e24 /* limit: FLOPs or bytes of a call: a day of the largest machine */

/* ---- the table ---- */

/* The formulas of work_private.h: F(name) for each. */
/* clang-format off */
#define FORMULAS(F)                                                                          \
	F(product) F(grouped) F(matmul) F(linear) F(scaled) F(gemm_into) F(moe) F(attention) \
	F(conv) F(conv_transpose) F(conv_backward) F(conv_part)                              \
	F(elements) F(softmax) F(list) F(fused_step) F(reduction) F(copy) F(fill)            \
	F(norm) F(norm_backward) F(by_roles) F(rotary) F(store_cache)                        \
	F(pool) F(pool_backward) F(adaptive_pool) F(resize) F(resize_backward)               \
	F(embedding) F(embedding_backward) F(index_select) F(gather) F(scatter) F(join)      \
	F(class_loss) F(class_loss_backward) F(cross_entropy) F(loss) F(recurrent)
/* clang-format on */

#define NAME_OF(formula) #formula,
static const char *const formula_names[] = { FORMULAS(NAME_OF) NULL };
#define COUNTER_OF(formula) work_##formula,
static model_counter *const counters[] = { FORMULAS(COUNTER_OF) };

static const char *const results[] = {
	"promoted", "real", "long", "bool", "first", "masked", NULL
};

static const struct model *find_model(const char *name)
{
	const struct model *model =
		DATA_ROWS("work_models.txt", struct model, WORK_MODEL_FIELD_ROWS);
	while (model->names && !text_is_listed(model->names, name))
		model++;
	return model->names ? model : NULL;
}

/* Damaged shapes must not drown the sums. */
static double plausible(double amount)
{
	return amount >= 0 && amount < WORK_MAX ? amount : NAN;
}

bool work_of_call(const struct work_call *call, struct work *work)
{
	struct arguments arguments = { 0 };
	const char *name = work_plain_name(call->name);
	const struct model *model = *name ? find_model(name) : NULL;
	if (!model || !call->shapes || !*call->shapes || (call->backward && !model->backward))
		return false;
	arguments.arena = arena_new();
	work_read_arguments(&arguments, call, model->inputs);
	bool known = counters[model->formula](&arguments, model, work);
	arena_free(arguments.arena);
	if (!known)
		return false;
	work->flops = plausible(call->backward ? work->flops * model->backward : work->flops);
	work->bytes = plausible(call->backward ? work->bytes * model->backward : work->bytes);
	return !isnan(work->flops) || !isnan(work->bytes);
}
