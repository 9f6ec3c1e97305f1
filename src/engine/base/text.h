/*
 * Decodes, measures and escapes untrusted text, which need not be valid UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

/*
 * Decode one code point of TEXT (LENGTH > 0) and return its length; an invalid byte is consumed
 * alone and yields -1 in *POINT.
 */
size_t text_decode(const char *text, size_t length, int32_t *point);

/* Encode POINT as UTF-8 into OUT; returns its length. */
size_t text_encode(uint32_t point, char out[4]);

/*
 * True for a code point that must never reach a terminal: C0 and C1 controls, DEL, bidirectional
 * controls, zero-width characters, line separators, the byte order mark, surrogates, noncharacters
 * and tag characters.
 */
bool text_is_unsafe(int32_t point);

/* Terminal columns of a code point: 0 (combining), 1 or 2. */
int text_point_width(int32_t point);

/* Append TEXT to OUT, escaping unsafe code points and invalid bytes (\n, \t, \x1b, \u202e). */
void text_escape(struct buffer *out, const char *text, size_t length);

/* Terminal columns of escaped text. */
size_t text_width(const char *text, size_t length);

/* Bytes of its longest head of at most COLUMNS columns; *WIDTH is how many that takes. */
size_t text_head(const char *text, size_t length, size_t columns, size_t *width);

/*
 * Bytes of a paragraph's next line and the blanks that end it, where FITS of LENGTH bytes have
 * room. A number is not cut off from a unit ("12.5 %", "4 GB/s"). A word with more bytes than have
 * room is broken if that fills at least half of the line, but not if WHOLE: then the line is
 * longer.
 */
size_t text_wrap(const char *text, size_t length, size_t fits, bool whole);

/*
 * Append escaped text cut to at most COLUMNS columns. A mangled C++ name is demangled, even if it
 * would fit as it is. Of what is too long:
 * - a C++ signature first loses return type and namespaces, but never its indentation, then its
 *   parameters, then its template arguments if little of them would be left;
 * - a kernel of PyTorch that is named after how it divides the work ("reduce_kernel<…>") keeps the
 *   functor that it computes; of "Kernel2<…>", which says nothing, that is all;
 * - a kernel of Tensile, cuDNN or TensorRT keeps its tile;
 * - a place in a file ("a/b.py(1): f") loses leading folders, then its function;
 * - a method of C ("<built-in method items of dict object at 0x7f>") loses all but its name.
 * Text still too long is elided in the middle, because the tail of a kernel name matters as much as
 * its head. A mark ("~", or U+2026 when UNICODE) stands where something is left out after the
 * name's start. Returns the columns used.
 */
size_t text_elide(struct buffer *out, const char *text, size_t length, size_t columns,
		  bool unicode);

/*
 * Append escaped text that would read like OTHER in COLUMNS, elided so that it shows where it
 * differs: its start, that part, and its end unless that was left out. False if both read
 * differently as they are, or have no such part.
 */
bool text_elide_apart(struct buffer *out, const char *text, size_t length, const char *other,
		      size_t other_length, size_t columns, bool unicode);

/* Append a sentence, cut at its end if it takes more than COLUMNS; the columns used. */
size_t text_cut(struct buffer *out, const char *text, size_t length, size_t columns, bool unicode);

/* Does TEXT look like a mangled C++ name ("_ZN5torch3addEv")? */
bool text_is_symbol(const char *text, size_t length);

/*
 * Does TEXT end in the address of an object (" object at 0x7f>")? *START is where that begins; the
 * last byte, '>', is not a part of it.
 */
bool text_address(const char *text, size_t length, size_t *start);

/*
 * Where the last PARTS components of an absolute path at the start of TEXT begin ("/a/b/c.py(1):
 * f", 1: "c.py(1): f"), as an offset; 0 for other text.
 */
size_t text_path_end(const char *text, size_t length, size_t parts);

/*
 * Bytes of the folders before the file of a place at the start of TEXT ("/a/b/c.py(1): f": 5); 0
 * for other text, such as a layer of TensorRT ("/conv1/Conv + /relu/Relu").
 */
size_t text_folders(const char *text, size_t length);

/* The part of a path after its last slash; all of a path that ends in one. */
const char *text_file_name(const char *path);

/* Is END the end of TEXT, and something before it? */
bool text_ends_with(const char *text, const char *end);

/* Is WORD in a list of words separated by blanks? */
bool text_is_listed(const char *words, const char *word);

/* Damerau–Levenshtein distance; names of up to 63 letters. */
size_t text_distance(const char *a, const char *b);

/*
 * The nearest of several names to a mistyped NAME, for "did you mean". BEST stays NULL while none
 * has at most about a slip for each three letters.
 */
struct text_near {
	const char *name, *best;
	size_t slips; /* of BEST */
};
void text_near_try(struct text_near *near, const char *candidate, size_t slips);

/* Arguments for "%s%s%s": a question for BEST (NULL: none) within QUOTE. */
#define DID_YOU_MEAN(best, quote)                                                                  \
	(best) ? "; did you mean " quote : "", (best) ? (best) : "", (best) ? quote "?" : ""

/* Append as text of XML and HTML, also within double quotes; unsafe characters are escaped. */
void text_escape_markup(struct buffer *out, const char *text, size_t length);
