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

# ---- examples ----
sed -n 's/^    \(strata .*\)/\1/p' "$readme" >examples
sed -n 's/^\.Dl \(strata .*\)/\1/p' "$srcdir/man/strata.1" | sed 's/\\(dq/"/g; s/\\-/-/g' \
	>>examples
[ "$(wc -l <examples)" -ge 8 ] || fail "no examples found"
while IFS= read -r example; do
	sh -c "$example" >out 2>err </dev/null || {
		cat err >&2
		fail "does not work: $example"
	}
	case $example in
	*'-o kernels.csv'*) [ -s kernels.csv ] || fail "wrote nothing: $example" ;;
	*'--sqlite run.db'*) [ -s run.db ] || fail "wrote nothing: $example" ;;
	*'--trace step4.json'*) [ -s step4.json ] || fail "wrote nothing: $example" ;;
	*'--stacks run.stacks'*) [ -s run.stacks ] || fail "wrote nothing: $example" ;;
	*) [ -s out ] || fail "says nothing: $example" ;;
	esac
	rm -f kernels.csv run.db run.stacks step4.json
done <examples

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
