#include "picture/role.h"

#include "base/text_slice.h"

#include <string.h>

const char *role_start(enum role role)
{
	static const char *const starts[ROLE_COUNT] = {
		[ROLE_DIM] = "\033[2m",
		[ROLE_ACCENT] = "\033[1m",
		[ROLE_HEADER] = "\033[1m",
		[ROLE_SORTED] = "\033[1m",
		[ROLE_BAR] = "\033[34m",
		[ROLE_TOTAL] = "\033[1m",
		[ROLE_MATCH] = "\033[7m",
		[ROLE_MARK] = "\033[1;33m",
		[ROLE_TITLE] = "\033[1m",
		[ROLE_BORDER] = "\033[2m",
		[ROLE_LABEL] = "\033[36m",
		[ROLE_KEY] = "\033[1m",
		[ROLE_WARNING] = "\033[1;33m",
		[ROLE_ERROR] = "\033[1;31m",
		[ROLE_KERNEL] = "\033[32m",
		[ROLE_GEMM] = "\033[94m",
		[ROLE_ATTENTION] = "\033[95m",
		[ROLE_CONVOLUTION] = "\033[96m",
		[ROLE_POINTWISE] = "\033[93m",
		[ROLE_NORMALIZATION] = "\033[36m",
		[ROLE_REDUCTION] = "\033[31m",
		[ROLE_MEMCPY] = "\033[33m",
		[ROLE_COMMUNICATION] = "\033[35m",
		[ROLE_OPERATOR] = "\033[34m",
		[ROLE_MODULE] = "\033[94m",
		[ROLE_ANNOTATION] = "\033[36m",
		[ROLE_RUNTIME] = "\033[31m",
		[ROLE_PYTHON] = "\033[95m",
		[ROLE_FORWARD] = "\033[36m",
		[ROLE_BACKWARD] = "\033[35m",
		[ROLE_BETTER] = "\033[32m",
		[ROLE_WORSE] = "\033[1;31m",
	};
	return starts[role] ? starts[role] : "";
}

enum role role_of_text(const char *text, size_t length)
{
	static const struct {
		const char *text;
		enum role role;
	} kinds[] = {
		{ "kernel", ROLE_KERNEL },
		{ "memcpy", ROLE_MEMCPY },
		{ "memset", ROLE_MEMCPY },
		{ "communication", ROLE_COMMUNICATION },
		{ "operator", ROLE_OPERATOR },
		{ "module", ROLE_MODULE },
		{ "annotation", ROLE_ANNOTATION },
		{ "runtime", ROLE_RUNTIME },
		{ "python", ROLE_PYTHON },
		{ "run", ROLE_ACCENT },
		{ "fwd", ROLE_FORWARD },
		{ "bwd", ROLE_BACKWARD },
		{ "warning", ROLE_WARNING },
		{ "error", ROLE_ERROR },
		{ "high", ROLE_ERROR },
		{ "medium", ROLE_WARNING },
		{ "headline", ROLE_ACCENT },
		{ "slower", ROLE_WORSE },
		{ "faster", ROLE_BETTER },
		{ "more", ROLE_WORSE },
		{ "less", ROLE_BETTER },
		{ "same", ROLE_DIM },
		{ "within noise", ROLE_DIM },
	};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strlen(kinds[i].text) == length && !memcmp(kinds[i].text, text, length))
			return kinds[i].role;
	}
	if (text_ends(text, length, " slower")) /* likely, or "2 of 16" */
		return ROLE_WORSE;
	return text_ends(text, length, " faster") ? ROLE_BETTER : ROLE_TEXT;
}
