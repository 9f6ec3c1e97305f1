# The configuration file: options, bindings, views, themes; errors are reported and ignored.
. "${srcdir:-.}/tests/tui/lib.sh"

# play_with CONFIG-FILE SIZE: the script on standard input with this configuration
play_with()
{
	sed "s|^:save-screen |&$work/|" >"$work/script"
	assert_exit 0 strata --demo --config "$1" --script "$work/script" --size "$2"
	[ ! -s "$work/err" ] || fail "said: $(cat "$work/err")"
}

cat >"$work/good" <<'END'
# One directive a line.
set detail off
theme light
view kernels
bind all K <C-n> move-up
bind table J <F8> move-down
bind table H window-top
unbind table <Enter>
columns operators name,calls,cpu_self_ns
sort operators calls:asc
group kernels properties
END
play_with "$work/good" 120x30 <<'END'
:save-screen start
JJ<F8>
:save-screen down
K
:save-screen up
<Enter>
:save-screen enter
:theme
:save-screen theme
<Esc>3
:save-screen operators
2<Enter>
:save-screen tree
?
/Show or fold<Enter>
:save-screen help
END
shows start '\[4 Kernels\]'
shows start 'by properties'
hides start '^ Name [^ ]'
shows down ' 4/[0-9]+$'
shows up ' 3/[0-9]+$'
shows enter '<Enter> does nothing here'
shows theme '─ Themes ─'
shows operators '^ Name +Calls▲ +CPU Self *$'
shows tree '<Enter> does nothing here'

# A theme is in use while the cursor of the menu is on it, and for good once it is chosen.
sed "s|^:save-screen |&$work/|" >"$work/script" <<'END'
:save-screen light.svg
:theme
<Home>
:save-screen first.svg
<Esc>
:save-screen again.svg
:theme
<Home><Enter>
:save-screen chosen.svg
END
assert_exit 0 strata --demo --color always --theme light --script "$work/script" --size 120x30
background() { grep -o '<rect width="100%" [^>]*' "$work/$1.svg"; }
[ "$(background light)" != "$(background first)" ] || fail "the theme under the cursor is not shown"
[ "$(background light)" = "$(background again)" ] || fail "the theme is not restored"
[ "$(background chosen)" = "$(background first)" ] || fail "the theme is not chosen"

# The help and --list-keys show the current bindings.
play_with "$work/good" 120x500 <<'END'
3?
:save-screen help
END
shows help ' J <F8> +Move down +\(move-down\)'
shows help '<Up> k K <C-n> +Move up +\(move-up\)'
strata --list-keys --config "$work/good" >"$work/keys"
assert_line "$work/keys" '^move-down	in a table	J <F8>	'
assert_line "$work/keys" '^window-top	in a table	H	'
if grep -q '^drill	everywhere' "$work/keys" && ! grep -q '^drill	everywhere	<Enter>' "$work/keys"; then
	fail "--list-keys does not show <Enter> elsewhere"
fi
cut -f1-3 "$work/keys" | while IFS='	' read -r action title keys; do
	grep -qF -- "($action)" "$work/help" || fail "$action is not in the help"
done

# The start view can be a picture, too.
echo 'view timeline' >"$work/picture"
play_with "$work/picture" 120x30 <<'END'
:save-screen start
END
shows start '\[5 Timeline\]'

# Without a configuration file defaults apply; a script never reads the default one.
mkdir -p "$XDG_CONFIG_HOME/strata"
cp "$work/good" "$XDG_CONFIG_HOME/strata/config"
play 120x30 <<'END'
:save-screen plain
END
shows plain '\[1 Overview\]'
strata --list-keys | cmp - "$work/keys" || fail "--list-keys does not read the configuration"
strata --list-keys --ignore-config >"$work/plain-keys"
! cmp -s "$work/plain-keys" "$work/keys" || fail "--ignore-config reads it"

# Each invalid line is reported by number, and valid ones apply.
cat >"$work/bad" <<'END'
set nosuch on
bind nowhere x help
bind all <Nosuch> help
bind all gg help
bind all x nosuch
bind prompt x help
bind all <Esc> help
bind all x
columns nosuch name
columns kernels name,nosuch
sort kernels nosuch
group kernels nosuch
view nosuch
frobnicate
set mouse perhaps
bind all J move-down
END
play_with "$work/bad" 200x40 <<'END'
:save-screen start
J
:save-screen down
:config
:save-screen problems
END
shows start "bad:1: unknown option 'nosuch'.*and 14 more; :config shows them"
shows start '^>! '
hides down '^>! .*\|' # moved
for expected in "bad:2: unknown context 'nowhere'; contexts: all, table, tree" \
	"bad:3: unknown key '<Nosuch>'" "bad:4: unknown key 'gg'" \
	"bad:5: unknown action 'nosuch'" "bad:6: 'help' has no effect at the prompt" \
	"bad:7: <Esc> is reserved" "bad:8: usage: bind CONTEXT KEY... ACTION" \
	"bad:9: unknown view 'nosuch'" "bad:10: view kernels has no column 'nosuch'" \
	"bad:11: view kernels has no column" "bad:12: view kernels has no grouping" \
	"bad:13: unknown view 'nosuch'" "bad:14: unknown directive 'frobnicate'" \
	"bad:15: 'mouse' must be on or off"; do
	shows problems "$expected"
