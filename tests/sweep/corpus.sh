# What all views say of the recordings of the corpus, whole and in narrower scopes (rows.c), with a page
# and answers to "what if", held as checksums in corpus.txt: RECORDING PART SUM.
#
#   SWEEP='nsys/.*'      only the recordings whose names match
#   SWEEP_KEEP=DIR       keep the texts there: compare them with those of another build
#   UPDATE_GOLDEN=1      write the sums of the recordings in corpus.txt: say in the commit what was compared
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/sweep/sums.sh"
sums=$srcdir/tests/sweep/corpus.txt
[ -x "$builddir/tests/sweep/rows" ] || skip "no cmocka here"
[ -d "$corpus" ] || skip "no corpus here"
unset XDG_CACHE_HOME
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state"

cd "$work"
mkdir of texts
cut -d ' ' -f 1 "$sums" | uniq | grep -Ex -e "${SWEEP:-.*}" | sampled 18 >recordings
[ -s recordings ] || skip "no such recording"
while read -r path; do
	[ -e "$corpus/$path" ] || fail "$path is not in the corpus"
	name=$(echo "$path" | tr / +)
	ln -s "$corpus/$path" "of/$name"
done <recordings
"$builddir/tests/sweep/rows" --whole of/*

# keep NAME PART: standard input without what depends on the machine, to texts/NAME.PART
keep()
{
	sed '/file size/d; /memory used/d; /uncompressed/d; s/strata [0-9][0-9a-z.-]*//' >"texts/$1.$2"
}

tr / + <recordings | while read -r name; do
	[ -e "of-$name.rows" ] || fail "$name is no profile"
	keep "$name" rows <"of-$name.rows"
	keep "$name" scopes <"of-$name.scopes"
	{ strata report all -f html -n 12 -q "of-$name" 2>&1 || echo "status $?"; } </dev/null | keep "$name" page
	{ strata whatif --all -w 120 -q "of-$name" 2>&1 || echo "status $?"; } </dev/null | keep "$name" whatif
done

same_sums recordings
