# Finds places for mutants in a C file of this project's format, and puts them in.
#
#   awk -f mutate.awk -v mode=list FILE             LINE KIND COLUMN TEXT, one place a line
#   awk -f mutate.awk -v mode=apply -v places="NUMBER:LINE:KIND:COLUMN ..." FILE
#
# Kinds: negate (a comparison), drop (an operand of && or ||), minus (+ and += become - and -=),
# number (plus one), skip (a call that is a statement).  Only places whose expression ends on the same
# line are found; a mutant that does not compile is left out by the caller.

# The line with the content of strings and characters blanked, at equal length.
function masked(text,    out, i, c, quote)
{
	out = ""; quote = ""
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (quote == "") {
			if (c == "\"" || c == "'") quote = c
			out = out c
		} else if (c == "\\") {
			out = out "xx"; i++
		} else {
			if (c == quote) { quote = ""; out = out c }
			else out = out "x"
		}
	}
	return out
}

# First position from AT at which an expression that binds tighter than && ends; 0: not on this line.
function bound(text, at,    depth, c, two)
{
	depth = 0
	for (; at <= length(text); at++) {
		c = substr(text, at, 1); two = substr(text, at, 2)
		if (c ~ /[([{]/) depth++
		if (c ~ /[])}]/ && depth-- == 0) return at
		if (depth == 0 && (c == "," || c == ";" || c == "?" || two == "&&" || two == "||" ||
				   substr(text, at, 3) == " : "))
			return at
	}
	return 0
}

# Replace LENGTH characters of the line from COLUMN by TEXT, and END before its bound.
function change(line, mask, column, skipped, text, end,    to, before)
{
	to = bound(mask, column + skipped)
	before = substr(line, column + skipped, to - column - skipped)
	sub(/ +$/, "", before)
	return substr(line, 1, column - 1) text before end " " substr(line, to)
}

function mutated(line, mask, kind, column, number,    call, op)
{
	call = "mutant(" number ")"
	op = substr(mask, column, 2)
	if (kind == "negate")
		return change(line, mask, column, 0, "", " ^ " call)
	if (kind == "drop" && op == "&&")
		return change(line, mask, column, 2, "&& (" call " || (", "))")
	if (kind == "drop")
		return change(line, mask, column, 2, "|| (!" call " && (", "))")
	if (kind == "minus")
		return substr(line, 1, column - 1) (op == "+=" ? op : "+") " (1 - 2 * " call ") *" \
			substr(line, column + (op == "+=" ? 2 : 1))
	if (kind == "number") {
		match(substr(mask, column), /^[0-9]+/)
		return substr(line, 1, column - 1) "(" substr(line, column, RLENGTH) " + " call ")" \
			substr(line, column + RLENGTH)
	}
	match(line, /^\t+/)
	return substr(line, 1, RLENGTH) "{ if (!" call ") " substr(line, RLENGTH + 1) " }"
}

# Does the statement that begins in the line end there?
function whole(mask)
{
	return gsub(/[(]/, "(", mask) == gsub(/[)]/, ")", mask)
}

function found(kind, column)
{
	if (mode == "list")
		print FNR "\t" kind "\t" column "\t" $0
}

# Does the operand only end a loop early, or say so, after a cancellation? tests/unit/test_cancel counts these.
function only_cancels(mask, column)
{
	return substr(mask, column + 3) ~ /^(on|done|error_cancelled\([^ ]*\)|detect_row\([a-z>-]+, [a-z]+\))([;)]| &&)/
}

# What is compiled on another machine, or without a library.
function not_here(    at)
{
	for (at = 1; at <= nested; at++)
		if (elsewhere[at])
			return 1
	return 0
}

# All places of OPERATOR (a regular expression) in the line.
function find(mask, operator, kind,    at, rest, column)
{
	for (at = 1; match(substr(mask, at), operator); at = column + 1) {
		column = at + RSTART
		if (kind == "minus" || (bound(mask, column + 2) && !(kind == "drop" && only_cancels(mask, column))))
			found(kind, column)
		if (column >= length(mask))
			break
	}
}

BEGIN {
	count = split(places, list, " ")
	for (i = 1; i <= count; i++) {
		split(list[i], part, ":")
		at_line[part[2]] = part[1]; kind_of[part[2]] = part[3]; column_of[part[2]] = part[4]
	}
}

/^#if/ { nested++; here[nested] = /HAVE_|__x86_64__|__linux__|__has_include/; elsewhere[nested] = /__aarch64__/ }
/^#elif/ { elsewhere[nested] = /__aarch64__/ }
/^#else/ { elsewhere[nested] = here[nested] }
/^#endif/ { nested-- }
/^\{/ { inside = 1 }
/^\}/ { inside = 0 }
{ fixed = inside && ($0 ~ /static|enum|assert|check_fail|require|case |sizeof|\/\*|^\t* \*|\\$/ || constant) }
/static .*[^;]$/ { constant = 1 }
/;$/ { constant = 0 }

inside && !fixed && !not_here() && /^\t/ {
	mask = masked($0)
	if (mode == "list") {
		find(mask, " (==|!=|<|>|<=|>=) ", "negate")
		find(mask, " (&&|\\|\\|) ", "drop")
		if (mask !~ /mem_[a-z_]*(alloc|grow|no_rows)\(/)
			find(mask, " (\\+|\\+=) ", "minus")
		if (mask !~ /\[|hash_new\(|progress/ && match(mask, /[^A-Za-z0-9_.]([2-9]|[1-9][0-9]+)[^A-Za-z0-9_.]/))
			found("number", RSTART + 1)
		if (begins && whole(mask) && mask ~ /^\t+[a-z_]+\(.*\);$/ && mask !~ /va_end|free|clear|destroy|drop|release|close|trim|reserve|mem_grow_to|progress/)
			found("skip", 1)
	} else if (FNR in at_line) {
		print mutated($0, mask, kind_of[FNR], column_of[FNR], at_line[FNR])
		next
	}
}
{ begins = /([;{}:)]|else|\*\/)$/ }
mode == "apply" { print }
