# Chooses places for mutants, of the lines FILE LINE KIND COLUMN TEXT on its input, sorted by file:
#
#   awk -f choose.awk -v seed=SEED PLACES | sort -k1,1 | cut -f2-
#
# puts the order of choice before each: files in proportion to their lines that have a place, one place a line
# of code. The order of files follows from their names and that of a file's places from their text, so a change of
# code elsewhere leaves the choice as it is.

function mixed(text,    i, value)
{
	value = seed + 1
	for (i = 1; i <= length(text); i++)
		value = (value * 131 + code[substr(text, i, 1)]) % 2147483647
	for (i = 0; i < 3; i++)
		value = (value * 48271) % 2147483647
	return value
}

# The places of a file, by the least number among those of a line.
function end_file(    at, other, rank, start)
{
	start = mixed(file) / 2147483648
	for (at = 1; at <= lines; at++) {
		rank = 0
		for (other = 1; other <= lines; other++)
			rank += least[other] < least[at] || (least[other] == least[at] && other < at)
		printf "%.9f %010d\t%s\n", (rank + start) / lines, least[at], place[at]
	}
	lines = 0
}

BEGIN {
	FS = "\t"
	for (i = 1; i < 128; i++)
		code[sprintf("%c", i)] = i
}

$1 != file { end_file(); file = $1; line = "" }
$2 != line { line = $2; least[++lines] = 2147483648 }
{
	text = $0
	sub(/^[^\t]*\t[^\t]*\t/, "", text)
	value = mixed($1 text)
	if (value < least[lines]) {
		least[lines] = value
		place[lines] = $0
	}
}

END { end_file() }
