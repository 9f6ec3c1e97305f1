# Records of a text: a line with a name, and under it a line for each member, begun by a tab, with what it is;
# one that is longer goes on in lines that begin with two tabs. `define NAME TEXT` is for $NAME in what follows,
# with @ in it for the x of $NAME(x). Another program of awk has finish(), which prints the record NAME with its
# VALUE by member.

function fail(what)
{
	print FILENAME ":" FNR ": " what >"/dev/stderr"
	exit failed = 1
}

function expand(text,    all, at, use, argument)
{
	while (match(text, /\$[A-Z_]+(\([^()]*(\([^()]*\))?[^()]*\))?/)) {
		use = substr(text, RSTART + 1, RLENGTH - 1)
		all = substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		argument = ""
		if ((at = index(use, "("))) {
			argument = substr(use, at + 1, length(use) - at - 1)
			use = substr(use, 1, at - 1)
		}
		if (!(use in defined))
			fail(name ": not defined: " use)
		use = defined[use]
		while ((at = index(use, "@")))
			use = substr(use, 1, at - 1) argument substr(use, at + 1)
		text = all use text
	}
	return text
}

function quote(text)
{
	text = expand(text)
	gsub(/["\\]/, "\\\\&", text)
	return "\"" text "\""
}

# Members of C for those words of MEMBERS that the record has.
function print_members(members,    count, member, i)
{
	count = split(members, member, " ")
	for (i = 1; i <= count; i++)
		if (member[i] in value)
			print "\t." member[i] " = " (value[member[i]] == "" ? "true" : quote(value[member[i]])) ","
}

function end_record()
{
	if (name != "")
		finish()
	name = defining = ""
	split("", value)
}

# Lists go on without a blank after a comma.
function joined(text, more, is_list)
{
	return text (is_list && text ~ /,$/ ? "" : " ") more
}

/^(#|$)/ { next }
/^define [A-Z_]+ / {
	end_record()
	defining = $2
	defined[defining] = substr($0, length("define  ") + length(defining) + 1)
	next
}
/^[a-z]/ {
	end_record()
	name = $1
	next
}
/^\t[a-z]/ && name != "" {
	if ($1 in value)
		fail("repeated: " $1)
	member = $1
	value[member] = substr($0, length(member) + 3)
	next
}
/^\t\t/ && defining != "" {
	defined[defining] = joined(defined[defining], substr($0, 3), 1)
	next
}
/^\t\t/ && name != "" {
	value[member] = joined(value[member], substr($0, 3), member ~ /^(columns|default_columns|titles)$/)
	next
}
{ fail("neither a record nor a line of one") }
END {
	if (failed)
		exit 1
	end_record()
}
