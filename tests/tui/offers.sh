# What the footer offers for a row works there: no key answers that there is nothing, and none ends
# in an empty view.
. "${srcdir:-.}/tests/tui/lib.sh"

views=$(strata views | sed -n 's/^\([a-z-]*\): .*/\1/p')
[ "$(echo "$views" | wc -l)" -gt 20 ] || fail "views are missing"

# Keys of the last line of a screen that act on the row, as they are written in scripts.
offered()
{
	tail -1 "$1" | grep -oE '(^|  )(Enter|Right|Space|[][fvdPes.+ct]) +[A-Z][A-Za-z]+' |
		sed 's/^ *\([^ ]*\) .*/\1/; s/^[A-Z][a-z][a-z]*$/<&>/' | sort -u
}

# offers PROFILE: rows of each view, and then every key that they offered.
offers()
{
	for view in $views; do
		printf ':view %s\n<Home>\n:save-screen %s.0\njj\n:save-screen %s.2\n<End>\n:save-screen %s.9\n' \
			"$view" "$view" "$view" "$view"
	done >"$work/rows"
	play 160x45 "$1" <"$work/rows"
	for view in $views; do
		for row in 0 2 9; do
			case $row in 0) go='<Home>' ;; 2) go='<Home>jj' ;; 9) go='<End>' ;; esac
			[ -e "$work/$view.$row" ] || continue
			for key in $(offered "$work/$view.$row"); do
				name=$view.$row.$(echo "$key" | tr '[]<>' 'ba__')
				printf ':view %s\n%s%s\n:save-screen %s\n<Esc>\n' "$view" "$go" "$key" "$name"
				echo "$name $key" >>"$work/pressed"
			done
		done
	done >"$work/keys"
	# those that change the grouping last, as rows are others then
	awk '/^:view /{ view = $0; getline keys; getline save; getline leave
		all = view "\n" keys "\n" save "\n" leave
		if (keys ~ /t$/) last = last all "\n"; else print all }
		END { printf "%s", last }' "$work/keys" >"$work/ordered"
	play 160x45 "$1" <"$work/ordered"
	while read -r name key; do
		! tail -1 "$work/$name" |
			grep -qE 'nothing|no link|no linked|not in this profile|no time range|does nothing' ||
			echo "$1: $key at $name: $(tail -1 "$work/$name" | sed 's/.*  //')" >>"$work/bad"
		case $name in advice.?.t) continue ;; esac # without findings these are none
		! grep -qE '^ *(No rows\.|No events)' "$work/$name" ||
			echo "$1: $key at $name leads to an empty view" >>"$work/bad"
	done <"$work/pressed"
	[ ! -e "$work/bad" ] || fail "$(cat "$work/bad")"
	[ "$(wc -l <"$work/pressed")" -ge "$2" ] || fail "$1: few keys are offered"
}

offers --demo 60

# Other kinds of profile.
for file in $(some ncu/silu_cuda_a100.details.csv memory_snapshot/inference_128_proto4.pickle \
	execution_trace/linear_et.json.gz rocpd/rocpd_3.0.0_single.db pprof/simple.prof \
	tensorrt/mobilenet.qat.engine.profile.json xplane/jax_conv_mi300_legacy.xplane.pb \
	kineto/param/linear_kineto.json.gz kineto/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz); do
	if [ -e "$corpus/$file" ]; then
		rm -f "$work"/*.* "$work/pressed"
		offers "$corpus/$file" 1
	else
		echo "$file is not here"
	fi
done
