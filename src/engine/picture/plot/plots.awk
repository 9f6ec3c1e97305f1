# C of plots.txt (with src/demo/records.awk).

# "name | title | view | its grouping; ..." as initializers of struct plot_group.
function groups_of(text,    count, group, cells, cell, i, j, all)
{
	count = split(text, group, /; */)
	for (i = 1; i <= count; i++) {
		cells = split(group[i], cell, / *\| */)
		all = all (i > 1 ? ", " : "") "{ " quote(cell[1])
		for (j = 2; j <= cells; j++)
			all = all ", " quote(cell[j])
		all = all " }"
	}
	return all
}

function finish()
{
	print "const struct plot_kind plot_" name " = {\n\t.build = plot_" name "_build,"
	if (!("name" in value))
		value["name"] = name
	print_members("name title summary")
	if ("range" in value)
		print "\t.range = PLOT_RANGE_" toupper(value["range"]) ","
	print "\t.groups = { " groups_of(value["groups"]) " },"
	if ("ref" in value)
		print "\t.ref = plot_" name "_ref,"
	print "};"
}

BEGIN { print "#include \"picture/plot/plot.h\"" }
