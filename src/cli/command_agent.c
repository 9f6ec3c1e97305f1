/*
 * strata agent and strata --version: what this program is, for agents and for reports of bugs.
 */
#include "cli/commands.h"

#include "base/embedded.h"
#include "base/gunzip.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <curses.h>
#include <pcre2.h>
#include <sqlite3.h>
#include <utf8proc.h>
#include <zstd.h>

int command_agent(struct session *session)
{
	const struct embedded *brief = embedded_find("SKILL.md");
	fwrite(brief->bytes, 1, brief->length, stdout);
	return fflush(stdout) == 0 ? STATUS_DONE : STATUS_OUTPUT;
}

static const char *demangler(void)
{
#ifdef HAVE_DEMANGLER
	return "yes (libiberty)";
#else
	return "no";
#endif
}

void print_version(FILE *out)
{
	char pcre2[64] = "";
	pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
	fprintf(out, "strata %s\n", PACKAGE_VERSION);
	fprintf(out, "libraries: %s, SQLite %s, PCRE2 %s, %s, zstd %s, utf8proc %s\n",
		curses_version(), sqlite3_libversion(), pcre2, gunzip_library(),
		ZSTD_versionString(), utf8proc_version());
	fprintf(out, "demangling of C++ names: %s\n", demangler());
	fprintf(out, "compiled in:");
	for (const struct embedded *file = embedded_files; file->name; file++)
		fprintf(out, " %s", file->name);
	fputc('\n', out);
}
