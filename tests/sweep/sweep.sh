# All that can be said of small profiles of every format, held as checksums in sums.txt: PROFILE PART SUM.
# A profile is a seed of the fuzz targets, a recorded pair, a generated or a random trace. Parts: the rows of all
# views and groupings, of narrower scopes, plots, what is read of seeds with altered numbers or more rows, and what is kept of
# damaged profiles (rows.c);
# reports, pages, exports, comparisons, answers to an agent; what walks through the explorer show (walk.c),
# of some compared with another, and of some what the mouse does and what is shown of work that has to wait.
#
#   SWEEP='kineto-.*|python-perf'   only the profiles whose names match
#   SWEEP_KEEP=DIR                  keep the texts there: compare them with those of another build
#   UPDATE_GOLDEN=1                 write sums.txt: say in the commit what was compared
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/sweep/sums.sh"
sums=$srcdir/tests/sweep/sums.txt
seeds=$srcdir/tests/fuzz/seeds
pairs=$srcdir/tests/unit/data/pairs
[ -x "$builddir/tests/sweep/rows" ] || skip "no cmocka here"
unset XDG_CACHE_HOME
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state"

cd "$work"
mkdir made texts

wanted() { echo "$1" | grep -Eqx -e "${SWEEP:-.*}"; } # NAME

# The paths of the profiles: what they are named after is their folder and file.
paths()
{
	for path in "$seeds"/*/* "$pairs"/*; do
		folder=${path%/*}
		name=${folder##*/}-${path##*/}
		[ "${folder##*/}" != writers ] || continue # which are those of others
		! wanted "$name" || echo "$path"
	done
	find made -type f | LC_ALL=C sort
}

made() # FILE OPTION...
{
	file=$1
	shift
	! wanted "made-$file" || tracegen "$@" -o "made/$file"
}

made plain.json --steps 5 --layers 3 --seed 5
made waits.json --steps 3 --layers 2 --seed 6 --stacks 3 --synchronize layer1.0.conv1
made bare.json --steps 3 --layers 2 --seed 7 --no-modules --no-shapes --stacks 0
made rank.json --steps 4 --layers 2 --rank 1 --world 2 --slow layer1.0:3 --no-steps
tracegen --steps 4 --layers 3 --seed 8 -o base.json
mkdir ranks
# Under sanitizers these are one profile of four.
wanted_ranks=$(printf '%s\n' ranks - - - | sampled 4 | grep -Ex -e "${SWEEP:-.*}" | grep ranks || :)
for rank in 0 1 2; do
	[ ! "$wanted_ranks" ] ||
		tracegen --steps 3 --layers 2 --stacks 2 --rank $rank --world 3 --straggler 2:1.4 -o ranks/rank$rank.json
done

# keep NAME PART: standard input without what depends on the machine, to texts/NAME.PART
keep()
{
	sed "s|$work/||g"'; /file size/d; /memory used/d; /uncompressed/d; s/strata [0-9][0-9a-z.-]*//' >"texts/$1.$2"
}

# said NAME PART ARGUMENT...: output, messages and status of strata
said()
{
	name=$1 part=$2
	shift 2
	{ strata "$@" -q 2>&1 || echo "status $?"; } </dev/null | keep "$name" "$part"
}

