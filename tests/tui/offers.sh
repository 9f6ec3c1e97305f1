# What the footer offers for a row works there: on each kind of row of each view, every key of the footer
# but that which quits. No key answers that there is nothing, and none ends in an empty view.
. "${srcdir:-.}/tests/tui/lib.sh"

views=$(strata views | sed -n 's/^\([a-z-]*\): a row .*/\1/p')
[ "$(echo "$views" | wc -l)" -gt 40 ] || fail "views are missing"

# Places are lines "SCREEN VIEW KEYS": what KEYS lead to in VIEW is saved as SCREEN.

# rows: some of each view; under sanitizers the first and the last, as the others offer no other code
rows()
{
	for view in $views dashboard; do
		echo "$view.0 $view <Home>"
		[ "${SANITIZERS-}" ] || for row in 1 2 4 7 12 17; do
			echo "$view.$row $view <Home>$(printf "%${row}s" | tr ' ' j)"
		done
		echo "$view.last $view <End>"
	done
}

# events: of the timeline the first of its lanes, beyond them and a gap
events()
{
	number=0
	for lane in '' j jj jjj jjjj jjjjj jjjjjj jjjjjjj jjjjjjjj; do
		for go in '' . ..... '}' '<End>'; do
			number=$((number + 1))
			echo "e.$number timeline 0<Home>kkkkkkkkkkkkkkkkkkkk$lane$go"
		done
	done
}

# presses: the script that goes to each place in $work/places again and presses every key that its footer
# offers. Places of a view that offer the same are of one kind, the first of which is tried. What is pressed
# goes to $work/pressed: SCREEN, that of the place, KEY.
presses()
{
	: >"$work/pressed"
	awk -v work="$work/" '
	function footer(file,    line)
	{
		line = ""
		while ((getline line <file) > 0)
			continue
		close(file)
		return line
	}
	# The keys of a footer as they are written in scripts, in order: equal for rows of one kind.
	function offered(line,    part, parts, i, at, key)
	{
		parts = split(line, part, /   */)
		count = 0
		for (i = 1; i <= parts; i++) {
			sub(/^ +/, "", part[i])
			key = part[i]
			if (key !~ /^[^ ]+ [A-Z][A-Za-z ]*$/ || key ~ /^Q /)
				continue
			sub(/ .*/, "", key)
			if (key ~ /^[A-Z][a-z][A-Za-z]*$/)
				key = "<" key ">"
			for (at = count++; at > 0 && keys[at] > key; at--)
				keys[at + 1] = keys[at]
			keys[at + 1] = key
		}
	}
	{
		offered(footer(work $1))
		kind = $2
		for (i = 1; i <= count; i++)
			kind = kind " " keys[i]
		if (kind in tried)
			next
		tried[kind]
		for (i = 1; i <= count; i++) {
			if (i > 1 && keys[i] == keys[i - 1])
				continue
			print $1 "-" i, $1, keys[i] >>(work "pressed")
			script = ":view " $2 "\n" $3 keys[i] "\n:save-screen " $1 "-" i "\n" \
				($2 == "timeline" ? "<Esc><Esc>\n" : "<Esc>\n")
			# those that change the grouping last, as rows are others then
			if (keys[i] == "t")
				last = last script
			else
				printf "%s", script
		}
	}
	END { printf "%s", last }' "$work/places"
}

# judge: what is wrong with the screens of $work/pressed
judge()
{
	awk -v work="$work/" '
	function look(screen,    line)
	{
		last = screen " is not saved: nothing"
		empty = 0
		while ((getline line <(work screen)) > 0) {
			empty = empty || line ~ /^ *(No rows\.|No events)/
			last = line
		}
		close(work screen)
		return empty
	}
	{
		is_empty = look($1)
		if (last ~ /nothing|no link|no linked|not in this profile|no time range|does nothing/) {
			sub(/.*  /, "", last)
			print $3 " at " $2 ": " last
		}
		if ($2 ~ /^advice\./ && $3 == "t") # without findings these are none
			next
		if (is_empty && !look($2))
			print $3 " at " $2 " leads to an empty view"
	}' "$work/pressed"
}

# offers PROFILE NUMBER PLACES: at the places of that name every key that they offer, at least NUMBER
offers()
{
	$3 >"$work/places"
	awk '{ print ":view " $2; print $3; print ":save-screen " $1 }' "$work/places" | play 260x45 "$1"
	presses >"$work/keys"
	play 260x45 "$1" <"$work/keys"
	bad=$(judge)
	[ ! "$bad" ] || fail "$1: $bad"
	[ "$(wc -l <"$work/pressed")" -ge "$2" ] || fail "$1: only $(wc -l <"$work/pressed") keys are offered"
	echo "$1: $(wc -l <"$work/pressed") keys of $3"
	rm "$work"/*.*
}

# A sample of rows offers fewer.
least=1
[ "${SANITIZERS-}" ] || least=80
offers --demo $((least * 5 / 2)) rows
offers --demo 30 events

# Other kinds of profile.
for file in $(some ncu/silu_cuda_a100.details.csv memory_snapshot/inference_128_proto4.pickle \
	execution_trace/linear_et.json.gz rocpd/rocpd_3.0.0_single.db pprof/simple.prof \
	tensorrt/mobilenet.qat.engine.profile.json xplane/jax_conv_mi300_legacy.xplane.pb \
	kineto/param/linear_kineto.json.gz kineto/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz); do
	if [ -e "$corpus/$file" ]; then
		offers "$corpus/$file" $least rows
		offers "$corpus/$file" 1 events
	else
		echo "$file is not here"
	fi
done
