/* Results that arrive after the user has gone on. */
#include "explorer_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const paths[] = { "demo.trace.json.gz" };

/* The pane fails while the help lies on top of it. */
static void test_failed_pane_below_another_can_be_returned_to(void **state)
{
	struct explorer explorer;
	struct error error = { 0 };
	(void)state;

	explorer_open(&explorer, paths, 1);
	command_run(&explorer.app, "view kernels", &error);
	explorer_settle(&explorer);
	command_run(&explorer.app, "device 9", &error);
	app_act(&explorer.app, ACTION_HELP);
	explorer_settle(&explorer);
	explorer_expect(&explorer, "Active keys");
	explorer_type(&explorer, "q");
	explorer_settle(&explorer);
	explorer_type(&explorer, "3");
	explorer_settle(&explorer);
	explorer_expect(&explorer, "[3 Operators]");
	explorer_close(&explorer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failed_pane_below_another_can_be_returned_to),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
