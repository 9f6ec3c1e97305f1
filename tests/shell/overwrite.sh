# No command writes a file that it reads: each that writes is given its input as output, by the same
# path, through a hard link and through symbolic links of a file and of a folder.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
cd "$work"
mkdir in
tracegen --steps 2 --rank 0 --world 2 -o in/a.json
tracegen --steps 2 --rank 1 --world 2 -o in/b.json
strata summarize -q -o in in/a.json in/b.json
printf '[Test]\nmemory_bandwidth = 1e12\n' >devices
echo 'SELECT 1' >in/sql
strata baseline add one in/a.json

# An option that names a file to write must be tried below; this list fails when one is added.
for command in report diff query export info summarize merge serve views baseline cache; do
	strata $command --help
done | tr -s ' \n' ' ' | grep -oE -- '--[a-z-]+ (FILE|DIR)' | sort -u |
	grep -Ev -- '--(device-peaks|config|script) ' >options # these are read
assert_equal "options that write" \
	'--net-dict FILE --output DIR --output FILE --output-path DIR --speedscope FILE --sqlite FILE --stacks FILE --trace FILE' \
	"$(paste -sd' ' options)"

# refuses INPUT ARGUMENT...: as @ in the arguments, any name of INPUT is refused
tried=0
refuses()
{
	input=$1; shift
	tried=$((tried + 1))
	rm -rf links; mkdir links
	ln "$input" links/hard
	ln -s "../$input" links/soft
	ln -s .. links/up
	cp "$input" before
	for name in "$input" "./$input" "$work/$input" links/hard links/soft "links/up/$input"; do
		arguments=$(printf '%s\n' "$*" | sed "s|@|$name|g")
		assert_exit 5 strata $arguments
		assert_line err 'is read by this command; write another file'
		cmp -s "$input" before || fail "overwritten: strata $arguments"
	done
}

for format in table csv tsv json ndjson markdown html; do
	refuses in/a.json report kernels -f $format -o @ in/a.json
done
refuses in/a.json report plot-steps -f svg -o @ in/a.json
refuses in/a.json report dashboard -o @ in/a.json
refuses in/a.json report dashboard -f html -o @ in/a.json
refuses in/a.json report all -f html -o @ in/a.json
refuses in/b.json report kernels -o @ in/a.json in/b.json
refuses in/b.json report kernels --rank 0 -o @ in
refuses in/b.json report kernels --base in/b.json -o @ in/a.json
refuses in/a.json report key_averages -o @ in/a.json
refuses in/a.json diff in/a.json in/b.json --view kernels -o @
refuses in/b.json diff in/a.json in/b.json --view kernels -o @
refuses in/a.json diff one in/b.json --view kernels -o @
refuses in/a.json info -o @ in/a.json
refuses in/a.json query 'SELECT/**/1' -o @ in/a.json
for option in sqlite trace stacks speedscope net-dict; do
	refuses in/a.json export --$option @ in/a.json
done
refuses in/a.json.strsum report ranks -o @ in/a.json.strsum in/b.json.strsum
refuses in/a.json.strsum merge -o @ in/a.json.strsum in/b.json.strsum
refuses in/b.json.strsum merge -o @ in/a.json.strsum in/b.json.strsum
refuses devices report kernels --device-peaks devices -o @ in/a.json
refuses state/strata/baselines baseline list -o @
[ "$tried" -ge 29 ] || fail "only $tried commands"

# Names in a folder: a trace that is called like a file of its report, or like the summary of another
cp in/a.json in/kernels.csv
assert_exit 5 strata report all -f csv -o in in/kernels.csv
cmp -s in/a.json in/kernels.csv || fail "report all overwrote its trace"
rm in/kernels.csv
touch -d '1 minute ago' in/b.json.strsum
cp in/b.json.strsum before
assert_exit 5 strata summarize -q --steps-from loader -o in in/b.json in/b.json.strsum
cmp -s in/b.json.strsum before || fail "summarize overwrote a summary that it reads"

# What is read from standard input
assert_exit 5 strata query - -o in/sql in/a.json <in/sql
assert_equal "the statement" 'SELECT 1' "$(cat in/sql)"

# The explorer
cp in/a.json before
for command in 'write! in/a.json' 'save-screen in/a.json' 'save-screen script'; do
	printf ':view kernels\n:%s\n' "$command" >script
	cp script script.before
	assert_exit 5 strata --script script in/a.json
	cmp -s in/a.json before || fail "overwritten by :$command"
	cmp -s script script.before || fail "overwritten by :$command"
done

# Another file beside them is written, twice.
for time in first second; do
	assert_exit 0 strata report kernels -f csv -o in/out.csv in/a.json
done
assert_exit 0 strata report kernels -f csv -o /dev/null in/a.json
