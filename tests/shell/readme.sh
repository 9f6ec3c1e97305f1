# The examples of README and manual work as written; README's screens and list of views match the
# program. UPDATE_GOLDEN=1 updates them.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
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
sudo apt-get build-dep                          builds strata (packaging.sh has its recipe)
packaging/static strata-static                  builds strata (packaging.sh)
./check                                         runs this
make check TESTS=tests/unit/test_table          runs as this
srun                                            needs a cluster
strata attach                                   needs a running job (attach.sh)
ls traces/*.json.gz | parallel strata           needs GNU parallel
mpirun strata-mpi                               needs MPI (mpi.sh)
KINETO_USE_DAEMON=1 python train.py             needs PyTorch
nsys                                            needs Nsight Systems and a GPU
ncu                                             needs Nsight Compute and a GPU
rocprofv3                                       needs ROCm and a GPU
py-spy                                          needs py-spy
END
for name in good new before after monday today; do cp trace.json.gz $name.json.gz; done
# The program to record, and commits of it for git bisect, of which one is slow
echo 'print("loss 0.1")' >train.py
tracegen --steps 6 --layers 2 --stacks 0 -o good.json
printf '#!/bin/sh\n%s --steps 6 --layers 2 --stacks 0 $(cat options) -o new.json\n' "$builddir/tracegen" >record.sh
chmod +x record.sh
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@here GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@here
if command -v git >/dev/null; then
	git init -q .
	for options in '--seed 1' '--seed 2' '--slow layer1.0:3' '--slow layer1.0:3 --seed 2'; do
		echo "$options" >options
		git add options record.sh
		git commit -q -m "$options"
	done
	git tag v1.0 HEAD~3
else
	echo 'git                                             is not here' >>not_run
fi
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
stand_in python 'exec python3 "$@"'
command -v python3 >/dev/null || echo 'python                                          is not here' >>not_run
stand_in sqlite3 'exec strata query -q "$2" "$1"'
{
	sed -n 's/^    \([a-z./][^ ]* .*\|\.\/check\)$/\1/p' "$readme"
	for page in "$srcdir"/man/*.[157]; do
		sed -n 's/^\.Dl \(.*\)/\1/p; /^\.Bd -literal/,/^\.Ed/p' "$page" |
			sed 's/\\(dq/"/g; s/\\(aq/'"'"'/g; s/\\-/-/g; s/\\%//g'
	done
	for document in "$srcdir"/doc/*.md "$srcdir"/*.md; do
		[ "$document" = "$readme" ] || sed -n 's/^    \([a-z./]* .*\|\.\/check\)$/\1/p' "$document"
	done
} >lines
grep -E '^(\./|packaging/|[A-Z_]*=1 |(strata|strata-mpi|make|srun|mpirun|ls|aws|sqlite3|sudo|git|python|nsys|ncu|rocprofv3|py-spy) )' \
	lines >examples
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
	elif [ "${example#strata baseline add}" = "$example" ]; then
		[ -s out ] || fail "says nothing: $example"
	fi
done <examples
[ ! -d .git ] || git bisect log | grep -q '^# first bad commit: .* --slow layer1.0:3$' || fail "bisected to another commit"
grep '^SELECT ' lines >queries
[ "$(wc -l <queries)" -ge 5 ] || fail "only $(wc -l <queries) queries found"
while IFS= read -r query; do
	strata query -q "$query" trace.json.gz >out || fail "does not work: $query"
	[ -s out ] || fail "says nothing: $query"
done <queries
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
