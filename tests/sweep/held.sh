# For sweeps that hold texts in groups, in FOLDER/GROUP.txt: of each text what it begins with, and a checksum of all
# of it. A sweep has a function of the name of each group, which calls says and wrote.
#
#   SWEEP='query|diff'   only the groups whose names match
#   SWEEP_KEEP=DIR       keep the texts there: compare them with those of another build
#   UPDATE_GOLDEN=1      write what is held: read the changes before they are committed
[ -x "$builddir/tests/sweep/rows" ] || skip "no cmocka here"
seeds=$srcdir/tests/fuzz/seeds
unset XDG_CACHE_HOME
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state" TERM=dumb
umask 022
cd "$work"
mkdir told texts new

texts=0
next_text() # TITLE
{
	texts=$((texts + 1))
	text=told/$(printf %04d $texts)
	printf '%s' "$1" | tr '\n' ' ' >"$text"
	echo >>"$text"
}

# says ARGUMENT...: what strata prints, and its status if it is not 0
says()
{
	next_text "$ $*"
	{ strata "$@" 2>&1 || echo "status $?"; } </dev/null >>"$text"
}

# wrote FILE: what a command has written there
wrote()
{
	next_text "file $1"
	cat "$1" >>"$text" 2>&1 || :
	rm -f "$1"
}

# Of the texts is left what does not depend on the machine and the version.
mask() # TEXT...
{
	LC_ALL=C sed -s -i "s|$work|WORK|g; s|$srcdir|SOURCE|g; s|$builddir|BUILD|g; s/[Ss]trata $version/strata VERSION/g
		s/\"$version\"/\"VERSION\"/g; s/[0-9.]* [KM]*i*B used by other/N used by other/g; /[Ff]ile.size/d; /[Mm]emory.used/d; /[Uu]ncompressed/d" "$@"
}
version=$(strata --version | sed -n '1s/strata //p')

# The texts of the group to texts/GROUP, and what is held of them to new/GROUP.txt.
end_group() # GROUP
{
	mask told/*
	cat told/* >"texts/$1"
	cksum told/* >checksums
	LC_ALL=C awk -v shown=${shown-2} -v width=90 '
		function end()
		{
			if (lines)
				print "\t= " sum[name] (lines > shown + 1 ? ", " lines - 1 " lines" : "")
		}
		FILENAME == ARGV[1] { sum[$3] = $1 " " $2; next }
		FNR == 1 { end(); name = FILENAME }
		{ lines = FNR }
		FNR <= shown + 1 || /^status [0-9]*$/ {
			print (FNR > 1 && $0 != "" ? "\t" : "") (length($0) > width ? substr($0, 1, width) "..." : $0)
		}
		END { end() }' checksums told/* >"new/$1.txt"
	rm -f told/*
	texts=0
}

# sweep FOLDER N GROUP...: under sanitizers each Nth, for time
sweep()
{
	held=$srcdir/tests/sweep/$1 every=$2
	shift 2
	printf '%s\n' "$@" | sampled "$every" | grep -Ex -e "${SWEEP:-.*}" >groups || skip "no such group"
	while read -r part; do
		rm -rf .cache config state
		$part
		end_group "$part"
	done <groups
	[ -z "${SWEEP_KEEP-}" ] || { mkdir -p "$SWEEP_KEEP" && cp texts/* "$SWEEP_KEEP"; }
	if [ "${UPDATE_GOLDEN-}" ]; then
		cp new/* "$held"
		return
	fi
	changed=
	for file in new/*; do
		diff -u "$held/${file#new/}" "$file" >&2 || changed="$changed ${file#new/}"
	done
	[ -z "$changed" ] || fail "something else is said:$changed (SWEEP_KEEP=DIR keeps the texts, to compare with those of another build)"
}
