/*
 * Recorded arguments of a call: shapes, types and values.
 */
#include "analysis/work/work_private.h"
#include "base/any_of.h"

#include <math.h>
#include <stdlib.h>

/* ---- types ---- */

/* c10::ScalarType, whose numbers are recorded for arguments of type torch.dtype. */
enum { NO_NUMBER = -1 };

static const struct work_arguments_type {
	const char *name;
	int size;
	enum type_class class;
	int number;
	bool pyprof; /* a spelling of PyProf and of torch.dtype, not of Kineto */
} types[] = { NUMBER_TYPES_ROWS };

static const struct work_arguments_type *find_type(const char *name)
{
	return first_of(at, types, sizeof types / sizeof *types, strcmp(at->name, name) == 0);
}

/* Bytes per element of a type; 0 when unknown. */
static int work_type_size(const char *type)
{
	const struct work_arguments_type *found = find_type(type);
	return found ? found->size : 0;
}

/*
 * Size of the elements that a kernel over a list handles: the first template argument after the
 * kernel's or the functor's name, as in "CatArrayBatchedCopy<c10::Half, …>",
 * "multi_tensor_apply_kernel<…, AddFunctor<float, 2>, …>". NaN: unknown.
 */
static double kernel_type_size(const char *kernel)
{
	static const char *const before[] = { "CatArrayBatchedCopy", "Functor<" };
	static const char opaque[] = "OpaqueType<";
	const char *at = NULL;
	char name[32] = "";
	for (size_t i = 0; i < sizeof before / sizeof *before && kernel && !at; i++)
		at = strstr(kernel, before[i]);
	at = at ? strchr(at, '<') : NULL;
	if (!at)
		return NAN;
	size_t length = strcspn(++at, ",>");
	const char *type = strstr(at, opaque);
	if (type && type < at + length) { /* a type of that many bytes, for moving only */
		int bytes = atoi(type + sizeof opaque - 1);
		return bytes > 0 ? bytes : NAN;
	}
	if (length < sizeof name)
		memcpy(name, at, length);
	int size = work_type_size(name);
	return size ? size : NAN;
}

double work_dtype_size(const struct arguments *arguments, size_t at, double otherwise)
{
	double number;
	if (!work_concrete_int(arguments, at, 0, &number))
		return otherwise;
	return looked_up(type, types, number >= 0 && type->number == number, type->size, NAN);
}

/* ---- arguments ---- */

static const struct literal *parse(struct arena *arena, const char *text)
{
	return text && *text ? literal_parse(arena, text, strlen(text)) : NULL;
}

/* A shape, or a list of shapes, whose elements are added. */
static void read_shape(struct operand *operand, const struct literal *shape)
{
	double count = 1, nested = 0;
	bool list = shape->count && literal_is_sequence(literal_item(shape, 0));
	for (size_t i = 0; i < shape->count; i++) {
		const struct literal *item = literal_item(shape, i);
		int64_t dim;
		if (list && literal_is_sequence(item)) {
			struct operand inner = { 0 };
			read_shape(&inner, item);
			nested += inner.count;
		} else if (literal_int(item, &dim) && dim >= 0) {
			count *= (double)dim;
			if (operand->dims < DIMS_MAX)
				operand->dim[operand->dims++] = (double)dim;
		}
	}
	operand->count = list ? nested : count;
	operand->there = shape->count > 0;
}

static void read_type(struct operand *operand, const char *name)
{
	const struct work_arguments_type *type = find_type(name);
	if (!type)
		return;
	operand->size = type->size;
	operand->class = type->class;
	operand->brain = strstr(name, "bfloat16") || strstr(name, "BFloat16");
	operand->packed = strstr(name, "_x2") ? 2 : 1;
}

static bool work_arguments_is_text(const struct literal *literal)
{
	return literal && literal->kind == LITERAL_TEXT;
}

/* PyProf gives types to numbers, too: there a number cannot be told from a tensor without
 * dimensions. */
static bool has_typed_numbers(const struct literal *names)
{
	for (size_t i = 0; literal_is_sequence(names) && i < names->count; i++) {
		const struct literal *name = literal_item(names, i);
		const struct work_arguments_type *type =
			work_arguments_is_text(name) ? find_type(name->text) : NULL;
		if (type && type->pyprof)
			return true;
	}
	return false;
}

/* Take the tensors of out= off the end; TorchScript's fused calls have more than tensors there. */
static void take_out(struct arguments *arguments, size_t inputs)
{
	for (size_t i = inputs; i < arguments->count; i++)
		if (!arguments->operand[i].there)
			return;
	if (!inputs || arguments->count <= inputs)
		return;
	arguments->out = arguments->operand[inputs];
	arguments->count = inputs;
}

void work_read_arguments(struct arguments *arguments, const struct work_call *call, size_t inputs)
{
	const struct literal *shapes = parse(arguments->arena, call->shapes);
	double in_list = kernel_type_size(call->kernel);
	arguments->call = call;
	arguments->types = parse(arguments->arena, call->types);
	arguments->concrete = parse(arguments->arena, call->concrete);
	arguments->count = literal_is_sequence(shapes) ? shapes->count : 0;
	lower_to(arguments->count, OPERANDS_MAX);
	bool typed_numbers = has_typed_numbers(arguments->types);
	for (size_t i = 0; i < arguments->count; i++) {
		struct operand *operand = &arguments->operand[i];
		const struct literal *type = literal_item(arguments->types, i);
		*operand = (struct operand){ .size = NAN, .packed = 1 };
		if (literal_is_sequence(literal_item(shapes, i)))
			read_shape(operand, literal_item(shapes, i));
		if (!work_arguments_is_text(type))
			continue;
		read_type(operand, type->text);
		if (strcmp(type->text, "TensorList") == 0)
			operand->size = in_list;
		const struct literal *value = literal_item(arguments->concrete, i);
		if (operand->class && !typed_numbers &&
		    !(work_arguments_is_text(value) && value->count))
			operand->there = true; /* or a tensor without dimensions */
	}
	take_out(arguments, inputs);
}

