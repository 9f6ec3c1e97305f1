# Initializers of C, one for each row of a table of text NAME.txt, in the macro NAME_ROWS. Its lines "#: member:form ..." name members and forms of the
# cells, in their order: text, optional (text, none: NULL), escaped (text with escapes of C), letter (none: 0), code
# (none: 0), options (members that few rows set: "member=code; flag") or, for words that are combined, the prefix of
# their names. "\|" in a cell is a bar. A row that is longer goes on in lines that begin with a blank.

function options_of(cell,    words, count, i, all)
{
	count = split(cell, words, /; */)
	for (i = 1; i <= count; i++)
		all = all " ." words[i] (words[i] ~ /=/ ? "" : " = true") ","
	return all
}

function c_of(cell, form,    words, count, i, all)
{
	if (form == "text" || (form == "optional" && cell != "")) {
		gsub(/["\\]/, "\\\\&", cell)
		return "\"" cell "\""
	}
	if (form == "optional")
		return "NULL"
	if (form == "escaped")
		return "\"" cell "\""
	if (form == "letter")
		return cell == "" ? 0 : "'" cell "'"
	if (form == "code")
		return cell == "" ? 0 : cell
	count = split(cell, words, " ")
	for (i = 1; i <= count; i++)
		all = all (i > 1 ? " | " : "") form words[i]
	return all
}

function end_row(    cells, count, i, at)
{
	if (row == "")
		return
	count = split(row, cells, / \|/)
	printf " \\\n\t{"
	for (i = 1; i <= count && i <= members; i++) {
		gsub(/^ +| +$/, "", cells[i])
		gsub(/\\\|/, "|", cells[i])
		at = index(member[i], ":")
		if (member[i] == ":options")
			printf "%s", options_of(cells[i])
		else
			printf " .%s = %s,", substr(member[i], 1, at - 1), c_of(cells[i], substr(member[i], at + 1))
	}
	printf " },"
	row = ""
}

/^#: / { members = split(forms = forms substr($0, 3), member, " ") }
FNR == 1 {
	name = FILENAME
	gsub(/.*\/|\.txt$/, "", name)
	printf "\n#define %s_ROWS", toupper(name)
}
END {
	end_row()
	print ""
}
