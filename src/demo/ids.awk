# An enumerator for each row of a table of text (src/engine/base/data_table.h), named after its first cell.
/^[a-z]/ {
	name = $1
	gsub(/-/, "_", name)
	print prefix toupper(name) ","
}
