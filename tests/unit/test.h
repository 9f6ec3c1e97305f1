/*
 * Tests that register themselves: a program runs the tests of its file in their order.
 *
 *	TEST(sums_are_exact)
 *	{
 *		assert_int_equal(...);
 *	}
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Sanitizers look for errors of memory, which a part of the real files shows, and are slow. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SLOW = 1 };
#else
enum { SLOW = 0 };
#endif

#define TEST(name) TEST_AROUND(name, NULL, NULL)

/* One with functions before and after it. */
#define TEST_AROUND(name, setup, teardown)                                                         \
	static void test_##name(void **cmocka_state);                                              \
	static void __attribute__((constructor)) add_test_##name(void)                             \
	{                                                                                          \
		test_add("test_" #name, test_##name, setup, teardown);                             \
	}                                                                                          \
	static void test_##name(void **cmocka_state)

/* Functions before the first and after the last test of the program. */
#define TEST_PROGRAM(setup, teardown)                                                              \
	static void __attribute__((constructor)) add_test_program(void)                            \
	{                                                                                          \
		test_program(setup, teardown);                                                     \
	}

void test_add(const char *name, CMUnitTestFunction function, CMFixtureFunction setup,
	      CMFixtureFunction teardown);
void test_program(CMFixtureFunction setup, CMFixtureFunction teardown);

/* The next number below LIMIT in the sequence of *STATE. */
uint64_t random_below(uint64_t *state, uint64_t limit);

/*
 * Is piece NUMBER of a long test in the sample that is tried under sanitizers? Each EVERYth is,
 * others in other runs (SAMPLE in the environment, which ./check sets); without sanitizers all are.
 */
bool test_sampled(size_t number, size_t every);

/* In a setup: ends the program as one whose tests need what is not here. */
void test_skip(const char *reason);
