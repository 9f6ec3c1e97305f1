# C of nsys_reports.txt (with records.awk): its reports, presets and tables.

function finish(    title)
{
	title = "title" in value ? value["title"] : name
	print "const struct " ("table" in value ? "view nsys_table_" : "nsys_report nsys_report_") name " = {"
	if (!("table" in value))
		print "\t.view = {"
	print "\t.name = " quote("nsys-" title) ",\n\t.title = " quote(title) ","
	print "\t.build = nsys_build_" ("build" in value ? value["build"] : "sums") ","
	if ("table" in value) {
		print_members("columns")
		print "};"
		return
	}
	if (!("default_columns" in value))
		value["default_columns"] = value["columns"]
	print_members("row columns default_columns")
	print "\t.summary = " quote("nsys stats: " ("about" in value ? value["about"] : "each " value["row"]) ".") ","
	print "\t.default_sort = " quote(value["default_sort"]) ",\n\t.no_selection = " ("sql" in value ? "true" : "false") ","
	print "\t},"
	print_members("heading titles sql empty")
	print "};"
	views = views "\t&nsys_report_" name ".view,\n"
	presets = presets "\t{ " quote("nsys-" title) ", .summary = " quote("Nsight Systems " value["preset"]) ",\n" \
		"\t.view = &nsys_report_" name ".view, .forms = NSYS_FORMS, .limit = " \
		("limit" in value ? value["limit"] : "SIZE_MAX") " },\n"
}

BEGIN { print "#include \"tools/nsys/nsys_reports.h\"" }
END {
	print "const struct view *const nsys_report_views[] = {\n" views "\tNULL,\n};"
	print "const struct preset nsys_presets[] = {\n" presets "\t{ NULL },\n};"
}
