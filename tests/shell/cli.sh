# Command-line contract: exit statuses, formats, atomic writes, messages.
. "${srcdir:-.}/tests/lib.sh"

tracegen --steps 2 -o "$work/t.json"
trace=$work/t.json

# ---- exit statuses ----
assert_exit 0 strata report operators -q "$trace"
assert_exit 0 strata query "SELECT 1 WHERE 0" "$trace"
assert_exit 1 strata report operators --filter 'no such operator' "$trace"

# Labels have no GPU time of their own: the longest in total are first.
assert_exit 0 strata report operators -q -g label -f csv -c gpu_total_ns --demo
sed '1d; s/\r//' "$work/out" >"$work/labels"
sort -nr "$work/labels" | cmp - "$work/labels" || fail "labels are not sorted by their GPU time"
assert_exit 2 strata
assert_exit 2 strata report
assert_exit 2 strata report no-such-view "$trace"
assert_exit 2 strata reprot operators "$work/none.json"
assert_line "$work/err" 'no file or command "reprot"; did you mean report\?'
assert_exit 4 strata -- reprot
# what one tries first: a view or a path in the place of the other, help as a word
for word in kernels timeline dashboard key-averages plot-flame; do
	assert_exit 2 strata "$word" "$trace"
	assert_line "$work/err" "no file or command \"$word\"; did you mean strata report $word\?"
done
assert_exit 2 strata report "$trace"
assert_line "$work/err" 'VIEW required before the path: strata report dashboard .*t\.json'
assert_exit 0 strata help
assert_line "$work/out" '^strata \[OPTIONS\] PATH'
assert_exit 0 strata help query
assert_line "$work/out" '^strata query SQL'
assert_exit 2 strata --verson
assert_line "$work/err" 'unknown option --verson; did you mean --version\?'
assert_exit 2 strata report operators --formt=csv "$trace"
assert_line "$work/err" 'unknown option --formt=csv; did you mean --format\?'
# of layers alone, advice is not to write the same file again
printf '[{"count":2},{"name":"conv1","timeMs":3,"averageMs":1.5,"percentage":100}]' >"$work/layers.json"
assert_exit 0 strata report kernels "$work/layers.json"
assert_line "$work/err" 'Record kernels with nsys profile; TensorRT writes times of layers \(:view operators\)'
# a file cut off says so, and that its rest may hold what a view lacks
head -c 3000 "$trace" >"$work/cut.json"
assert_exit 0 strata report operators "$work/cut.json"
assert_line "$work/err" 'cut\.json: the file ends early; complete events are loaded'
assert_exit 0 strata report kernels "$work/cut.json"
assert_line "$work/err" 'kernels: No GPU events in the profile\. The file ends early; its rest may hold them\.'

# Of text of any kind that is cut within its gzip.
awk 'BEGIN { for (i = 0; i < 20000; i++) print "main;f" i * 7919 % 1009 " " i * 104729 % 997 }' |
	gzip -c | head -c 9000 >"$work/cut.txt.gz"
assert_exit 0 strata info "$work/cut.txt.gz"
assert_line "$work/out" 'format  *Collapsed stacks'
assert_line "$work/err" 'cut\.txt\.gz: the file ends early; complete events are loaded'
assert_exit 0 strata report operators -q "$work/cut.json"
[ ! -s "$work/err" ] || fail "said with -q: $(cat "$work/err")"
assert_exit 2 strata report operators
assert_exit 2 strata report operators --no-such-option "$trace"
assert_exit 2 strata report operators -n -1 "$trace"
assert_exit 2 strata report operators -f xml "$trace"
assert_exit 2 strata report streams -c nam "$trace"
columns=$(strata report streams -q -f csv "$trace" | head -n 1 | tr -d '\r' | sed 's/,/, /g')
assert_line "$work/err" "the view streams has no column \"nam\".*; it has (.*, )?$columns"
assert_exit 2 strata report operators -c nothing "$trace"
assert_exit 2 strata report operators -s name:up "$trace"
assert_exit 2 strata report operators -g nothing "$trace"
assert_exit 2 strata report operators --filter '(' "$trace"
assert_exit 2 strata report operators --steps x "$trace"
assert_exit 2 strata report all "$trace"
assert_exit 2 strata query "SELECT absent FROM operators" "$trace"
assert_line "$work/err" '^strata: SQL: no such column'
assert_exit 2 strata query "DROP TABLE operators" "$trace"
assert_exit 2 strata export "$trace"
assert_exit 2 strata views surplus
# options may precede the command; a file named like a command is given by path or after --
assert_exit 0 strata -q -f csv -n 1 report operators "$trace"
assert_equal "lines of a report" 2 "$(wc -l <"$work/out")"
assert_exit 0 strata --mouse diff --view diff -q "$trace" "$trace"
assert_exit 2 strata --mouse report operators "$trace"
assert_line "$work/err" "unknown option --mouse"
(cd "$work" && cp t.json diff && strata --script /dev/null -- diff && strata --script /dev/null ./diff) ||
	fail "a file name was taken for a command"
