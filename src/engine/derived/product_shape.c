#include "derived/product_shape.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = 6 };

/* Numbers of the next shape in LIST with two at least; how many, at most DIMS; -1: none. */
static int next_matrix(const char **list, int64_t numbers[DIMS])
{
	int count = 0;
	while (count < 2) {
		count = 0;
		*list += strspn(*list, "[, ");
		while (isdigit((unsigned char)**list) && count < DIMS) {
			char *end;
			numbers[count++] = strtoll(*list, &end, 10);
			*list = end + strspn(end, ", ");
		}
		if (**list != ']')
			return -1;
		++*list;
	}
	return count;
}

bool product_shape_read(const char *shapes, struct product_shape *product)
{
	int64_t dims[DIMS], other[DIMS];
	int count = next_matrix(&shapes, dims);
	int others = count < 0 ? -1 : next_matrix(&shapes, other);
	if (others < 0)
		return false;
	const int64_t *last = &other[others - 2];
	product->several = others > 2;
	product->rows = 1;
	for (int i = 0; i + 1 < count; i++)
		if (dims[i] <= 0 || __builtin_mul_overflow(product->rows, dims[i], &product->rows))
			return false;
	product->inner = dims[count - 1];
	product->outer = last[0] == product->inner ? last[1] : last[0];
	return product->inner > 0 && (last[0] == product->inner || last[1] == product->inner);
}
