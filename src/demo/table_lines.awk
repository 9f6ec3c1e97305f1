# Lines of a table of text: comments and empty lines are skipped, a line that begins with a blank goes on with the row
# before. Read after the program whose end_row() takes each row.

/^(#|$)/ { next }
/^[ \t]/ {
	sub(/^[ \t]+/, "")
	row = row " " $0
	next
}
{
	end_row()
	row = $0
}