# a requested theme must exist
echo :quit >"$work/script"
assert_exit 2 strata --theme drak --script "$work/script" "$trace"
assert_line "$work/err" "^strata: unknown theme 'drak'; themes: "
echo 'text red default -' >"$work/thin.theme"
assert_exit 2 strata --theme "$work/thin.theme" --script "$work/script" "$trace"
assert_line "$work/err" "^strata: the theme lacks the role "
assert_exit 2 strata --theme "$work/" --script "$work/script" "$trace"
assert_line "$work/err" "^strata: cannot read the theme: "
assert_exit 0 strata --theme mono --script "$work/script" "$trace"
STRATA_THEME=drak assert_exit 0 strata --script "$work/script" "$trace"
assert_exit 4 strata report operators "$work/none"
assert_line "$work/err" "^strata: $work/none: "
echo 'not a profile' >"$work/text"
assert_exit 4 strata info "$work/text"
assert_exit 5 strata report operators -o "$work/no/such/directory/file" "$trace"
if [ -c /dev/full ]; then
	assert_exit 5 strata report operators -o /dev/full "$trace"
	status=0
	strata report operators "$trace" >/dev/full 2>"$work/err" || status=$?
	assert_equal "status on a full disk" 5 "$status"
fi

# ---- findings are sentences, of whole words, in a pipe too ----
strata report advice -q --demo >"$work/out"
assert_line "$work/out" '^! Data loader bound  +at most [0-9.]+ %, [0-9.]+ ms$'
assert_line "$work/out" '^  .*keeps the GPU idle'
! grep -q '~\|^.\{81\}' "$work/out" || fail "a finding is cut or wider than 80 columns"
strata report advice -q --demo -n 2 >"$work/out"
assert_equal "findings with -n 2" 2 "$(grep -c '^[!*] [A-Z]' "$work/out")"
all=$(sed -n 's/^All findings: -n //p' "$work/out")
strata report advice -q --demo -n "$all" >"$work/every"
assert_equal "all findings" "$all" "$(grep -c '^[!*] [A-Z]' "$work/every")"
assert_equal "checks that could not run" "$(grep 'could not run' "$work/every")" \
	"$(grep 'could not run' "$work/out")"
strata report advice -q --demo -c problem,cost_ns >"$work/out"
assert_line "$work/out" '^Finding  +Cost$'

# ---- stacks ----
assert_exit 0 strata export -q --stacks "$work/stacks" "$trace"
[ -z "$(grep -Ev '^[^ ].* [0-9]+$' "$work/stacks")" ] || fail "no collapsed stack"
strata report stacks -q -f csv "$trace" >"$work/csv"
assert_equal "collapsed stacks" "$(($(wc -l <"$work/csv") - 1))" "$(wc -l <"$work/stacks")"
sum=$(awk '{ sum += $NF } END { printf "%d", sum }' "$work/stacks")
assert_equal "device time in stacks" "$sum" "$(strata query -q -f csv \
	"SELECT sum(dur_ns) FROM launches WHERE kind <> 'sync'" "$trace" | tail -n 1 | tr -d '\r')"
