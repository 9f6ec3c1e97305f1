# The examples of README and manual work as written; README's screens and list of views match the
# program. UPDATE_GOLDEN=1 updates them.
. "${srcdir:-.}/tests/lib.sh"
readme=$srcdir/README.md
trace=$work/trace.json.gz
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "%s/strata" "$@"\n' "${TEST_WRAPPER-}" "$builddir" >"$work/bin/strata"
chmod +x "$work/bin/strata"
export PATH="$work/bin:$PATH"
tracegen | gzip -c >"$trace"
cd "$work"

# ---- commands ----
# Every command of README, manual and documents runs here as printed, but for these:
cat >not_run <<'END'
./open [FILE]                                   builds strata (bootstrap.sh)
dpkg-buildpackage -us -uc -b                    builds strata (packaging.sh has its recipe)
packaging/static strata-static                  builds strata (packaging.sh)
./check                                         runs this
make check TESTS=tests/unit/test_table          runs as this
srun                                            needs a cluster
strata attach                                   needs a running job (attach.sh)
ls traces/*.json.gz | parallel strata           needs GNU parallel
END
for name in good new before after monday today; do cp trace.json.gz $name.json.gz; done
mkdir -p traces
cp trace.json.gz traces/rank0.json.gz
tracegen --rank 17 --world 32 | gzip -c >traces/rank17.json.gz
strata summarize -q -o sums traces # what srun does in doc/summaries.md
# Programs at the other end that may not be here: they take what is written.
stand_in() { command -v "$1" >/dev/null 2>&1 && [ ! "${3-}" ] || { printf '#!/bin/sh\n%s\n' "$2" >bin/"$1"; chmod +x bin/"$1"; }; }
stand_in aws 'cat trace.json.gz' always
stand_in fzf 'head -n 1' always
stand_in vd 'cat' always
stand_in jq 'cat'
stand_in sqlite3 'exec strata query -q "$2" "$1"'
{
	sed -n 's/^    \([a-z./][^ ]* .*\|\.\/check\)$/\1/p' "$readme"
	for page in "$srcdir"/man/*.[157]; do
		sed -n 's/^\.Dl \([a-z][a-z]* .*\)/\1/p' "$page" | sed 's/\\(dq/"/g; s/\\(aq/'"'"'/g; s/\\-/-/g; s/\\%//g'
	done
	for document in "$srcdir"/doc/*.md "$srcdir"/*.md; do
		[ "$document" = "$readme" ] || sed -n 's/^    \([a-z./]* .*\|\.\/check\)$/\1/p' "$document"
	done
} | grep -E '^(\./|packaging/|(strata|strata-mpi|make|srun|ls|aws|sqlite3|dpkg-buildpackage) )' >examples
[ "$(wc -l <examples)" -ge 30 ] || fail "only $(wc -l <examples) commands found"
sed 's/   .*//' not_run >beginnings
while IFS= read -r example; do
	reason=
	while IFS= read -r beginning; do
		case $example in "$beginning"*) reason=yes ;; esac
	done <beginnings
	[ ! "$reason" ] || continue
	sh -c "$example" >out 2>err </dev/null || {
		cat err >&2
		fail "does not work: $example"
	}
	written=$(printf '%s\n' "$example" | sed -nE 's/.*(-o|--sqlite|--trace|--stacks|--speedscope) ([^ ]*).*/\2/p')
	if [ "$written" ]; then
		[ -e "$written" ] || fail "wrote nothing: $example"
	else
		[ -s out ] || fail "says nothing: $example"
	fi
done <examples
# what is listed as not run is printed somewhere
while IFS= read -r beginning; do
	grep -qF -- "$beginning" examples || fail "no document has: $beginning"
done <beginnings

# ---- views and screens ----
strata views -f markdown | awk -F ' *[|] *' 'NR > 2 { print "| `" $2 "` | " $3 " |" }' >views
strata --demo --theme dark --color always --script "$srcdir/tests/golden/readme.keys" --size 104x24
if [ "${UPDATE_GOLDEN-}" ]; then
	awk '/^\| view / { print; getline; print
		while ((getline line <"views") > 0) print line
		hide = 1 }
	     /^$/ { hide = 0 }
	     !hide' "$readme" >new && cp new "$readme"
	cp dashboard.svg layers.svg timeline.svg "$srcdir/doc"
fi
while IFS= read -r view; do
	grep -Fqx -- "$view" "$readme" || fail "the README lacks the line $view"
done <views
for picture in dashboard layers timeline; do
	grep -q "](doc/$picture.svg)" "$readme" || fail "the README does not show $picture.svg"
	cmp -s "$srcdir/doc/$picture.svg" $picture.svg || fail "doc/$picture.svg is outdated"
	[ "$(grep -o 'fill="#[0-9a-f]*"' $picture.svg | sort -u | wc -l)" -ge 8 ] ||
		fail "$picture.svg has no colors"
	! grep -q '<text[^>]*>[^<]*  \|<text[^>]*> \| </text>' $picture.svg ||
		fail "$picture.svg relies on blanks, which viewers join"
done

# ---- findings: as strata prints them, where the corpus is ----
if [ -d "$corpus/kineto" ]; then
	for profile in tb_samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz \
		tracelens/h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz \
		dlrm_8ranks; do
		strata report advice -q -n 99 "$corpus/kineto/$profile"
		echo
	done >said
	sed -n '/^```findings/,/^```$/p' "$readme" | sed '1d; $d' >findings
	awk 'BEGIN { RS = "" } NR == FNR { said[$0]; next }
		{ n++; if (!($0 in said)) print "not said by strata:\n" $0 }
		END { if (n != 3) print n " findings" }' said findings >wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
fi

for file in open check bootstrap doc/architecture.md man/strata.1 man/strata-views.7 man/strata-keys.7 \
	man/strata-config.5; do
	[ -e "$srcdir/$file" ] || fail "the README names $file, which does not exist"
done
