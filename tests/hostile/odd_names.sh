# Names with escape sequences, bidirectional controls, NUL and invalid UTF-8 in every place, on
# every screen and in every table: none reaches the terminal unescaped.
. "${srcdir:-.}/tests/hostile/lib.sh"

hostile odd-names >"$work/t.json"
every_view 200 "$work/t.json"
explore 200 "$work/t.json"

# File names, too.
name=$(printf 'a\033[2Jb\342\200\256c')
cp "$work/t.json" "$work/$name.json"
explore 200 "$work/$name.json"
ends 0 200 info "$work/$name.json"
is_clean "$work/out"
ends 4 200 info "$work/$name.none"
