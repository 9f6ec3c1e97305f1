# Invariants of the source tree: layers, file lists, names, size, format and language. Each check is first tested
# on a small tree with a violation. STRUCTURE_CHECKS="cycles phrases" selects other checks.
. "${srcdir:-.}/tests/lib.sh"
# Under sanitizers the tree is that of the plain build, where all this is checked.
[ -z "${SANITIZERS-}" ] || skip "checked in a build without sanitizers"
checks=${STRUCTURE_CHECKS:-includes symbols cycles unused lists format names phrases lines tags files statics readers systems}

# The most lines that the C files and headers of src/ may have. A change lowers it, or raises it by what a feature
# needs beyond the lines that were deleted for it, never above 165775, the size before the program was made smaller.
ceiling=165670

# The layers of src/, lowest first, one a line. The longest matching path prefix wins. The files
# matching a prefix that is not a directory count as a directory of their own.
layers='engine/base/
engine/model/
engine/input/json engine/input/source engine/input/timeline_rows
engine/input/sqlite/ engine/input/nvtx/ engine/input/cuda/
engine/input/
engine/input/open engine/input/database
engine/derived/
engine/analysis/work/
engine/analysis/
engine/analysis/advice/
engine/session/
engine/table/
engine/views/
engine/picture/
engine/report/
engine/sql/
engine/summary/
engine/serve/
engine/attach/
engine/tools/
engine/tools/tools.c
tui/term/
tui/widget/
tui/core/
tui/text/
tui/table/ tui/timeline/ tui/plot/ tui/dashboard/
tui/app/
cli/
main.
mpi/'
upward='tools'	# the only symbol that may be linked upward: the list of tools

# ---- dependencies: lines "FILE includes FILE" and "FILE links FILE SYMBOL" ----

includes_of() # TOP
{
	(cd "$1/src" && find . -name '*.[ch]' | sed 's|^\./||' | sort) >"$work/sources"
	(cd "$1/src" && xargs grep -n '^#include "' /dev/null <"$work/sources") | awk -F'[:"]' -v sources="$work/sources" '
	BEGIN { while ((getline path <sources) > 0) exists[path] }
	{
		folder = $1; sub(/[^\/]*$/, "", folder)
		if (("engine/" $4) in exists) print $1, "includes", "engine/" $4
		else if ($4 in exists) print $1, "includes", $4
		else if ((folder $4) in exists) print $1, "includes", folder $4
	}'
}

