/*
 * What several captures say of a piece of work: only that in which they agree.
 */
#include "test.h"

#include "derived/inferences.h"
#include "derived/inferences_private.h"
#include "model/profile.h"

static const struct inference one = { .operator_name = 1,
				      .shapes = 2,
				      .types = 3,
				      .line = 4,
				      .place = 5,
				      .has_pass = true,
				      .backward = true };

static void assert_agreed(struct inference other, struct inference wanted)
{
	struct inference agreed = one;
	inferring_agree(&agreed, &other);
	assert_int_equal(agreed.operator_name, wanted.operator_name);
	assert_int_equal(agreed.shapes, wanted.shapes);
	assert_int_equal(agreed.types, wanted.types);
	assert_int_equal(agreed.line, wanted.line);
	assert_int_equal(agreed.place, wanted.place);
	assert_int_equal(agreed.has_pass, wanted.has_pass);
}

/* ONE with a member that differs in another capture, and with what is then kept of both. */
#define DIFFERS(change, keep)                                                                      \
	do {                                                                                       \
		struct inference other = one, kept = one;                                          \
		other.change;                                                                      \
		keep;                                                                              \
		assert_agreed(other, kept);                                                        \
	} while (0)

TEST(what_agrees_is_kept)
{
	assert_agreed(one, one);
	DIFFERS(operator_name = 9, kept.operator_name = kept.shapes = kept.types = 0);
	DIFFERS(shapes = 9, kept.shapes = 0);
	DIFFERS(types = 9, kept.types = 0);
	DIFFERS(line = 9, kept.line = 0);
	DIFFERS(place = 9, kept.place = NO_ROW);
	DIFFERS(backward = false, (kept.place = NO_ROW, kept.has_pass = false));
	DIFFERS(has_pass = false, kept.has_pass = false);
}