done
hides problems "bad:16"

# What is wrong with the whole file has no line.
mv "$XDG_CONFIG_HOME/strata/config" "$work/kept"
mkdir "$XDG_CONFIG_HOME/strata/config"
strata --list-keys >"$work/out" 2>"$work/err" || :
assert_line "$work/err" 'strata/config: cannot read the configuration'
rmdir "$XDG_CONFIG_HOME/strata/config"
mv "$work/kept" "$XDG_CONFIG_HOME/strata/config"

# Non-text bytes and very long lines are invalid lines like any others.
{ printf 'set \033[2J\377 on\n'; head -c 9000 /dev/zero | tr '\0' x; printf '\nset detail off\n'; } >"$work/bytes"
play_with "$work/bytes" 120x30 <<'END'
:save-screen start
END
hides start '^ Name [^ ]'
shows start 'bytes:1: unknown option'

# A missing file given by name is a usage error; an empty one is valid.
assert_exit 2 strata --demo --config "$work/nosuch" --script /dev/null
assert_line "$work/err" 'nosuch: No such file'
play_with /dev/null 100x30 </dev/null

# Commands in a running explorer; :save-config writes their result, and it reads back.
{
	echo ":bind table J page-down"
	echo ":unbind all Q"
	echo ":set nodetail"
	echo ":theme dark"
	echo "3"
	echo ":columns name,calls"
	echo ":sort calls:asc"
	echo ":save-config $work/saved"
	echo ":save-screen said"
	echo ":save-config $work/saved"
	echo ":save-screen again"
	echo ":save-config"
	echo ":save-screen shown"
} | play 120x30
printf '%s\n' 'theme dark' 'set detail off' 'bind table J page-down' 'unbind all Q' \
	'columns operators name,calls' 'sort operators calls:asc' >"$work/expected"
diff -u "$work/expected" "$work/saved" || fail "the saved configuration differs from the session"
shows said 'written to'
shows again 'exists; not overwritten'
shows shown 'unbind all Q'
{
	echo 3
	echo ":save-config $work/second"
} | play_with "$work/saved" 120x30
diff -u "$work/saved" "$work/second" || fail "the saved configuration does not read back"

# --list config lists all directives.
strata --list config >"$work/list"
assert_line "$work/list" '^bind	CONTEXT KEY... ACTION	'
assert_line "$work/list" '^set mouse	'

# Themes are looked for where data and configuration are, also below HOME; not in what is no absolute path.
mkdir -p "$work/config/strata/themes" "$work/data/themes" "$work/home/.config/strata/themes"
for theme in config/strata/themes/own data/themes/other home/.config/strata/themes/third; do
	sed 's/^title .*/title 201 default -/' "$srcdir/themes/dark.theme" >"$work/$theme.theme"
done
printf '3\n:save-screen %s/screen.ans\n' "$work" >"$work/script"
# finds THEME VARIABLE=VALUE...
finds()
{
	theme=$1
	shift
	env "$@" "$builddir/strata" --list themes >"$work/themes"
	grep -q "^$theme" "$work/themes" || return 1
	rm -f "$work/screen.ans"
	env "$@" "$builddir/strata" --demo --color always --theme "$theme" --script "$work/script" --size 80x24
	grep -q '38;5;201' "$work/screen.ans"
}
cd "$work"
finds own XDG_CONFIG_HOME="$work/config" || fail "no theme beside the configuration"
finds other STRATA_DATADIR="$work/data" || fail "no theme among the data"
finds third -u XDG_CONFIG_HOME HOME="$work/home" || fail "no theme below HOME"
finds third XDG_CONFIG_HOME= HOME="$work/home" || fail "no theme below HOME, with an empty variable"
finds third XDG_CONFIG_HOME=config HOME="$work/home" || fail "a relative path is used"
! finds own XDG_CONFIG_HOME=config HOME="$work/home" || fail "a relative path is looked in"
! finds third XDG_CONFIG_HOME="$work/config" HOME="$work/home" || fail "HOME is looked in, too"
