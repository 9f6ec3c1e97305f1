# A damaged or hostile index directory: the answer always comes from the file itself, without a
# message.
. "${srcdir:-.}/tests/hostile/lib.sh"

tracegen --size 2M -o "$work/t.json"
touch -d '1 hour ago' "$work/t.json"
strata report operators -q -f csv --no-cache "$work/t.json" >"$work/expected"
cache="$XDG_CACHE_HOME/strata"

# answers WHAT: equal to the answer without an index, without messages, twice: first writing, then
# reading the index
answers()
{
	for _ in 1 2; do
		ends 0 500 report operators -q -f csv "$work/t.json"
		cmp -s "$work/out" "$work/expected" || fail "another answer: $1"
		[ ! -s "$work/err" ] || fail "$1: $(cat "$work/err")"
	done
}
indexes() { find "$cache" -name '*.index' 2>/dev/null | wc -l; }

# ---- the directory ----
mkdir -p "$XDG_CACHE_HOME"
echo 'a file' >"$cache"
answers "a file instead of the directory"
assert_equal "that file" 'a file' "$(cat "$cache")"
assert_exit 0 strata cache
rm "$cache"
ln -s "$work/nowhere/at/all" "$cache"
answers "a dangling link"
rm "$cache"
rmdir "$XDG_CACHE_HOME"
echo 'a file' >"$XDG_CACHE_HOME"
answers "a file instead of the parent directory"
rm "$XDG_CACHE_HOME"
if [ "$(id -u)" != 0 ]; then
	mkdir -p "$cache"
	chmod 0 "$cache"
	answers "a directory without search permission"
	chmod 500 "$cache"
	answers "a read-only directory"
	chmod 700 "$cache"
fi
# unwritable even for root
XDG_CACHE_HOME=/proc/self answers "a directory that cannot be created"
XDG_CACHE_HOME=/dev/full answers "a device"

# ---- disk full ----
mkdir -p "$cache"
(ulimit -f 100 && ends 0 500 report operators -q -f csv "$work/t.json" &&
	cmp -s "$work/out" "$work/expected") || fail "another answer without space for an index"
assert_equal "truncated indexes" 0 "$(indexes)"
assert_equal "their temporary files" 0 "$(find "$cache" -type f | wc -l)"
ends 0 500 report operators -q -f csv --cache-size 1k "$work/t.json"
assert_equal "indexes larger than the cache limit" 0 "$(indexes)"

# ---- contents ----
answers "an empty directory"
assert_equal "indexes" 1 "$(indexes)"
index=$(find "$cache" -name '*.index')
cp "$index" "$work/good"
size=$(wc -c <"$work/good")
# broken WHAT: the file is parsed and the index rewritten
broken()
{
	ends 0 500 report operators -q -v -f csv "$work/t.json"
	cmp -s "$work/out" "$work/expected" || fail "another answer: $1"
	assert_line "$work/err" nesting
	ends 0 500 report operators -q -v -f csv "$work/t.json"
	! grep -q nesting "$work/err" || fail "not rewritten: $1"
}
for at in 0 20 470 480 500 600 $((size / 3)) $((size / 2)) $((size - 1)); do
	cp "$work/good" "$index"
	printf '\377' | dd of="$index" bs=1 seek="$at" conv=notrunc 2>/dev/null
	cmp -s "$work/good" "$index" || broken "byte $at changed"
done
for length in 0 1 15 519 520 4096 $((size / 2)) $((size - 1)); do
	head -c "$length" "$work/good" >"$index"
	broken "truncated to $length bytes"
done
{ cat "$work/good"; echo more; } >"$index"
broken "bytes after its end"
sed '1s/strata index 1/strata index 2/' "$work/good" >"$index"
broken "another format version"
# the build stamp follows the label
{ head -c 472 "$work/good"; printf 'another!'; tail -c +481 "$work/good"; } >"$index"
broken "another build"
head -c 2000000 /dev/urandom >"$index"
broken "random bytes"
rm "$index"
mkdir "$index"
answers "a directory in its place"
rmdir "$index"
ln -s "$work/good" "$index"
answers "a link in its place"
rm -f "$index"
mkfifo "$index"
answers "a pipe in its place"
rm -f "$index"
if [ "$(id -u)" != 0 ]; then
	cp "$work/good" "$index"
	chmod 0 "$index"
	answers "unreadable"
	rm -f "$index"
fi

# ---- truncated while mapped: an error message ----
for keep in 0 4096 $((size / 2)); do
	cp "$work/good" "$index"
	rm -f "$work/pipe"
	mkfifo "$work/pipe"
	status=0
	strata report launches -q -f ndjson "$work/t.json" >"$work/pipe" 2>"$work/err" &
	reader=$!
	{
		read -r _
		truncate -s "$keep" "$index"
		cat >/dev/null
	} <"$work/pipe"
	wait $reader || status=$?
	case $status in
	0) [ "$keep" -gt 0 ] || fail "truncating the index was never noticed" ;;
	4) assert_line "$work/err" '^strata: an open file was truncated' ;;
	*) fail "exit $status when the index is truncated at $keep" ;;
	esac
	answers "after truncation at $keep"
done
