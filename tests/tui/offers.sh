# What the footer offers for a row works there: on each kind of row of each view, every key of the footer
# but that which quits. No key answers that there is nothing, and none ends in an empty view.
. "${srcdir:-.}/tests/tui/lib.sh"

views=$(strata views | sed -n 's/^\([a-z-]*\): a row .*/\1/p')
[ "$(echo "$views" | wc -l)" -gt 40 ] || fail "views are missing"
plots=$(awk '/^[a-z]/ { name = $1; names[++count] = name } $1 == "name" { names[count] = $2 } END { for (i = 1; i <= count; i++) print names[i] }' "$srcdir/src/engine/picture/plot/plots.txt")

# Places are lines of SCREEN, the commands that open something, and the KEYS pressed there, apart by tabs: what
# they lead to is saved as SCREEN. Commands are apart by bars.

# place SCREEN COMMANDS [KEYS]
place() { printf '%s\t%s\t%s\n' "$1" "$2" "${3-}"; }

# count NUMBER: its keys
count() { echo "$1" | sed 's/./<M-&>/g'; }

# rows: some of each view; under sanitizers the first and the last, as the others offer no other code
rows()
{
	for view in $views dashboard; do
		place "$view.0" ":view $view" "<Home>"
		[ "${SANITIZERS-}" ] || for row in 1 3 7 17; do
			place "$view.$row" ":view $view" "<Home>$(count $row)j"
		done
		place "$view.last" ":view $view" "<End>"
	done
}

# events: of the timeline the first of its lanes, beyond them and a gap
events()
{
	number=0
	up=$(count 60)k
	for lane in '' j "$(count 2)j" "$(count 3)j" "$(count 4)j" "$(count 5)j" "$(count 6)j" "$(count 7)j" "$(count 8)j"; do
		for go in '' . ..... '}' '<End>'; do
			number=$((number + 1))
			place "e.$number" ':view timeline' "0<Home>$up<Home>$lane$go"
		done
	done
}

# drawn: points of plots, results of queries and a diff
drawn()
{
	for plot in $plots; do
		place "$plot.0" ":view timeline|:view dashboard|:plot $plot"
		place "$plot.1" ":view timeline|:view dashboard|:plot $plot" '<Home><Right><Down>'
		place "$plot.2" ":view timeline|:view dashboard|:plot $plot" '<Home>'
	done
	number=0
	for query in 'select name, dur_ns from spans limit 3' 'select name, dur_ns, start_ns from launches limit 3' \
		'select path, gpu_total_ns from layers limit 3' 'select section, metric, value from overview'; do
		number=$((number + 1))
		place "sql.$number" ":view dashboard|:sql $query"
	done
	place d.1 ':view diff'
	place d.2 ':view diff' '<Enter>'
}

# asked: menus, texts and prompts
asked()
{
	number=0
	for view in dashboard operators kernels timeline; do
		for key in x s c o O '?' w / '&' : ';'; do
			number=$((number + 1))
			place "m.$number" ":view $view" "$key"
		done
	done
}

# presses ONCE: the script that goes to each place in $work/places again and presses every key that its footer
# offers, of those in ONCE each at the first. Places of one opening that offer the same are of one kind, the first of
# which is tried. What is pressed goes to $work/pressed: SCREEN, that of the place, KEY.
presses()
{
	awk -F '\t' -v work="$work/" -v once="$1" '
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
		opening = $2
		gsub(/\|/, "\n", opening)
		for (i = 1; i <= count; i++) {
			if (i > 1 && keys[i] == keys[i - 1])
				continue
			if (index(once, keys[i]) && seen[keys[i]]++)
				continue
			print $1 "-" i, $1, keys[i] >>(work "pressed")
			script = "<Esc>\n" opening "\n" ($3 ? $3 "\n" : "") keys[i] "\n:save-screen " $1 "-" i "\n<Esc><Esc>\n"
			# those that change the grouping last, as rows are others then
			if (keys[i] == "t")
				last = last script
			else
				printf "%s", script
		}
	}
	END { printf "%s", last }' "$work/places"
}

# judge: what is wrong with the screens of $work/pressed. A pane without rows says 0/0 or why there are none, or
# shows nothing between the lines above and below it.
judge()
{
	awk -v work="$work/" -v plotted="^(t[.]plot-)?($(echo $plots | tr ' ' '|'))[.]" '
	function look(screen,    line, number, says, said, noted, rows, shown)
	{
		last = screen " is not saved: nothing"
		number = said = noted = rows = shown = how = 0
		while ((getline line <(work screen)) > 0) {
			number++
			says = line ~ /^ *No [A-Za-z][^|│]*\.( |$)|^ *The (profile has no|file (has no|holds [a-z]+, not)) |^ *Nothing to plot/
			said = said || (says && number < 6)
			noted = noted || (says && screen ~ plotted)
			rows += line ~ /^>/
			how = how || line ~ /Record with/
			shown += number > 3 && line ~ /[^ ]/
			last = line
		}
		close(work screen)
		return said || (noted && !rows) || shown < 2 || last ~ / 0\/0 *$/
	}
	FILENAME ~ /places$/ {
		first = $1
		if (sub(/^t\..*\./, "&0 ", first) && sub(/ .*/, "", first) && look($1) && !look(first))
			print "grouping " $1 " is empty"
		next
	}
	{
		is_empty = look($1)
		if (last ~ /nothing|no link|no linked|not in this profile|no time range|does nothing/) {
			sub(/.*  /, "", last)
			print $3 " at " $2 ": " last
		}
		if ($2 ~ /^m\./ && $3 == "<Backspace>") # to the view of which the text is
			next
		if ($2 ~ /^advice\./ && $3 == "<Enter>" && how) # of a skipped check: how to record what it lacks
			next
		if (is_empty && !look($2))
			print $3 " at " $2 " leads to an empty view"
	}' "$work/pressed" "$work/places"
}

