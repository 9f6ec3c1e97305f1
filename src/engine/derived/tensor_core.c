#include "derived/tensor_core.h"

#include "base/any_of.h"
#include "base/text_slice.h"
#include "derived/name_rules.h"

#include <ctype.h>

struct tensor_rules {
	struct name_rules *kernels, *products, *no_products, *no_cores;
};

const char *tensor_use_name(enum tensor_use use)
{
	return use == TENSOR_YES ? "yes" : use == TENSOR_NO ? "no" : NULL;
}

struct tensor_rules *tensor_rules_new(void)
{
	static const char *const uses[] = { "unknown", "no", "yes", NULL };
	static const char *const yes[] = { "yes", NULL };
	struct tensor_rules *rules = mem_zalloc(1, sizeof *rules);
	rules->kernels = name_rules_new("tensor", uses);
	rules->products = name_rules_new("product", yes);
	rules->no_products = name_rules_new("no_product", yes);
	rules->no_cores = name_rules_new("no_cores", yes);
	return rules;
}

FREE_OBJECT(tensor_rules_free, struct tensor_rules,
	    OWN_BY(name_rules_free, kernels) OWN_BY(name_rules_free, products)
		    OWN_BY(name_rules_free, no_products) OWN_BY(name_rules_free, no_cores))

enum tensor_use tensor_use_of_kernel(struct tensor_rules *rules, const char *name, size_t length)
{
	int use = name_rules_first(rules->kernels, name, length);
	return use < 0 ? TENSOR_UNKNOWN : (enum tensor_use)use;
}

/* ---- operators, types, devices ---- */

bool tensor_types_fit(const char *types)
{
	return text_holds_one(types, "half|bfloat16|float8|char") || strstr(types, "\"float\"") ||
	       !text_has_one(types, strlen(types), "\"double\"|\"long|\"int\"|\"bool\"|complex");
}

bool tensor_types_never(const char *types)
{
	const char *at = strchr(types, '"');
	return at && text_choice(at + 1, strcspn(at + 1, "\""),
				 "long int|long|int|short int|short|bool|int64|int32|int16") >= 0;
}

/* Both rules of operators match names of these bytes alone: most others need no expression. */
static bool is_plain_name(const char *name, size_t length)
{
	return !any_of(i, length, !isalnum((unsigned char)name[i]) && !strchr("_:\n", name[i]));
}

bool tensor_operator(struct tensor_rules *rules, const char *name, size_t length)
{
	return is_plain_name(name, length) && name_rules_all(rules->products, name, length);
}

bool tensor_judges_operator(const char *name)
{
	return strncmp(name, "aten::", 6) == 0 || strncmp(name, "autograd::", 10) == 0 ||
	       strstr(name, "Backward") || strncmp(name, "Optimizer.", 10) == 0;
}

bool tensor_never_operator(struct tensor_rules *rules, const char *name, size_t length)
{
	return is_plain_name(name, length) && name_rules_all(rules->no_products, name, length);
}

bool tensor_never_device(struct tensor_rules *rules, const char *name, int64_t major)
{
	enum { TENSOR_MAJOR = 7 }; /* Volta */
	return (major != NO_VALUE && major > 0 && major < TENSOR_MAJOR) ||
	       name_rules_all(rules->no_cores, name, strlen(name));
}
