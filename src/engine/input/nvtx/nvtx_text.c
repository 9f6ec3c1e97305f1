#include "input/nvtx/nvtx_text.h"

#include "base/buffer.h"
#include "base/text_slice.h"
#include "model/profile.h"

/* Fields that emit_nvtx appends to a name. */
enum nvtx_text_field { FIELD_SEQUENCE, FIELD_OP_ID, FIELD_SIZES, FIELD_INPUTS, FIELDS };
static const char *const fields[FIELDS] = { NVTX_FIELD_ROWS };

/* The field that starts here, or FIELDS. */
static enum nvtx_text_field field_at(const char *text, size_t length)
{
	for (int i = 0; i < FIELDS; i++)
		if (text_begins(text, length, fields[i]))
			return (enum nvtx_text_field)i;
	return FIELDS;
}

/* Read the number at *AT and advance; NO_VALUE when there is none. */
static int64_t read_number(const char **at, const char *end)
{
	int64_t value = 0;
	const char *digit = *at;
	for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *digit - '0', &value))
			return NO_VALUE;
	if (digit == *at)
		return NO_VALUE;
	*at = digit;
	return value;
}

/* Length of the list of lists of numbers at AT; 0 when it is not one. */
static size_t list_length(const char *at, const char *end)
{
	int depth = 0;
	for (const char *c = at; c < end; c++) {
		if (*c == '[')
			depth++;
		else if (*c == ']')
			depth--;
		else if (!depth || !strchr("0123456789-, ", *c))
			return 0;
		if (!depth)
			return (size_t)(c + 1 - at);
	}
	return 0;
}

/* Parse fields up to the first invalid one. */
static void read_fields(struct nvtx_text *read, const char *at, const char *end)
{
	while (at < end) {
		size_t list;
		enum nvtx_text_field field = field_at(at, (size_t)(end - at));
		if (field == FIELDS)
			return;
		at += strlen(fields[field]);
		switch (field) {
		case FIELD_SEQUENCE: read->sequence = read_number(&at, end); break;
		case FIELD_OP_ID: read->op_id = read_number(&at, end); break;
		default:
			list = list_length(at, end);
			if (field == FIELD_SIZES && list) {
				read->sizes = at;
				read->sizes_length = list;
			}
			at += list;
		}
	}
}

static bool ends_with_backward(const char *name, size_t length)
{
	static const char word[] = "Backward";
	while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	return length >= sizeof word - 1 &&
	       memcmp(name + length - (sizeof word - 1), word, sizeof word - 1) == 0;
}

/* Names of PyTorch operators whatever follows them. */
static bool is_engine_call(const char *name, size_t length)
{
	return text_begins(name, length, "autograd::engine::evaluate_function: ") ||
	       text_begins(name, length, "torch::autograd::");
}

/* record_function annotations carry an op_id like operators; their names are free text. */
static bool is_free_text(const char *name, size_t length)
{
	return memchr(name, ' ', length) || memchr(name, '#', length) ||
	       text_begins(name, length, "nccl:") || text_begins(name, length, "gloo:");
}

void nvtx_text_read(struct nvtx_text *read, const char *text, size_t length)
{
	*read = (struct nvtx_text){ .name_length = length,
				    .sequence = NO_VALUE,
				    .op_id = NO_VALUE };
	const char *end = text + length, *comma = text;
	while ((comma = memchr(comma, ',', (size_t)(end - comma)))) {
		if (field_at(comma, (size_t)(end - comma)) != FIELDS) {
			read->name_length = (size_t)(comma - text);
			read_fields(read, comma, end);
			break;
		}
		comma++;
	}
	bool engine = is_engine_call(text, read->name_length);
	bool numbered = read->sequence != NO_VALUE || read->op_id != NO_VALUE;
	read->is_operator = engine || text_begins(text, length, "aten::") ||
			    (numbered && !is_free_text(text, read->name_length));
	read->is_backward =
		read->is_operator && (engine || ends_with_backward(text, read->name_length));
}

void nvtx_text_shapes(struct buffer *out, const char *sizes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (sizes[i] != ' ')
			buffer_putc(out, sizes[i]);
}