# turns VIEW: 0 and one number for each grouping: the last turn leads to the first of them again
turns()
{
	strata views | awk -v view="$1:" '
		$1 ~ /:$/ { here = $1 == view }
		here && /^ *group by / { last = gsub(/,/, "") + 1 }
		END { for (i = 0; i <= last; i++) print i }'
}

# turned OPENING NAME VIEW: the script that shows one grouping after another of what is opened, the first as NAME.0
turned()
{
	echo "$1"
	for turn in $(turns "$3"); do
		place "$2.$turn" "$1" >>"$work/places"
		echo ":save-screen $2.$turn"
		echo 't<Home>'
	done
	echo '<Esc><Esc>'
}

# groupings PROFILE: of each view and plot, none but the first is empty
groupings()
{
	for view in $views; do
		turned ":view $view" "t.$view" "$view"
	done >"$work/keys"
	for plot in $plots; do
		printf ':view timeline\n:view dashboard\n'
		turned ":plot $plot" "t.plot-$plot" "plot-$plot"
	done >>"$work/keys"
	play 260x45 "$1" <"$work/keys"
	: >"$work/pressed"
	settle "$1"
}

# settle PROFILE: fail if the screens are bad
settle()
{
	bad=$(judge)
	[ ! "$bad" ] || fail "$1: $bad"
	rm "$work"/*.* "$work/places"
}

# offers PROFILE NUMBER PLACES: at the places of that name every key that they offer, at least NUMBER
offers()
{
	$3 >"$work/places"
	awk -F '\t' '{ gsub(/\|/, "\n", $2); print $2 ($3 ? "\n" $3 : "") "\n:save-screen " $1 "\n<Esc><Esc>" }' "$work/places" |
		play 260x45 "$1"
	: >"$work/pressed"
	presses "$menus" >"$work/keys"
	play 260x45 "$1" <"$work/keys"
	[ "$(wc -l <"$work/pressed")" -ge "$2" ] || fail "$1: only $(wc -l <"$work/pressed") keys are offered"
	echo "$1: $(wc -l <"$work/pressed") keys of $3"
	settle "$1"
}

# Prompts and menus are the same on all rows and in all profiles: everywhere they are tried in one profile.
menus='/&?xsc'
# A sample of rows offers fewer.
least=1
[ "${SANITIZERS-}" ] || { least=80; menus=; }
for places in $(printf '%s\n' rows events drawn asked groupings | sampled 2); do
	case $places in
	rows) offers --demo $((least * 5 / 2)) rows ;;
	events) offers --demo 30 events ;;
	drawn) offers --demo $((least * 5 / 4)) drawn ;;
	asked) offers --demo $((least / 2)) asked ;;
	groupings) groupings --demo ;;
	esac
done
# Other kinds of profile.
menus='/&?xsc'
least=$((least / 8 + 1))
for file in $(printf "%s\n" ncu/silu_cuda_a100.details.csv memory_snapshot/inference_128_proto4.pickle \
	execution_trace/linear_et.json.gz rocpd/rocpd_3.0.0_single.db pprof/simple.prof \
	tensorrt/mobilenet.qat.engine.profile.json xplane/jax_conv_mi300_legacy.xplane.pb \
	kineto/param/linear_kineto.json.gz kineto/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz \
	nsys/gxxxh__ml_predict/resnet.sqlite nvprof/josiahdavis__profiling-lm/net.sql rpd/mytrace.rpd \
	ascend/db/level1 ncu/mlp_t4.ncu-rep torch_trace/chromium_events.log \
	torch_trace/links.log nccl_flight_recorder \
	python/py_cprofile/AugustEhl__MLOps_Amazon_review_project__train.prof kineto/dlrm_8ranks \
	speedscope/pyspy_layout_two_threads.speedscope.json perf_script/py312_Xperf.perf.txt | sampled 10); do
	if [ -e "$corpus/$file" ]; then
		offers "$corpus/$file" $least rows
		offers "$corpus/$file" 0 events # some have no timeline
		offers "$corpus/$file" 1 drawn
		groupings "$corpus/$file"
	else
		echo "$file is not here"
	fi
done
