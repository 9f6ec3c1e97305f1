# A walk through the explorer, as a script for --script that saves the screen after every few keys to
# FILE.1, FILE.2 and so on: to every view, then keys at random.
#
#   strata views -f csv | awk -f walk.awk -v seed=7 -v keys=200 -v file=FILE

function random(below)
{
	state = (state * 48271) % 2147483647
	return int(state / 2147483647 * below)
}

function save()
{
	print ":save-screen " file "." ++saved
}

BEGIN {
	FS = ","
	state = seed % 100000 * 7919 + 17
	for (i = 0; i < 5; i++)
		random(2)
	count = split("j j j k <PageDown> g G } { z ( ) <Enter> <Enter> l h <Backspace> ] [ f P t d I < > " \
		"n N * p W % + - e E C i O x <Esc> <Space> U S . , <Tab> 5 6 2 3 4 7 8 9 w s r a A D 0 F <Left> " \
		"<Right> c <Down> <Up> H ? o <S-Left> <S-Right> 1 M v T", key, " ")
}

NR > 1 { view[++views] = $1 }

END {
	for (i = 1; i <= views; i++)
		if (view[i] != "info") {
			print ":view " view[i]
			save()
		}
	for (i = 0; i < keys; i++) {
		print key[1 + random(count)]
		if (i % 3 == 2)
			save()
		else # which waits for what is computed in the background
			print ":save-screen " file
		if (i % 25 == 24)
			print "<Esc><Esc>\n:view " view[1 + random(views)]
		if (i % 40 == 39)
			print ":filter [aegm]"
		if (i % 40 == 19)
			print ":search [dno]"
	}
}
