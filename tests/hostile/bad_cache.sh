# The folder of indexes may be anything: the answer is always the file's own, and nothing is said of it.
. "${srcdir:-.}/tests/hostile/lib.sh"

tracegen --size 2M -o "$work/t.json"
touch -d '1 hour ago' "$work/t.json"
strata report operators -q -f csv --no-cache "$work/t.json" >"$work/expected"
cache="$XDG_CACHE_HOME/strata"

# answers WHAT: as without an index, silently, twice: when one might be written and when it might be read
answers()
{
	for _ in 1 2; do
		ends 0 500 report operators -q -f csv "$work/t.json"
		cmp -s "$work/out" "$work/expected" || fail "another answer: $1"
		[ ! -s "$work/err" ] || fail "$1: $(cat "$work/err")"
	done
}
indexes() { find "$cache" -name '*.index' 2>/dev/null | wc -l; }

# ---- the folder ----
mkdir -p "$XDG_CACHE_HOME"
echo 'a file' >"$cache"
answers "a file in the place of the folder"
assert_equal "the file in its place" 'a file' "$(cat "$cache")"
assert_exit 0 strata cache
rm "$cache"
ln -s "$work/nowhere/at/all" "$cache"
answers "a link that leads nowhere"
rm "$cache"
rmdir "$XDG_CACHE_HOME"
echo 'a file' >"$XDG_CACHE_HOME"
answers "a file above the folder"
rm "$XDG_CACHE_HOME"
if [ "$(id -u)" != 0 ]; then
	mkdir -p "$cache"
	chmod 0 "$cache"
	answers "a folder that cannot be entered"
	chmod 500 "$cache"
	answers "a folder in which nothing can be written"
	chmod 700 "$cache"
fi
# for a user who may do all: where nobody may write
XDG_CACHE_HOME=/proc/self answers "a folder that cannot be made"
XDG_CACHE_HOME=/dev/full answers "a device"

# ---- no room ----
mkdir -p "$cache"
(ulimit -f 100 && ends 0 500 report operators -q -f csv "$work/t.json" &&
	cmp -s "$work/out" "$work/expected") || fail "another answer with no room for an index"
assert_equal "indexes that were cut off" 0 "$(indexes)"
assert_equal "what is left of them" 0 "$(find "$cache" -type f | wc -l)"
ends 0 500 report operators -q -f csv --cache-size 1k "$work/t.json"
assert_equal "indexes larger than all may be" 0 "$(indexes)"

# ---- what is in it ----
answers "a folder that is empty"
assert_equal "indexes" 1 "$(indexes)"
index=$(find "$cache" -name '*.index')
cp "$index" "$work/good"
size=$(wc -c <"$work/good")
# broken WHAT: the file is read, and the index written anew
broken()
{
	ends 0 500 report operators -q -v -f csv "$work/t.json"
	cmp -s "$work/out" "$work/expected" || fail "another answer: $1"
	assert_line "$work/err" nesting
	ends 0 500 report operators -q -v -f csv "$work/t.json"
	! grep -q nesting "$work/err" || fail "not written anew: $1"
}
for at in 0 20 470 480 500 600 $((size / 3)) $((size / 2)) $((size - 1)); do
	cp "$work/good" "$index"
	printf '\377' | dd of="$index" bs=1 seek="$at" conv=notrunc 2>/dev/null
	cmp -s "$work/good" "$index" || broken "byte $at is another"
done
for length in 0 1 15 519 520 4096 $((size / 2)) $((size - 1)); do
	head -c "$length" "$work/good" >"$index"
	broken "$length bytes are left of it"
done
{ cat "$work/good"; echo more; } >"$index"
broken "it goes on behind its end"
sed '1s/strata index 1/strata index 2/' "$work/good" >"$index"
broken "it is of another version"
# the stamp of the build stands behind the label
{ head -c 472 "$work/good"; printf 'another!'; tail -c +481 "$work/good"; } >"$index"
broken "it is of another build"
head -c 2000000 /dev/urandom >"$index"
broken "it is noise"
rm "$index"
mkdir "$index"
answers "a folder in its place"
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
	answers "it cannot be read"
	rm -f "$index"
fi

# ---- it is cut off while it is mapped: a sentence ----
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
	0) [ "$keep" -gt 0 ] || fail "nothing was missed when the index was cut off" ;;
	4) assert_line "$work/err" '^strata: an open file was truncated' ;;
	*) fail "exit $status when the index is cut off at $keep" ;;
	esac
	answers "after it was cut off at $keep"
done
