# C of views.txt: -v part=h prints the enums of columns, -v part=c the views.

function fail(what)
{
	print FILENAME ":" FNR ": " what >"/dev/stderr"
	exit failed = 1
}

function quote(text)
{
	gsub(/["\\]/, "\\\\&", text)
	return "\"" text "\""
}

# The words of TEXT, in upper case after PREFIX, or as texts without one.
function join(text, prefix, between,    count, word, i, all)
{
	count = split(text, word, " ")
	for (i = 1; i <= count; i++)
		all = all (i > 1 ? between : "") (prefix ? prefix toupper(word[i]) : quote(word[i]))
	return all
}

function print_enum(id,    count, column, i)
{
	print "enum " id "_column {"
	count = split(value["columns"], column, ",")
	for (i = 1; i <= count; i++)
		print "\t" toupper(id) "_" column[i] ","
	print "};"
}

# The view whose lines end here.
function finish(    id, builder, member)
{
	if (name == "")
		return
	id = name
	gsub(/-/, "_", id)
	builder = "build_" ("build" in value ? value["build"] : id)
	if (!("unlisted" in value))
		listed = listed "\t&view_" id ",\n"
	if (part == "h") {
		if ("cells" in value)
			print_enum(id)
	} else {
		if (!("default_columns" in value))
			value["default_columns"] = value["columns"]
		print "const struct view view_" id " = {\n\t.name = " quote(name) ",\n\t.build = " builder ","
		for (member in value)
			if (member == "wide")
				print "\t.wide = " join(value[member], "WIDE_", " | ") ","
			else if (member == "groups")
				print "\t.groups = { " join(value[member], "", ", ") " },"
			else if (member == "key")
				print "\t.key = '" value[member] "',"
			else if (member !~ /^(build|cells|unlisted)$/)
				print "\t." member " = " (value[member] == "" ? "true" : quote(value[member])) ","
		print "};"
	}
	split("", value)
}

/^(#|$)/ { next }
/^[a-z]/ {
	finish()
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
/^\t\t/ && member != "" {
	value[member] = value[member] (member ~ /columns$/ ? "" : " ") substr($0, 3)
	next
}
{ fail("neither a view nor a line of one") }

BEGIN {
	if (part == "c")
		print "#include \"views/views.h\""
}
END {
	if (failed)
		exit 1
	finish()
	if (part == "c")
		print "const struct view *const listed_views[] = {\n" listed "\tNULL,\n};"
}