assert_exit 0 strata export -q -g cpu --stacks "$work/stacks" "$trace"
assert_line "$work/stacks" ';cudaLaunchKernel [0-9]+$'
echo before >"$work/kept"
assert_exit 2 strata export -q -g nothing --stacks "$work/kept" "$trace"
assert_exit 4 strata export -q --stacks "$work/kept" "$work/none"
assert_equal "file after a failure" before "$(cat "$work/kept")"
assert_exit 2 strata export -q -g cpu --sqlite "$work/db" "$trace"

# ---- presets ----
assert_exit 0 strata report key-averages -q "$trace"
assert_line "$work/out" '^ +Name +Self CPU % .* # of Calls  $'
assert_line "$work/out" '^Self CUDA time total: [0-9.]+ms$'
assert_exit 0 strata report key-averages -q --sort-by count --row-limit 3 --group-by-input-shape "$trace"
assert_equal "lines of three rows" 9 "$(wc -l <"$work/out")"
assert_exit 0 strata report key-averages -q -f csv --row-limit -1 --group-by-stack 2 "$trace"
assert_line "$work/out" '^name,kind,input_shapes,stack,calls,cpu_total_ns'
assert_exit 0 strata report key-averages -q -f csv -c name,calls -n 2 "$trace"
assert_equal "lines of csv" 3 "$(wc -l <"$work/out")"
assert_exit 1 strata report key-averages --filter 'no such operator' "$trace"
assert_exit 2 strata report key-averages --sort-by nothing "$trace"
assert_exit 2 strata report key-averages --row-limit x "$trace"
assert_exit 2 strata report key-averages --group-by-stack x "$trace"
assert_exit 2 strata report key-averages -g shape --group-by-stack 2 "$trace"
assert_exit 0 strata report dlprof-summary -q --iter-start 4 --iter-stop 4 --demo
assert_line "$work/out" '^Aggregated Iterations,1$'
assert_exit 0 strata report dlprof-op_type -q --key-node LINEAR_1 --demo
assert_line "$work/out" '^Op Type Summary Report$'
assert_exit 2 strata report dlprof-op_type -q --key-node NOBODY_1 --demo
assert_exit 2 strata report dlprof-op_type -q --iter-start 9 --demo
assert_exit 0 strata report operators -q --key-node LINEAR_1 --demo
assert_exit 2 strata report operators -q --key-node NOBODY_1 --demo
assert_exit 2 strata report operators --sort-by count "$trace"

# ---- help, version, lists ----
assert_exit 0 strata --help
assert_line "$work/out" '^strata report VIEW'
assert_exit 0 strata report --help
assert_line "$work/out" '--columns ID'
assert_exit 0 strata --version
assert_line "$work/out" '^libraries: ncurses .*, SQLite [0-9.]+, PCRE2 [0-9.]+ .*, .*, zstd [0-9.]+, utf8proc [0-9.]+$'
assert_line "$work/out" '^compiled in: .*default.theme .*xterm'
assert_line "$work/out" '^strata [0-9]'
assert_exit 0 strata views
assert_line "$work/out" '^operators: a row is'
# grouped by what they are about, none left out
assert_line "$work/out" '^Views of memory:'
listed=$(grep -c ': a row is' "$work/out")
[ "$listed" -eq "$(strata views -f csv | sed 1d | wc -l)" ] || fail "$listed views are listed"
assert_exit 0 strata report operators -c help
assert_line "$work/out" '^gpu_self_ns .*summed durations'

# ---- damaged input ----
head -c 60000 "$trace" >"$work/cut.json"
assert_exit 0 strata report operators -q "$work/cut.json"
assert_exit 3 strata report operators -q --strict "$work/cut.json"
grep -q '^strata: input was damaged; see' "$work/err" || fail "no word on the damage"
assert_exit 0 strata report operators -q --strict "$trace"

