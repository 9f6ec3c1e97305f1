# A named pipe, a device, a directory, a socket: wherever a file is read or written it works or is
# refused with one line; no hang, no growth.
. "${srcdir:-.}/tests/hostile/lib.sh"

tracegen --steps 1 -o "$work/t.json"
mkdir "$work/folder" "$work/empty"
cp "$work/t.json" "$work/folder/rank0.json"
mkfifo "$work/pipe"
ln -s loop "$work/loop"
limit=60

# ---- as a profile ----
strata report launches -q -f csv "$work/t.json" >"$work/right.csv"
cat "$work/t.json" >"$work/pipe" &
ends 0 200 report launches -q -f csv "$work/pipe"
cmp "$work/out" "$work/right.csv" || fail "a named pipe gives another result"
wait
: >"$work/pipe" &
ends 4 200 info "$work/pipe"
wait
# No writer: it waits until interrupted.
status=0
timeout --preserve-status -s TERM 1 ${TEST_WRAPPER-} "$builddir/strata" info -q "$work/pipe" \
	>"$work/out" 2>"$work/err" || status=$?
assert_equal "status after waiting for a named pipe" 143 "$status"
# A zstd stream without any text: does not wait for the first byte.
status=0
{ printf '\050\265\057\375\000\000'; cat /dev/zero 2>/dev/null; } | {
	timeout --preserve-status -s TERM 1 ${TEST_WRAPPER-} "$builddir/strata" info -q - \
		>"$work/out" 2>"$work/err" || status=$?
	assert_equal "status after waiting for text" 143 "$status"
}
for device in /dev/null /dev/zero /dev/full /dev/urandom; do
	[ -c $device ] || continue
	ends 4 200 info $device </dev/null
	ends 4 200 report operators "$work/t.json" --base $device </dev/null
done
ends 0 200 report launches -q -f csv "$work/folder"
cmp "$work/out" "$work/right.csv" || fail "a directory gives another result"
ends 4 200 info "$work/empty"
ends 4 200 info "$work/loop"
ends 4 200 info "$work/t.json/below"

# ---- other input files ----
for file in "$work/folder" "$work/loop" "$work/t.json/below"; do
	ends 2 200 --script "$file" "$work/t.json"
	ends 2 200 info "$work/t.json" --device-peaks "$file"
	printf ':save-screen %s/screen\n' "$work" >"$work/script"
	ends "0 2" 200 --script "$work/script" --theme "$file" "$work/t.json"
	ends "0 2" 200 --script "$work/script" --config "$file" "$work/t.json"
done
# Read up to a limit: neither endless nor absurdly large, whether named or found.
large="$work/large"
head -c 1048577 /dev/zero | tr '\0' '#' >"$large"
for file in /dev/zero "$large"; do
	ends 2 200 --script "$file" "$work/t.json"
	ends 2 200 info "$work/t.json" --device-peaks "$file"
	ends 2 200 --script "$work/script" --theme "$file" "$work/t.json"
	ends 2 200 --script "$work/script" --config "$file" "$work/t.json"
	grep -q 'the configuration is larger than 1048576 bytes' "$work/err" ||
		fail "$file: its size is not the reason: $(cat "$work/err")"
	mkdir -p "$XDG_CONFIG_HOME/strata"
	ln -s "$file" "$XDG_CONFIG_HOME/strata/devices"
	ends 0 200 info "$work/t.json"
	rm "$XDG_CONFIG_HOME/strata/devices"
	grep -q 'the file of devices is larger than' "$work/err" ||
		fail "$file: the user's own file was left out silently"
done
truncate -s 1048576 "$large"
ends 0 200 info "$work/t.json" --device-peaks "$large"
ends 0 200 --script "$work/script" --config "$large" "$work/t.json"
echo ':save-screen' "$work/screen" >"$work/pipe" &
rm -f "$work/screen"
ends 0 200 --script "$work/pipe" "$work/t.json"
wait
[ -s "$work/screen" ] || fail "a script was not read from a named pipe"

# ---- output files ----
for file in "$work/folder" "$work/loop" "$work/t.json/below" "$work/none/t.csv"; do
	ends 5 200 report launches -q -f csv "$work/t.json" -o "$file"
	ends 5 200 export -q --sqlite "$file" "$work/t.json"
	ends 5 200 export -q --trace "$file" "$work/t.json"
	ends 5 200 export -q --stacks "$file" -g cpu "$work/t.json"
done
cat "$work/pipe" >"$work/read.csv" &
ends 0 200 report launches -q -f csv "$work/t.json" -o "$work/pipe"
wait
cmp "$work/read.csv" "$work/right.csv" || fail "another result is written to a named pipe"
[ -p "$work/pipe" ] || fail "a named pipe was replaced"
