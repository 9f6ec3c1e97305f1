/*
 * Enumerators and names from rows of a tables.txt, LIST(_), whose first cell is an enumerator and
 * whose second is a name: enum { LIST(LISTED) }, names[] = { LIST(LISTED_NAME) }.
 * LISTED_ROW is for elements of several members.
 */
#pragma once

#define LISTED(id, ...) id,
#define LISTED_NAME(id, name) [id] = name,
#define LISTED_ROW(id, ...) [id] = { __VA_ARGS__ },