# tables NAME ARGUMENT...: all views as text
tables()
{
	name=$1
	shift
	rm -rf tables
	{
		strata report all -q "$@" -o tables "$name" 2>&1 || echo "status $?"
		rm -f tables/info.*
		cat tables/* || :
	} </dev/null | keep "$name" table
}

# same_kept NAME: it is read from its index as from its file
same_kept()
{
	[ ! -e "$1.kept" ] || cmp -s "$1.kept" "$1.fresh" || fail "$1 is another when it is read from its index"
}

# all NAME
all()
{
	keep "$1" rows <"$1.rows"
	keep "$1" scopes <"$1.scopes"
	keep "$1" plots <"$1.plots"
	[ ! -s "$1.altered" ] || keep "$1" altered <"$1.altered"
	[ ! -s "$1.grown" ] || keep "$1" grown <"$1.grown"
	[ ! -s "$1.damaged" ] || keep "$1" damaged <"$1.damaged"
	same_kept "$1"
	keep "$1" walk <"$1.walk"
	[ ! -e "$1~base.json.walk" ] || keep "$1" compared <"$1~base.json.walk"
	[ ! -e "$1^.walk" ] || keep "$1" mouse <"$1^.walk"
	[ ! -e "$1.edited" ] || keep "$1" edited <"$1.edited"
	[ ! -e "$1!.walk" ] || keep "$1" waiting <"$1!.walk"
	tables "$1" -w 110 -n 12
	said "$1" page report all -f html -n 12 "$1"
	said "$1" filtered report timeline --filter '[aeiou]' -n 12 "$1"
	said "$1" advice report advice -f json -n 12 "$1"
	said "$1" export export --trace /dev/stdout "$1"
	said "$1" speedscope export --speedscope /dev/stdout "$1"
	said "$1" stacks export --stacks /dev/stdout "$1"
	said "$1" whatif whatif --all -w 120 "$1"
	said "$1" diff diff trace-small "$1" -f csv --view operators
	said "$1" changed diff trace-small "$1" --view tree -w 100
}

# summarized NAME: what is said of the summary of the ranks NAME-0 and so on, and a database of them holds
summarized()
{
	name=$1 file=of/$1.summary
	mkdir -p of
	strata summarize -q "$name"-[0-9] -o "$file" 2>&1 | keep "$name" summarizing
	"$builddir/tests/sweep/rows" --whole "$file"
	keep "$name" summary <"of-$name.summary.rows"
	keep "$name" narrowed <"of-$name.summary.scopes"
	said "$name" several report all -f html -n 12 "$name"-[0-9]
	strata export -q --sqlite "$1.exported" --rank all "$name"-[0-9]
	"$builddir/tests/sweep/rows" --dump "$1.exported"
	keep "$1" exported <"$1.exported.dumped"
}

paths | sampled 20 >paths
sed 's|.*/\([^/]*\)/\([^/]*\)$|\1-\2|; s|^made/|made-|' paths >names
cp "$seeds/trace/small" trace-small
{ seq 1 2 | sed 's|^|random/|' && seq 1 10 | sed 's|^|rich/|' && seq 1 6 | sed 's|^|queued/|'; } | sampled 9 | while read -r trace; do
	! wanted "$(echo "$trace" | tr / -)" || echo "$trace"
done >random
# shellcheck disable=SC2046
"$builddir/tests/sweep/rows" $(cat paths random)
# shellcheck disable=SC2046
"$builddir/tests/sweep/walk" $(while read -r name; do
	[ ! -e "$name" ] || echo "$name"
	case $name in made-* | *0 | *-trace_tpu) echo "$name~base.json" ;; esac
	case $name in made-waits.json | snapshot-snapshot0) echo "$name^" "$name!" ;; esac
done <names)
# shellcheck disable=SC2046
"$builddir/tests/sweep/walk" $(sed -n 's|^rich/\(.*\)|rich-\1 rich-\1~base-rich-\1|p' random)
if [ "$wanted_ranks" ]; then
	tables ranks -w 110 -n 12
	said ranks page report all -f html -n 12 ranks
	said ranks all report kernels --rank all -f csv ranks
	said ranks whatif whatif --all -w 120 ranks
	mkdir of
	ln -s ../ranks of/ranks
	"$builddir/tests/sweep/rows" of/ranks
	for part in rows scopes plots; do
		keep ranks $part <of-ranks.$part
	done
	ln -s ranks again # another name, another walk
	"$builddir/tests/sweep/walk" ranks again ranks~base.json ranks^
	keep ranks walk <ranks.walk
	keep ranks again <again.walk
	keep ranks compared <ranks~base.json.walk
	keep ranks mouse <ranks^.walk
fi
for name in made-waits.json made-rank.json; do
	[ ! -e "$name" ] || "$builddir/tests/sweep/rows" --edited "$name"
done
while read -r name; do
	[ ! -e "$name" ] || all "$name"
done <names
[ ! "$wanted_ranks" ] || echo ranks >>names
tr / - <random | while read -r name; do
	keep "$name" rows <"$name.rows"
	keep "$name" scopes <"$name.scopes"
	same_kept "$name"
	for part in plots against carried opened ranked edited walk; do
		[ ! -e "$name.$part" ] || keep "$name" $part <"$name.$part"
	done
	[ ! -e "$name~base-$name.walk" ] || keep "$name" compared <"$name~base-$name.walk"
	[ ! -e "$name-0" ] || summarized "$name"
	said "$name" whatif whatif --all -w 120 "$name"
	said "$name" export export --trace /dev/stdout "$name"
	echo "$name" >>names
done

same_sums names