# ---- formats ----
strata report operators -f csv -c name,calls -n 2 -s name:asc "$trace" >"$work/csv"
assert_equal "lines of csv" 3 "$(grep -c "$(printf '\r')\$" "$work/csv")"
assert_equal "header of csv" "name,calls" "$(head -n 1 "$work/csv" | tr -d '\r')"
strata report operators -f ndjson -n 3 "$trace" >"$work/ndjson"
assert_equal "lines of ndjson" 3 "$(grep -c '^{.*}$' "$work/ndjson")"
strata report operators -n 1 "$trace" >"$work/table"
assert_line "$work/table" '^\([0-9]+ more rows\)$'
# Sentences are cut at their end.
strata report advice -q -f table -c detector,evidence -w 50 --demo >"$work/table"
assert_line "$work/table" '^dataloader +The data loader keeps the GP~$'
strata report operators -w 40 "$trace" >"$work/table"
assert_equal "lines wider than requested" "" "$(grep -v '^(' "$work/table" | grep -E '.{41}' || :)"

# ---- equal numbers from all commands ----
strata query "SELECT name, gpu_self_ns FROM operators ORDER BY 2 DESC, 1 LIMIT 5" \
	-f csv "$trace" >"$work/query"
echo "SELECT name, gpu_self_ns FROM operators ORDER BY 2 DESC, 1 LIMIT 5" |
	strata query - -f csv "$trace" >"$work/piped"
strata report operators -f csv -c name,gpu_self_ns -s gpu_self_ns,name -n 5 "$trace" >"$work/report"
cmp -s "$work/query" "$work/report" || fail "query and report differ"
cmp -s "$work/query" "$work/piped" || fail "SQL from standard input differs"
if command -v sqlite3 >/dev/null; then
	strata export -q --sqlite "$work/db" "$trace"
	sqlite3 -csv -header "$work/db" \
		"SELECT name, gpu_self_ns FROM operators ORDER BY 2 DESC, 1 LIMIT 5" |
		tr -d '\r"' >"$work/exported"
	tr -d '\r"' <"$work/report" | cmp -s - "$work/exported" || fail "export and report differ"
fi

# ---- devices ----
peak() { strata query -q -f csv "$@" "SELECT max(peak_pct) FROM launches" --demo 2>"$work/err" |
	tail -n 1 | tr -d '\r'; }
built_in=$(peak)
device=$(strata query -q -f csv "SELECT value FROM overview WHERE section = 'device 0' AND metric = 'name'" \
	--demo | tail -n 1 | tr -d '\r"')
printf '# a slower clock\n%s: fp32 15, tf32 100, fp16 200, bf16 200\nnonsense\n' "$device" >"$work/devices"
assert_equal "peak of a slower device" 1 "$(awk "BEGIN { print $built_in + 0 < $(peak --device-peaks "$work/devices") }")"
peak --device-peaks "$work/devices" >"$work/named"
assert_line "$work/err" 'devices:3: .*line ignored'
mkdir -p "$XDG_CONFIG_HOME/strata"
mv "$work/devices" "$XDG_CONFIG_HOME/strata/devices"
assert_equal "the user's own file" "$(cat "$work/named")" "$(peak)"
# an empty variable is none: the file is that of the home directory
mkdir -p "$work/.config/strata"
mv "$XDG_CONFIG_HOME/strata/devices" "$work/.config/strata/devices"
assert_equal "peak of the home directory" "$(cat "$work/named")" "$(XDG_CONFIG_HOME='' peak)"
rm -r "$work/.config"
assert_exit 2 strata report launches -q -n 1 --device-peaks "$work/none" --demo
assert_exit 2 strata report launches -q -n 1 --device-peaks "$work" --demo

# A device of one's own choice, only where none is recorded.
sed '/"deviceProperties"/,/^  \],/d' "$trace" >"$work/unnamed.json"
chosen() { strata query -q -f csv "$@" "SELECT max(peak_pct), (SELECT value FROM overview
	WHERE section = 'device 0' AND metric = 'name') FROM launches" "$work/unnamed.json" |
	tail -n 1 | tr -d '\r"'; }
