# C of views.txt (with records.awk): -v part=h prints the enums of columns, -v part=c the views, which HEADERS
# declare.

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

function finish(    id, member)
{
	id = name
	gsub(/-/, "_", id)
	if (part == "h") {
		if ("cells" in value)
			print_enum(id)
		return
	}
	if (!("unlisted" in value))
		listed = listed "\t&view_" id ",\n"
	if (!("default_columns" in value))
		value["default_columns"] = value["columns"]
	print "const struct view view_" id " = {\n\t.name = " quote(name) ","
	print "\t.build = build_" ("build" in value ? value["build"] : id) ","
	for (member in value)
		if (member == "wide")
			print "\t.wide = " join(value[member], "WIDE_", " | ") ","
		else if (member == "groups")
			print "\t.groups = { " join(value[member], "", ", ") " },"
		else if (member == "key")
			print "\t.key = '" value[member] "',"
		else if (member !~ /^(build|cells|unlisted)$/)
			print_members(member)
	print "};"
}

BEGIN {
	count = split(headers, header, " ")
	for (i = 1; i <= count; i++)
		print "#include \"" header[i] "\""
}
END {
	if (listed != "")
		print "const struct view *const listed_views[] = {\n" listed "\tNULL,\n};"
}
