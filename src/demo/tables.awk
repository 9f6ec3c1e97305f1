# Tables of C, from texts: a line "= NAME TEMPLATE" begins the macro NAME, the elements of an array. Each row below is
# an element: its cells stand for $1, $2 and so on of the TEMPLATE, behind which " # WHAT" may name a cell that is a
# remark. A bar without a blank before it is a part of a cell, as is ||; a row that is longer goes on in lines that
# begin with a blank. The elements of a NAME with a parameter, "NAME(_)", have no commas between them.

function end_row(    cells, count, most, all, at, rest)
{
	if (row == "")
		return
	gsub(/ \|\| /, " \001\001 ", row)
	count = split(row, cells, / \|/)
	rest = template
	while (match(rest, /\$[1-9]/)) {
		at = substr(rest, RSTART + 1, 1)
		most = at > most ? at : most
		gsub(/^ +| +$/, "", cells[at])
		gsub(/\001/, "|", cells[at])
		all = all substr(rest, 1, RSTART - 1) cells[at]
		rest = substr(rest, RSTART + 2)
	}
	if (count != most + remarks) {
		print FILENAME ": a row of " name " has other cells than its template: " row >"/dev/stderr"
		exit failed = 1
	}
	printf " \\\n\t%s%s%s", all, rest, name ~ /\)$/ ? "" : ","
	row = ""
}

/^= / {
	end_row()
	name = $2
	template = substr($0, length(name) + 4)
	remarks = sub(/ # .*/, "", template)
	printf "\n#define %s", name
	next
}
END {
	if (failed)
		exit 1
	end_row()
	print ""
}