recorded=$(strata query -q -f csv "SELECT max(peak_pct) FROM launches" "$trace" | tail -n 1 | tr -d '\r')
assert_equal "peaks without a device" "," "$(chosen)"
touch -d '1 minute ago' "$work/unnamed.json"
assert_equal "peaks of a chosen device" "$recorded,A100 (--gpu)" "$(chosen --gpu a100)"
assert_equal "an index of its own" "," "$(chosen)"
assert_equal "the end of a name" "RTX 4090 (--gpu)" "$(chosen --gpu 4090 | sed 's/.*,//')"
assert_equal "a word of a name" "NVIDIA A10 (--gpu)" "$(chosen --gpu A10 | sed 's/.*,//')"
assert_equal "with only some steps" "RTX 4090 (--gpu)" "$(chosen --gpu 4090 --only-steps 4 | sed 's/.*,//')"
assert_exit 2 strata report kernels -q --gpu MI300 "$work/unnamed.json"
assert_line "$work/err" 'it may be: MI300A, MI300X$'
assert_exit 2 strata report kernels -q --gpu V10O "$work/unnamed.json"
assert_line "$work/err" 'the nearest: V100'
assert_exit 2 strata report kernels -q --gpu H100 "$trace"
assert_line "$work/err" 'records NVIDIA A100-SXM4-40GB$'

# ---- files ----
echo before >"$work/kept"
assert_exit 2 strata report operators -c nothing -o "$work/kept" "$trace"
assert_equal "file after a failure" before "$(cat "$work/kept")"
strata report operators -f json -o "$work/kept" "$trace"
assert_line "$work/kept" '^\[$'
ln -s kept "$work/link"
strata report steps -f csv -o "$work/link" "$trace"
assert_line "$work/kept" '^step,'
[ -L "$work/link" ] || fail "a symbolic link was replaced"
chmod 444 "$work/kept"
assert_exit 5 strata report operators -f csv -o "$work/kept" "$trace"
assert_line "$work/err" 'kept: the file is read-only; --force replaces it'
assert_line "$work/kept" '^step,'
assert_exit 0 strata report operators -f csv --force -o "$work/kept" "$trace"
assert_line "$work/kept" '^name,'
assert_exit 5 strata export --sqlite "$work/kept" "$trace"
assert_exit 5 strata export --trace "$work/kept" "$trace"
assert_exit 0 strata export --trace "$work/kept" --force "$trace"
assert_exit 0 strata report all -f csv -o "$work/all" "$trace"
[ -s "$work/all/operators.csv" ] && [ -s "$work/all/kernels.csv" ] || fail "views are missing"
[ -z "$(find "$work" -name '*.tmp')" ] || fail "temporary files remain"