# Objects without a source of that name are stale or built with other flags.
symbols_of() # TOP BUILD
{
	(cd "$2" && find src -name '*.o' | sort | while read -r object; do
		[ ! -e "$1/${object%.o}.c" ] || echo "$object"
	done | xargs nm -A -P -g) | awk -v upward="$upward" '
	{ sub(/^src\//, "", $1); sub(/\.o:$/, ".c", $1) }
	$2 == upward { next }
	{ program = $1 ~ /^demo\// ? "tracegen" : "strata" }
	$3 == "U" { users[++count] = $1; wanted[count] = program SUBSEP $2; symbol[count] = $2; next }
	{ home[program, $2] = $1 }
	END {
		for (i = 1; i <= count; i++)
			if (wanted[i] in home)
				print users[i], "links", home[wanted[i]], symbol[i]
	}'
}

# Functions on these lines: layer(PATH), a number; folder(PATH), a name.
paths='
function fold(path, prefix) {
	for (prefix = path; prefix != "" && !(prefix in rank); )
		prefix = substr(prefix, 1, length(prefix) - 1)
	return prefix
}
function layer(path) { return rank[fold(path)] }
function folder(path, prefix) {
	prefix = fold(path)
	if (prefix !~ /\/$/ && prefix != "") return line[rank[prefix]]
	sub(/\/[^\/]*$/, "", path)
	return path
}
BEGIN {
	count = split(layers, line, "\n")
	for (i = 1; i <= count; i++) {
		words = split(line[i], word, " ")
		for (j = 1; j <= words; j++) rank[word[j]] = i
	}
}'

go_upward() # lines on standard input
{
	awk -v layers="$layers" "$paths"'
	!layer($1) { print "src/" $1 ": its folder is in no layer" }
	layer($1) < layer($3) {
		print "src/" $1 " " $2 " src/" $3 ($4 ? " (" $4 ")" : "") ", which is in a higher layer"
	}'
}

# ---- checks: each prints its findings ----

check_includes() { includes_of "$1" | go_upward; }

check_symbols() { symbols_of "$1" "$2" | go_upward; }

# Cycles of directories of any length, with one reason per edge.
check_cycles()
{
	{ includes_of "$1"; symbols_of "$1" "$2"; } | awk -v layers="$layers" "$paths"'
	function visit(start, at, to) {
		for (to in nodes)
			if ((at, to) in reason && !((start, to) in reached)) {
				reached[start, to]
				visit(start, to)
			}
	}
	{
		from = folder($1); to = folder($3)
		if (from == to || (from, to) in reason) next
		nodes[from]; nodes[to]
		reason[from, to] = "src/" $1 " " $2 " src/" $3 ($4 ? " (" $4 ")" : "")
	}
	END {
		for (node in nodes) visit(node, node)
		for (from in nodes)
			for (to in nodes)
				if ((from, to) in reason && (to, from) in reached)
					print from " and " to " are in a cycle: " reason[from, to]
	}' | sort
}

# Every file is listed, so that it is distributed. A list entry may be a directory.
check_lists() # FILES LISTED
{
	awk 'NR == FNR { listed[$1]; next }
	{
		for (path = $1; path != "" && !(path in listed); )
			if (!sub(/\/[^\/]*$/, "", path)) path = ""
		if (path == "") print $1 ": not in the list of its folder (sources.am) or of Makefile.am"
	}' "$2" "$1"
}

# Requires the formatter version that the tree was formatted with: others break lines differently.
check_format() # TOP FILES
{
	(cd "$1" && grep '\.[ch]$' "$2" | xargs "$formatter" --dry-run 2>&1) | grep 'warning:' || :
}

# Text for readers: sources, tests, manual, documents.
texts='^(src|man|doc|tests)/.*\.([ch]|sh|am|md|[1-9])$|^[^/]*\.md$|^NEWS$'

# Phrases are also found across line breaks.
check_phrases() # TOP FILES
{
	(cd "$1" && grep -E "$texts" "$2" | xargs awk -v phrases="$srcdir/tests/phrases.txt" '
	BEGIN {
		while ((getline phrase <phrases) > 0)
			if (phrase !~ /^(#|$)/) banned = banned (banned ? "|" : "") phrase
		banned = " (" banned ") "
	}
	FNR == 1 { tail = " " }
	{
		text = " " tolower($0) " "
		gsub(/[^a-z0-9_'\''-]+/, " ", text)
		where = match(tail " ", banned) ? text : tail text
		if (match(text, banned)) where = text
		if (match(where, banned)) print FILENAME ":" FNR ":" substr(where, RSTART, RLENGTH)
		tail = text == " " ? tail : text
		sub(/ $/, "", tail)
	}')
}

# What a header declares is used outside of its source file, if only by a table that is made into C.
check_unused() # TOP FILES
{
	(cd "$1" && grep '^\(src\|tests\)/.*\.[ch]$\|^src/.*/tables\.txt$' "$2" | xargs awk '
	FNR == 1 { stem = FILENAME; sub(/\.[ch]$/, "", stem) }
	{
		gsub(/"([^"\\]|\\.)*"/, "")
		if (/^[ \t]*(\*([ \/]|$)|\/\*)/) next
		sub(/\/\*.*/, "")
	}
	FILENAME ~ /^src\/.*\.h$/ && /^[a-z]/ && !/^(static|typedef) / && match($0, /^[a-z0-9_ *]+\(/) {
		name = substr($0, 1, RLENGTH - 1); sub(/.*[ *]/, "", name)
		home[name] = stem; place[name] = FILENAME ":" FNR
	}
	{
		for (; match($0, /[a-z_][a-z0-9_]*/); $0 = substr($0, RSTART + RLENGTH)) {
			word = substr($0, RSTART, RLENGTH)
			if (FILENAME ~ /h$/) inlined[word] += word in home && stem == home[word]
			if (!(word in first)) first[word] = stem
			else if (first[word] != stem) shared[word] = 1
		}
	}
	END {
		for (name in home)
			if (!(name in shared) && inlined[name] < 2)
				print place[name] ": " name " is used nowhere outside of " home[name] ".c"
	}' | sort)
}

# Files named in comments and documents exist.
check_names() # TOP FILES
{
	(cd "$1" && grep -E "$texts" "$2" | xargs awk -v files="$2" '
	BEGIN { # every path and each of its suffixes
		while ((getline path <files) > 0)
			for (; path != ""; path = sub(/^[^\/]*\//, "", path) ? path : "") exists[path]
	}
	FNR == 1 { inside = 0 }
	{
		text = $0 " "
		if (FILENAME ~ /\.[ch]$/) {
			text = ""
			for (rest = $0; rest != ""; ) {
				at = index(rest, inside ? "*/" : "/*")
				if (inside) text = text (at ? substr(rest, 1, at - 1) : rest) " "
				rest = at ? substr(rest, at + 2) : ""
				if (at) inside = !inside
			}
		} else if (FILENAME !~ /\.(md|[1-9])$/ && !sub(/^.*# /, "", text))
			next
		while (match(text, /[A-Za-z_\/][A-Za-z0-9_.\/-]*\.(c|h|sh|am|md|sql)[^A-Za-z0-9_]/)) {
			name = substr(text, RSTART, RLENGTH - 1)
			text = substr(text, RSTART + RLENGTH - 1)
			if (name ~ /^[a-z]/ && name !~ /[A-Z]/ && !(name in exists))
				print FILENAME ":" FNR ": there is no file " name
		}
	}')
}

# A feature pays for its lines with those that it makes superfluous.
check_lines() # TOP FILES CEILING
{
	(cd "$1" && grep '^src/.*\.[ch]$' "$2" | xargs cat) | awk -v most="$3" '
	END { if (NR > most) print "src has " NR " lines of C; at most " most " are allowed" }'
}

# What stands in more than LIMIT files, of lines "NAME FILE".
find_common() # LIMIT WHAT
{
	sort -u | awk -v limit="$1" -v what="$2" '
	{ count[$1]++; places[$1] = places[$1] " " $2 }
	END { for (name in count) if (count[name] > limit) print what " " name " is in" places[name] }' | sort
}

# A tag, a file and a much used static function name one thing, so that a search finds it.
check_tags() # TOP FILES
{
	(cd "$1" && grep '^src/.*\.[ch]$' "$2" | xargs awk '
	match($0, /(struct|enum|union) [a-z_0-9]+ *\{/) {
		split(substr($0, RSTART, RLENGTH), word, /[ {]+/)
		print word[2], FILENAME
	}') | find_common 1 'the tag'
}

check_files() # FILES
{
	sed -n '/\.[ch]$/{s/\.[ch]$//; s|^\(src/\(.*/\)*\)\([^/]*\)$|\3 \1|p}' "$1" | find_common 1 'a file of the name'
}

check_statics() # TOP FILES
{
	(cd "$1" && grep '^src/.*\.c$' "$2" | xargs awk '
	/^static / && !/[=;]$/ && match($0, /[a-z_0-9]+\(/) {
		print substr($0, RSTART, RLENGTH - 1), FILENAME
	}') | find_common 3 'the static function'
}

# What reads files is in engine/input: tools hold reports.
check_readers() # TOP FILES
{
	(cd "$1" && grep '^src/engine/tools/.*\.c$' "$2" | xargs grep -n '^\(static \)\?const struct reader [a-z_]* = {' /dev/null) |
		sed 's/:const.*/: a reader among the tools/; s/:static.*/: a reader among the tools/'
	# and each that is declared is in the list of a tool
	readers=src/engine/input/readers.h
	[ ! -e "$1/$readers" ] || grep -o '[a-z0-9_]*_reader\>' "$1/$readers" | while IFS= read -r reader; do
		grep -qrw --include='*.c' "&$reader" "$1/src/engine/tools" || echo "$readers:1: no tool has $reader"
	done
}

# What systems differ in is in base/platform.c alone.
check_systems() # TOP FILES
{
	(cd "$1" && grep '^src/.*\.[ch]$' "$2" | grep -v '^src/engine/base/platform\.[ch]$' | xargs awk '
	{
		gsub(/"\/proc\/(sys|driver)\//, "") # settings of Linux that doctor asks for
		if (match($0, "/proc/|/sys/fs/|(^|[^a-z_])(memrchr|qsort_r|sched_getaffinity)\\(|<(sched|endian)\\.h>|__(linux|APPLE|FreeBSD|GLIBC)__"))
			print FILENAME ":" FNR ": " substr($0, RSTART, RLENGTH) " belongs in base/platform.c"
	}')
}

# ---- tests of the checks ----

plant() { mkdir -p "$tree/$(dirname "$1")"; cat >"$tree/$1"; }
finds() # WHAT COMMAND...
{
	expected=$1; shift
	"$@" >"$work/found"
	grep -q -- "$expected" "$work/found" || fail "the check does not find: $expected"
}
finds_nothing() # COMMAND...
{
	"$@" >"$work/found"
	[ ! -s "$work/found" ] || { cat "$work/found" >&2; fail "found where nothing is: $*"; }
}

tree=$work/tree
plant src/engine/base/low.h </dev/null
plant src/engine/model/high.h </dev/null
plant src/engine/model/high.c <<'END'
#include "base/low.h"
const int tools = 1;
int high(void) { return 1; }
END
plant src/engine/base/low.c <<'END'
extern const int tools;
int low(void);
int low(void) { return tools; }
END
compile() { (cd "$tree/$(dirname "$1")" && ${CC:-cc} -I"$tree/src/engine" -c "$(basename "$1")"); }
compile src/engine/base/low.c
compile src/engine/model/high.c
finds_nothing check_includes "$tree"
finds_nothing check_symbols "$tree" "$tree"
finds_nothing check_cycles "$tree" "$tree"
echo 'int high(void); int up(void) { return high(); }' | plant src/engine/base/up.c
compile src/engine/base/up.c
finds 'base/up.c links src/engine/model/high.c (high)' check_symbols "$tree" "$tree"
finds '^engine/base and engine/model are in a cycle' check_cycles "$tree" "$tree"
rm "$tree/src/engine/base/up.c"
finds_nothing check_symbols "$tree" "$tree"
echo '#include "model/high.h"' | plant src/engine/base/low.h
finds 'base/low.h includes src/engine/model/high.h' check_includes "$tree"
finds '^engine/model and engine/base are in a cycle' check_cycles "$tree" "$tree"
plant src/engine/input/open.c <<'END'
#include "input/kineto/kineto.h"
END
echo '#include "input/json.h"' | plant src/engine/input/kineto/kineto.h
plant src/engine/input/json.h </dev/null
plant src/engine/base/low.h </dev/null
finds_nothing check_includes "$tree"
finds_nothing check_cycles "$tree" "$tree"
echo '#include "input/open.h"' | plant src/engine/input/json.h
plant src/engine/input/open.h </dev/null
finds 'input/json.h includes src/engine/input/open.h' check_includes "$tree"
plant src/gui/window.c <<'END'
#include "engine/base/low.h"
END
finds 'gui/window.c: its folder is in no layer' check_includes "$tree"

printf '%s\n' src/used.h src/used.c src/user.c >"$work/files"
plant src/used.h <<'END'
int called(int one);	/* not lonely() */
const char *lonely(void);
int slow(void);
static inline int fast(void) { return slow(); }
END
echo 'int called(int one) { return lonely() ? one : slow(); }' | plant src/used.c
printf '/*\n * lonely()\n */\nint user(int (*call)(int)) { return "lonely" ? called(1) : fast(); }\n' | plant src/user.c
finds '^src/used.h:2: lonely is used nowhere outside of src/used.c$' check_unused "$tree" "$work/files"
assert_equal "unused functions" 1 "$(wc -l <"$work/found")"

printf '%s\n' src/listed.c seeds/one src/forgotten.c >"$work/files"
printf '%s\n' src/listed.c seeds >"$work/listed"
finds 'src/forgotten.c: not in the list' check_lists "$work/files" "$work/listed"
assert_equal "files in no list" 1 "$(wc -l <"$work/found")"

mkdir -p "$tree/src/b"
printf '%s\n' src/a.c src/b/a.c src/b/c.c src/b/d.c >"$work/files"
for file in a b/a b/c; do
	echo 'static int add(int one)' | plant src/$file.c
done
printf 'struct group {\n' | plant src/b/d.c
finds_nothing check_tags "$tree" "$work/files"
finds_nothing check_statics "$tree" "$work/files"
finds_nothing check_lines "$tree" "$work/files" 4
finds '^src has 4 lines of C; at most 3 are allowed$' check_lines "$tree" "$work/files" 3
finds '^a file of the name a is in src/ src/b/$' check_files "$work/files"
printf 'static int add(int one,\n\t       int two)\nenum group { A };\n' | plant src/b/d.c
finds_nothing check_tags "$tree" "$work/files"
finds '^the static function add is in src/a.c src/b/a.c src/b/c.c src/b/d.c$' check_statics "$tree" "$work/files"
echo 'static const struct group { int one; } groups[] = {' | plant src/b/c.c
finds '^the tag group is in src/b/c.c src/b/d.c$' check_tags "$tree" "$work/files"
printf '%s\n' src/b/a.c src/b/c.c >"$work/files"
finds_nothing check_files "$work/files"
echo src/engine/tools/one/one.c >"$work/files"
echo 'static const struct reader *const readers[] = {' | plant src/engine/tools/one/one.c
finds_nothing check_readers "$tree" "$work/files"
echo 'const struct reader one_reader = {' | plant src/engine/tools/one/one.c
finds '^src/engine/tools/one/one.c:1: a reader among the tools$' check_readers "$tree" "$work/files"
echo 'static const struct reader *const readers[] = { &two_reader, NULL };' | plant src/engine/tools/one/one.c
echo 'extern const struct reader two_reader, forgotten_reader;' | plant src/engine/input/readers.h
finds '^src/engine/input/readers.h:1: no tool has forgotten_reader$' check_readers "$tree" "$work/files"
assert_equal "readers without a tool" 1 "$(wc -l <"$work/found")"

printf '%s\n' src/names.c src/engine/base/platform.c >"$work/files"
printf 'char *at = platform_memrchr(a, 1, 2);\n"/proc/sys/kernel"\n' | plant src/names.c
echo 'qsort_r(a, 1);' | plant src/engine/base/platform.c
finds_nothing check_systems "$tree" "$work/files"
printf 'int one;\nqsort_r(a, 1);\nopen("/proc/self/exe");\n' | plant src/names.c
finds '^src/names.c:2: .*qsort_r( belongs in base/platform.c$' check_systems "$tree" "$work/files"
assert_equal "systems" 2 "$(wc -l <"$work/found")"

formatter=
for command in clang-format-14 clang-format; do
	[ -n "$formatter" ] || ! $command --version 2>/dev/null | grep -q 'version 14\.' || formatter=$command
done
[ ! -e "$srcdir/.clang-format" ] || cp "$srcdir/.clang-format" "$tree"
echo src/format.c >"$work/files"
printf 'int one(void)\n{\n\treturn 1;\n}\n' | plant src/format.c
if [ "$formatter" ]; then
	finds_nothing check_format "$tree" "$work/files"
	echo 'int  one (void) {return 1;}' | plant src/format.c
	finds '^src/format.c:1:' check_format "$tree" "$work/files"
fi

echo README.md >"$work/files"
printf 'Of so,\nmany things none is foretelling.\n' | plant README.md
finds '^README.md:2: so m''any $' check_phrases "$tree" "$work/files"
assert_equal "phrases" 1 "$(wc -l <"$work/found")"
printf 'Calls it no''body\nat all.\n' | plant README.md
finds '^README.md:1: no''body $' check_phrases "$tree" "$work/files"
assert_equal "phrases" 1 "$(wc -l <"$work/found")"
echo 'Somebody calls it.' | plant README.md
finds_nothing check_phrases "$tree" "$work/files"

printf '%s\n' src/names.c src/engine/base/low.h >"$work/files"
printf '/*\n * As base/low.h, says high.h.\n */\nint none; // no.h\n' | plant src/names.c
finds '^src/names.c:2: there is no file high.h$' check_names "$tree" "$work/files"
assert_equal "names" 1 "$(wc -l <"$work/found")"

# ---- the tree ----

: >"$work/files"
# Distributed files. The Makefile copies `check` separately.
printf 'include Makefile\nlisted:\n\t@printf "%%s\\n" $(DISTFILES) check\n' |
	MAKEFLAGS= ${MAKE:-make} -s -f - listed |
	sed "s|^$srcdir/||; s|^\(\.\./\)*\(\./\)*||" >"$work/listed"
[ ! -e "$srcdir/.git" ] || git -C "$srcdir" ls-files >"$work/files" 2>/dev/null || :
[ -s "$work/files" ] ||
	(cd "$srcdir" && find src tests man themes doc -type f -name '*.?*' ! -name '*.[ao]' ! -name '*.log' \
		! -name '*.trs' ! -name '*.P*o' ! -name '.dirstamp') >"$work/files"
[ -s "$work/listed" ] || fail "no list of the distributed files"
grep -q '^src/engine/base/.*\.c$' "$work/files" || fail "no files to check"

status=0 skipped=
for check in $checks; do
	case $check in
	includes) check_includes "$srcdir" ;;
	symbols) check_symbols "$srcdir" "$builddir" ;;
	cycles) check_cycles "$srcdir" "$builddir" ;;
	unused) check_unused "$srcdir" "$work/files" ;;
	lists) check_lists "$work/files" "$work/listed" ;;
	format) [ ! "$formatter" ] || check_format "$srcdir" "$work/files" ;;
	phrases) check_phrases "$srcdir" "$work/files" ;;
	names) check_names "$srcdir" "$work/files" ;;
	lines) check_lines "$srcdir" "$work/files" "$ceiling" ;;
	tags) check_tags "$srcdir" "$work/files" ;;
	files) check_files "$work/files" ;;
	statics) check_statics "$srcdir" "$work/files" ;;
	systems) check_systems "$srcdir" "$work/files" ;;
	readers) check_readers "$srcdir" "$work/files" ;;
	*) fail "no check is named $check" ;;
	esac >"$work/found"
	[ ! -s "$work/found" ] || {
		sed "s/^/$check: /" "$work/found"
		echo "$check: $(wc -l <"$work/found") findings"
		status=1
	}
	[ "$check" != format ] || [ "$formatter" ] || skipped=yes
done
[ $status = 0 ] || fail "see above"
[ ! "$skipped" ] || skip "the format: no clang-format 14 here; every other check passed"