const struct operand *work_operand(const struct arguments *arguments, int at)
{
	bool there = at >= 0 && (size_t)at < arguments->count && arguments->operand[at].there;
	return there ? &arguments->operand[at] : NULL;
}

double work_bytes(const struct operand *operand)
{
	return operand ? operand->count * operand->size : 0;
}

double work_bytes_from(const struct arguments *arguments, size_t first)
{
	double bytes = 0;
	for (size_t i = first; i < arguments->count; i++)
		bytes += work_bytes(work_operand(arguments, (int)i));
	return bytes;
}

const struct literal *work_concrete(const struct arguments *arguments, size_t at)
{
	const struct literal *text = literal_item(arguments->concrete, at);
	return work_arguments_is_text(text) ? parse(arguments->arena, text->text) : NULL;
}

bool work_concrete_int(const struct arguments *arguments, size_t at, size_t inner, double *value)
{
	const struct literal *item = work_concrete(arguments, at);
	int64_t number;
	if (literal_is_sequence(item))
		item = literal_item(item, item->count == 1 ? 0 : inner);
	if (!literal_int(item, &number))
		return false;
	*value = (double)number;
	return true;
}

bool work_is_true(const struct arguments *arguments, size_t at)
{
	return literal_is_text(literal_item(arguments->concrete, at), "True");
}

bool work_gradient(const struct arguments *arguments, struct operand *out)
{
	const struct literal *shapes = parse(arguments->arena, arguments->call->gradient);
	*out = (struct operand){ 0 };
	if (literal_is_sequence(literal_item(shapes, 0)))
		read_shape(out, literal_item(shapes, 0));
	return out->dims > 0;
}

/* ---- names ---- */

const char *work_plain_name(const char *name)
{
	return strncmp(name, "aten::", 6) == 0 ? name + 6 : name;
}

/* "add_", "__iadd__": the first operand is written. */
static bool work_is_in_place(const struct arguments *arguments)
{
	const char *name = work_plain_name(arguments->call->name);
	size_t length = strlen(name);
	if (strncmp(name, "__i", 3) == 0)
		return true;
	return length > 1 && name[length - 1] == '_' && name[length - 2] != '_';
}

/* ---- results ---- */

/* Class of a plain number, from how its value is written. */
static enum type_class number_class(const struct literal *value)
{
	if (!work_arguments_is_text(value) || !value->count)
		return TYPE_UNKNOWN;
	if (literal_is_text(value, "True") || literal_is_text(value, "False"))
		return TYPE_BOOL;
	if (value->text[strspn(value->text, "-0123456789")] == '\0')
		return TYPE_INTEGER;
	return strspn(value->text, "-+0123456789.e") == value->count ? TYPE_REAL : TYPE_UNKNOWN;
}

static void promote(struct operand *to, const struct operand *from)
{
	if (from->class > to->class) {
		*to = *from;
	} else if (from->class == to->class) {
		bool mixed = to->size == 2 && from->size == 2 && to->brain != from->brain;
		to->size = mixed ? 4 : fmax(to->size, from->size);
	}
}

/*
 * PyTorch's type promotion: tensors with dimensions decide; those without and then numbers only if
 * of a higher class. A number has the default type of its class.
 */
double work_result_size(const struct arguments *arguments, int first, enum result result)
{
	static const double defaults[] = {
		[TYPE_BOOL] = 1, [TYPE_INTEGER] = 8, [TYPE_REAL] = 4, [TYPE_COMPLEX] = 8
	};
	struct operand rank[3] = { 0 }; /* with dimensions, without, numbers */
	const struct operand *self = work_operand(arguments, first);
	if (arguments->out.there)
		return arguments->out.size;
	if (result == RESULT_BOOL)
		return 1;
	if (self && (result == RESULT_FIRST || work_is_in_place(arguments)))
		return self->size;
	for (size_t i = (size_t)first; i < arguments->count; i++) {
		const struct operand *operand = work_operand(arguments, (int)i);
		if (operand && !operand->class)
			return NAN;
		if (operand)
			promote(&rank[operand->dims == 0], operand);
		const struct literal *type = literal_item(arguments->types, i);
		struct operand number = { .class = TYPE_UNKNOWN };
		if (literal_is_text(type, "Scalar"))
			number.class = number_class(literal_item(arguments->concrete, i));
		number.size = defaults[number.class];
		promote(&rank[2], &number);
	}
	for (size_t i = 1; i < sizeof rank / sizeof *rank; i++)
		if (rank[i].class > rank[0].class)
			rank[0] = rank[i];
	if (rank[0].class < TYPE_REAL && (result == RESULT_REAL || result == RESULT_LONG))
		return defaults[result == RESULT_REAL ? TYPE_REAL : TYPE_INTEGER];
	return rank[0].class ? rank[0].size : NAN;
}