# ---- interrupted: no partial file remains ----
${TEST_WRAPPER-} "$builddir/strata" query -o "$work/never" "WITH RECURSIVE n(i) AS
	(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n" "$trace" 2>"$work/err" &
sleep 1
kill -TERM $!
status=0
wait $! || status=$?
assert_equal "status after a signal" 143 "$status"
[ -z "$(find "$work" -name 'never*')" ] || fail "an interrupted command left a file"

# ---- the reader of a pipe exits ----
(strata report launches "$trace" || :) 2>"$work/err" | head -n 1 >/dev/null
assert_equal "messages about a closed pipe" "" "$(cat "$work/err")"
(trap '' PIPE; strata report launches "$trace" || echo "status $?" >&2) 2>"$work/err" |
	head -n 1 >/dev/null
assert_equal "messages about a closed pipe" "" "$(cat "$work/err")"

# ---- several files ----
mkdir "$work/run"
for rank in 0 1; do
	tracegen --steps 1 --rank $rank --world 2 -o "$work/run/rank$rank.json"
done
echo "not a trace" >"$work/run/notes.txt"
assert_exit 0 strata report operators -q "$work/run"
assert_exit 0 strata report operators -q --rank 1 "$work/run/rank0.json" "$work/run/rank1.json"
assert_exit 4 strata report operators "$trace" "$work/text"
assert_line "$work/err" "^strata: $work/text: "
mkdir "$work/empty"
assert_exit 4 strata report operators "$work/empty"

# ---- devices that do not exist ----
for view in operators kernels memory timeline plot-utilization; do
	assert_exit 2 strata report "$view" -q --device 0,9 "$trace"
	assert_line "$work/err" '^strata: unknown device 9; the devices are CPU, GPU0$'
done
assert_exit 2 strata query -q "SELECT count(*) FROM operators WHERE device = '9'" "$trace"
assert_line "$work/err" 'unknown device 9'
assert_exit 0 strata report kernels -q --device 0 "$trace"
assert_exit 0 strata report operators -q --device cpu,0 "$trace"

# ---- regular expressions that take too long ----
name=$(printf '%060db' 0)
event='{"ph": "X", "cat": "cpu_op", "name": "'$name'", "ts": 1, "dur": 2, "pid": 1, "tid": 1}'
echo "{\"schemaVersion\": 1, \"traceEvents\": [$event]}" >"$work/slow.json"
too_slow()
{
	assert_exit 2 strata "$@" "$work/slow.json"
	assert_line "$work/err" '^strata: .*regular expression "\(0\+\)\+\$" takes too many steps$'
}
for view in operators timeline plot-flame; do
	too_slow report "$view" -q --filter '(0+)+$'
done
too_slow report plot-flame -q --search '(0+)+$'
too_slow report steps -q --step-name '(0+)+$'
too_slow query -q "SELECT name FROM operators WHERE filter = '(0+)+\$'"

# ---- without a terminal, print the first screen, or the view that was asked for ----
assert_exit 0 strata "$trace" </dev/null
assert_line "$work/out" '^ Step '
assert_line "$work/out" '^ Findings '
assert_line "$work/err" 'strata report VIEW'
assert_exit 0 strata -q "$trace" </dev/null
assert_equal "hints with -q" "" "$(cat "$work/err")"
assert_exit 0 strata -q --view timeline "$trace" </dev/null
assert_line "$work/out" '^Each cell is'
assert_exit 0 strata -q --view kernels "$trace" </dev/null
assert_line "$work/out" '^Name +Calls'
assert_exit 2 strata --view nothing "$trace" </dev/null
assert_exit 0 strata info --demo

# ---- few columns: what is left out gives its room to the others ----
assert_exit 0 strata report gaps -q -w 80 --demo
assert_line "$work/out" ' data loader '
assert_exit 0 strata report kernels -q -w 80 --demo
assert_line "$work/out" 'columns that do not fit'
[ "$(sed -n '2s/ .*//p' "$work/out" | wc -c)" -gt 30 ] || fail "names stay narrow: $(sed -n 2p "$work/out")"
assert_equal "width of a report" 80 "$(sed -n 2p "$work/out" | tr -d '\n' | wc -c)"

# ---- help is wrapped on a terminal, a line an option elsewhere ----
strata --help | awk 'length > 100 { long++ } END { exit !long }' || fail "help is wrapped in a pipe"
if command -v script >/dev/null; then
	for width in 80 60; do
		script -qec "stty cols $width; '$builddir/strata' report --help" /dev/null </dev/null | tr -d '\r' >"$work/help"
		awk -v width=$width 'length > width' "$work/help" | head -3 >"$work/long"
		[ ! -s "$work/long" ] || fail "help in $width columns: $(cat "$work/long")"
		[ "$(tr -s ' \n' ' ' <"$work/help")" = "$(strata report --help | tr -s ' \n' ' ')" ] || fail "help in $width columns loses words"
	done
fi

# ---- characters: by the locale, or by its name where ssh forwards one that is not installed ----
draws() # utf8|ascii VARIABLE... -- OPTION...: the dashboard
{
	expected=$1 found=ascii
	shift
	set -- $(for word; do [ "$word" = -- ] && echo "$builddir/strata report dashboard -q --demo" || echo "$word"; done)
	env LC_ALL= LC_CTYPE= LANG= "$@" >"$work/out" || fail "exit of: $*"
	! LC_ALL=C grep -q '[^ -~]' "$work/out" || found=utf8
	assert_equal "characters of $*" "$expected" "$found"
}
if [ -z "${TEST_WRAPPER-}" ]; then
	draws utf8 LANG=en_XX.UTF-8 --
	draws utf8 LC_CTYPE=en_XX.utf8 LANG=C --
	draws ascii LC_ALL=C LANG=en_XX.UTF-8 --
	draws ascii LANG=en_XX.ISO-8859-1 --
	draws ascii LANG=C --
	draws utf8 LANG=C -- --utf8
	draws ascii LANG=en_XX.UTF-8 -- --ascii
fi
