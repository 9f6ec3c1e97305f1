# Helpers of the tests that take something out of a profile; sourced after lib.sh.

# values_of FILE: "view.column values others" of each column; OTHERS are neither 0 nor "no"
values_of()
{
	rm -rf "$work/all"
	strata report all -q -f tsv --no-cache -o "$work/all" "$1" 2>"$work/err" || return 1
	awk -F '\t' '
	FNR == 1 {
		view = FILENAME; sub(/.*\//, "", view); sub(/\.tsv$/, "", view)
		split($0, id, "\t")
		facts = view == "overview"
		next
	}
	facts { count($1 "/" $2, $4); next }
	{ for (i = 1; i <= NF; i++) count(id[i], $i) }
	function count(column, value)
	{
		if (value == "")
			return
		values[view "." column]++
		others[view "." column] += value !~ /^(0|0\.0|no|false)$/
	}
	END { for (key in values) print key "\t" values[key] "\t" others[key] }' "$work/all"/*.tsv
}

# Zeros that are right: positions, counts of what the file has, parts of what is left, idle time and calls
# where all that is left of a step is one kernel.
true_zeros='^(info|tasks)\.|^overview\.(links|profile|window|trust|device [0-9]*)/
\.(id|step|depth|thread|rank|device|stream|leaf|seq|critical|parent|name|partial|start_ns|api_start_ns|time_ns)$
(idle_unknown|idle_host|other|idle_outside|gpu_min|gpu_self|cpu_self|sync|self_size_increase)_(ns|pct|bytes)$|\.free_ns$
(memcpy|memset|exposed_copy|runtime)_(ns|pct)$|dataloader_(ns|pct)$|^(ranks|recordings)\.idle_ns$|^spans\.(dur|self)_ns$|tc_known_pct$'

# Findings of what is missing; of the part of a capture that is then examined; of calls and kernels that
# are left and have larger shares of the rest.
of_missing='^(no_steps|few_steps|no_device_work|unlinked_work|idle_unknown|capture_(head|startup)|uneven_steps|slow_start|clock)$
^(launch_bound|synchronisation|allocation|small_copies|device_copies)$
^(hot_spot|kernel_hotspot|few_blocks|small_messages)$'

# The detectors that found something in the profile of which values_of printed the values.
claims()
{
	awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "detector") at = i; next }
		$1 !~ /^(unknown|silent|stored)$/ { print $at }' "$work/all/advice.tsv" 2>/dev/null | sort -u
}

# strip WHAT FROM TO: FROM has lost WHAT, which is TO now
strip()
{
	now="$2 $(cksum <"$2" 2>/dev/null || :)"
	[ "$now" = "${measured-}" ] || {
		values_of "$2" >"$work/before"
		claims >"$work/claimed"
		measured=$now
	}
	values_of "$3" >"$work/after" || {
		grep -Eq " without GPU events|${unreadable:-no profile at all}" "$work/err" && return # nothing is left
		fail "$2 without $1 cannot be opened: $(cat "$work/err")"
	}
	awk -F '\t' 'NR == FNR { had[$1] = $3; next } $2 && !$3 && had[$1] { print $1 }' \
		"$work/before" "$work/after" | sort >"$work/zeros"
	echo "$true_zeros" >"$work/true"
	! grep -Evf "$work/true" "$work/zeros" >&2 ||
		fail "$2 without $1 says 0 or no where nothing is known"
	claims | comm -13 "$work/claimed" - >"$work/new"
	! grep -Ev "$of_missing" "$work/new" >&2 || fail "$2 without $1: findings claim what is not known"
	strata report dashboard -q -w 160 "$3" >"$work/drawn"
}
