/*
 * Roles: the meaning of a cell. Drawing code names roles; themes define their colors, and the
 * attributes below apply without color.
 */
#ifndef STRATA_PICTURE_ROLE_H
#define STRATA_PICTURE_ROLE_H

#include <stddef.h>

enum {
	STYLE_BOLD = 1,
	STYLE_DIM = 2,
	STYLE_ITALIC = 4,
	STYLE_UNDERLINE = 8,
	STYLE_REVERSE = 16,
};

/* id, name in theme files, attributes without color */
#define ROLES(_)                                                                                   \
	_(TEXT, "text", 0)                                                                         \
	_(DIM, "dim", 0)                                                                           \
	_(ACCENT, "accent", STYLE_BOLD)                                                            \
	_(SELECTION, "selection", STYLE_REVERSE)                                                   \
	_(HEADER, "header", STYLE_REVERSE)                                                         \
	_(SORTED, "sorted", STYLE_BOLD | STYLE_UNDERLINE | STYLE_REVERSE)                          \
	_(BAR, "bar", 0)                                                                           \
	_(TOTAL, "total", STYLE_BOLD)                                                              \
	_(MATCH, "match", STYLE_UNDERLINE | STYLE_REVERSE)                                         \
	_(MARK, "mark", STYLE_BOLD)                                                                \
	_(TITLE, "title", STYLE_BOLD | STYLE_REVERSE)                                              \
	_(TAB, "tab", 0)                                                                           \
	_(TAB_ACTIVE, "tab-active", STYLE_REVERSE)                                                 \
	_(BREADCRUMB, "breadcrumb", STYLE_BOLD)                                                    \
	_(FILTER, "filter", STYLE_BOLD)                                                            \
	_(BORDER, "border", 0)                                                                     \
	_(LABEL, "label", 0)                                                                       \
	_(FOOTER, "footer", 0)                                                                     \
	_(KEY, "key", STYLE_BOLD)                                                                  \
	_(PROMPT, "prompt", STYLE_BOLD)                                                            \
	_(MESSAGE, "message", 0)                                                                   \
	_(WARNING, "warning", STYLE_BOLD)                                                          \
	_(ERROR, "error", STYLE_BOLD | STYLE_REVERSE)                                              \
	_(MENU, "menu", 0)                                                                         \
	_(KERNEL, "kernel", 0)                                                                     \
	_(GEMM, "gemm", 0)                                                                         \
	_(ATTENTION, "attention", 0)                                                               \
	_(CONVOLUTION, "convolution", 0)                                                           \
	_(POINTWISE, "pointwise", 0)                                                               \
	_(NORMALIZATION, "normalization", 0)                                                       \
	_(REDUCTION, "reduction", 0)                                                               \
	_(MEMCPY, "memcpy", 0)                                                                     \
	_(COMMUNICATION, "communication", STYLE_BOLD)                                              \
	_(OPERATOR, "operator", 0)                                                                 \
	_(MODULE, "module", STYLE_BOLD)                                                            \
	_(ANNOTATION, "annotation", 0)                                                             \
	_(RUNTIME, "runtime", 0)                                                                   \
	_(PYTHON, "python", 0)                                                                     \
	_(FORWARD, "forward", 0)                                                                   \
	_(BACKWARD, "backward", STYLE_UNDERLINE)                                                   \
	_(BETTER, "better", 0)                                                                     \
	_(WORSE, "worse", STYLE_BOLD)

enum role {
#define ROLE_ENUM(id, name, mono) ROLE_##id,
	ROLES(ROLE_ENUM)
#undef ROLE_ENUM
		ROLE_COUNT
};

/* Role for a text in the columns "kind", "pass" and "verdict", or ROLE_TEXT. */
enum role role_of_text(const char *text, size_t length);

/*
 * What starts text of a role on a terminal, in the colors that it has of its own; "": nothing.
 * ROLE_END ends it.
 */
const char *role_start(enum role role);
#define ROLE_END "\033[0m"

#endif
