/*
 * Enumerators and names from rows of a tables.txt, LIST(_), whose first cell is an enumerator and
 * whose second is a name: enum { LIST(LISTED) }, names[] = { LIST(LISTED_NAME) }.
 * LISTED_THIRD is the third cell, LISTED_ROW is for elements of several members; LISTED_BIT and
 * LISTED_FLAG number bits and make an enumerator of each; LISTED_WORD is a name without its place.
 * In a switch, LISTED_CASE returns what the second cell says.
 * LISTED_NAMES defines a function that returns the name of an enumerator.
 */
#pragma once

#define LISTED(id, ...) id,
#define LISTED_NAME(id, name, ...) [id] = name,
#define LISTED_THIRD(id, name, third, ...) [id] = third,
#define LISTED_ROW(id, ...) [id] = { __VA_ARGS__ },
#define LISTED_BIT(id, ...) id##_BIT,
#define LISTED_FLAG(id, ...) id = 1 << id##_BIT,
#define LISTED_WORD(id, name, ...) name,
#define LISTED_CASE(id, result)                                                                    \
	case id:                                                                                   \
		return result;
#define LISTED_NAMES(function, enumeration, list)                                                  \
	const char *function(enumeration id)                                                       \
	{                                                                                          \
		static const char *const names[] = { list(LISTED_NAME) };                          \
		return names[id];                                                                  \
	}
