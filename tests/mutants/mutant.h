/*
 * Mutants: changes of the code that one number of the environment selects (STRATA_MUTANT=700), so
 * that one binary holds them all. tests/mutants/mutate.awk inserts the calls; included in every
 * file.
 */
#pragma once

enum { MUTANTS_MAX = 1 << 20 };

extern int mutant_chosen;                         /* 0: none */
extern unsigned char mutant_reached[MUTANTS_MAX]; /* see STRATA_MUTANTS_REACHED in mutant.c */

/* 1 if the mutant of this number is on. */
#define mutant(number) (mutant_reached[number] = 1, mutant_chosen == (number))
