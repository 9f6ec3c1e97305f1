# What the footer offers for a row works there: on each kind of row of each view, every key of the footer
# but that which quits. No key answers that there is nothing, and none ends in an empty view.
. "${srcdir:-.}/tests/tui/lib.sh"

views=$(strata views | sed -n 's/^\([a-z-]*\): a row .*/\1/p')
[ "$(echo "$views" | wc -l)" -gt 40 ] || fail "views are missing"

# Keys of the footer of a screen, as they are written in scripts.
offered()
{
	tail -1 "$1" | sed 's/   */\n/g; s/  /\n/g' |
		sed -n 's/^ *\([^ ]\{1,\}\) [A-Z][A-Za-z ]*$/\1/p' | grep -vx Q |
		sed 's/^[A-Z][a-z][A-Za-z]*$/<&>/' | sort -u
}

# empty SCREEN: its view has no rows
empty() { grep -qE '^ *(No rows\.|No events)' "$work/$1"; }

# judge PROFILE NUMBER: of the keys pressed, at least NUMBER
judge()
{
	while read -r name key; do
		! tail -1 "$work/$name" |
			grep -qE 'nothing|no link|no linked|not in this profile|no time range|does nothing' ||
			echo "$1: $key at $name: $(tail -1 "$work/$name" | sed 's/.*  //')" >>"$work/bad"
		case $name in advice.*.t) continue ;; esac # without findings these are none
		empty "${name%.*}" || ! empty "$name" ||
			echo "$1: $key at $name leads to an empty view" >>"$work/bad"
	done <"$work/pressed"
	[ ! -e "$work/bad" ] || fail "$(cat "$work/bad")"
	[ "$(wc -l <"$work/pressed")" -ge "$2" ] || fail "$1: only $(wc -l <"$work/pressed") keys are offered"
	echo "$1: $(wc -l <"$work/pressed") keys"
}

# offers PROFILE NUMBER: rows of each view, and then every key that they offered; rows that offer the
# same are of one kind. At least NUMBER keys are pressed.
offers()
{
	for view in $views dashboard; do
		go='<Home>'
		for row in 0 1 2 4 7 12 19 last; do
			[ $row != last ] || go='<End>'
			printf ':view %s\n%s\n:save-screen %s.%s\n' "$view" "$go" "$view" $row
			case $row in 0 | 1) go="${go}j" ;; 2) go="${go}jj" ;; 4) go="${go}jjj" ;; *) go="${go}jjjjj" ;; esac
		done
	done >"$work/rows"
	play 260x45 "$1" <"$work/rows"
	for view in $views dashboard; do
		go='<Home>' seen=
		for row in 0 1 2 4 7 12 19 last; do
			[ $row != last ] || go='<End>'
			keys=$([ ! -e "$work/$view.$row" ] || offered "$work/$view.$row" | tr '\n' ' ')
			case "$seen" in *"|$keys|"*) keys= ;; *) seen="$seen|$keys|" ;; esac
			for key in $keys; do
				name=$view.$row.$(echo "$key" | tr '[]<>/?&.' 'ba__shfd')
				printf ':view %s\n%s%s\n:save-screen %s\n<Esc>\n' "$view" "$go" "$key" "$name"
				echo "$name $key" >>"$work/pressed"
			done
			case $row in 0 | 1) go="${go}j" ;; 2) go="${go}jj" ;; 4) go="${go}jjj" ;; *) go="${go}jjjjj" ;; esac
		done
	done >"$work/keys"
	# those that change the grouping last, as rows are others then
	awk '/^:view /{ view = $0; getline keys; getline save; getline leave
		all = view "\n" keys "\n" save "\n" leave
		if (keys ~ /t$/) last = last all "\n"; else print all }
		END { printf "%s", last }' "$work/keys" >"$work/ordered"
	play 260x45 "$1" <"$work/ordered"
	judge "$1" "$2"
}

# events PROFILE NUMBER: the same on the timeline, at the first events of its lanes, beyond them and at
# a gap.  At least NUMBER keys are pressed.
events()
{
	rm -f "$work"/*.* "$work/pressed"
	lane= up=kkkkkkkkkkkkkkkkkkkk
	for number in 0 1 2 3 4 5 6 7 8; do
		for go in '' . '.....' '}' '<End>'; do
			echo "$lane$go" >>"$work/places"
		done
		lane="${lane}j"
	done
	number=0 seen=
	while read -r go; do
		number=$((number + 1))
		printf ':view timeline\n0<Home>%s%s\n:save-screen e.%s\n' $up "$go" $number
	done <"$work/places" >"$work/rows"
	play 260x45 "$1" <"$work/rows"
	number=0
	while read -r go; do
		number=$((number + 1))
		keys=$(offered "$work/e.$number" | tr '\n' ' ')
		case "$seen" in *"|$keys|"*) keys= ;; *) seen="$seen|$keys|" ;; esac
		for key in $keys; do
			name=e.$number.$(echo "$key" | tr '[]<>/?&.' 'ba__shfd')
			printf ':view timeline\n0<Home>%s%s%s\n:save-screen %s\n<Esc><Esc>\n' \
				$up "$go" "$key" "$name"
			echo "$name $key" >>"$work/pressed"
		done
	done <"$work/places" >"$work/keys"
	play 260x45 "$1" <"$work/keys"
	judge "$1" "$2"
	rm "$work/places"
}

offers --demo 200
events --demo 30

# Other kinds of profile.
for file in $(some ncu/silu_cuda_a100.details.csv memory_snapshot/inference_128_proto4.pickle \
	execution_trace/linear_et.json.gz rocpd/rocpd_3.0.0_single.db pprof/simple.prof \
	tensorrt/mobilenet.qat.engine.profile.json xplane/jax_conv_mi300_legacy.xplane.pb \
	kineto/param/linear_kineto.json.gz kineto/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz); do
	if [ -e "$corpus/$file" ]; then
		rm -f "$work"/*.* "$work/pressed"
		offers "$corpus/$file" 80
		events "$corpus/$file" 0
	else
		echo "$file is not here"
	fi
done
