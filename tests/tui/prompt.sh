# Prompt, commands, help, menus, files, options, themes.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

play 100x30 <<'END'
 :vie<Tab><Space>lay<Tab><Enter>
:save-screen completed
 :<Up><Enter>
 :se<Tab>
:save-screen choices
<Tab><Tab>
:save-screen second
<C-c>
:save-screen left
:viw layers
:save-screen nosuch
:view operatrs
:save-screen noview
 :memory-cu<Tab><Enter>
:save-screen viewname
 <Backspace>
:5
:save-screen row
:detail
:save-screen action
END
shows completed '\[2 Layers\]'
shows choices 'search  *set'
shows second '^:set'
hides left '^:'
shows nosuch "unknown command 'viw'; did you mean 'view'\?"
shows noview "did you mean 'operators'"
shows viewname 'Allocated'
shows row ' 5/[0-9]+$'
hides action '^ Name [^ ]'

# Three keys cancel.
for key in '<Esc>' '<C-c>' '<C-g>'; do
	printf '%s\n' "3" ":save-screen before" "/batch$key" ":save-screen after" | play 100x30
	same before after
done

# Help: all actions and commands, searchable; the current context first.
play 100x500 <<'END'
2?
:save-screen help
:search sort-left
:save-screen found
q
:save-screen back
END
strata --list-keys | cut -f1 | sort -u | while IFS= read -r action; do
	shows help "\($action\)"
done
strata --list-keys | cut -f3 | tr ' ' '\n' | sort -u >"$work/keys"
[ "$(wc -l <"$work/keys")" -gt 60 ] || fail "--list-keys lists too few keys"
grep -ni 'keys' "$work/help" | head -1 | grep -q 'Active keys, in a tree' ||
	fail "the help does not start with the keys of trees"
shows found "1 of 1 matches 'sort-left'"
shows back '\[2 Layers\]'

# The action menu shows keys, and runs the chosen action.
play 100x40 <<'END'
3x
:save-screen menu
I
:save-screen inverted
END
shows menu 'Actions'
shows menu 'Reverse sort; flip flame graph +I'
shows inverted '▲'

# Exported files match the table.
play 100x30 <<'END'
3
&batch<Enter>
:columns name,calls
:save-screen shown
END
{
	echo 3
	echo "&batch<Enter>"
	echo ":columns name,calls"
	echo ":write $work/t.csv"
	echo ":save-screen wrote"
	echo ":write $work/t.xyz"
	echo ":save-screen form"
} | play 100x30
shows wrote 'rows written to'
shows form 'must end in'
assert_equal "header of the file" "name,calls" "$(head -1 "$work/t.csv" | tr -d '\r')"
assert_equal "rows of the file" "$(sed -n '$s/.*\///p' "$work/shown")" \
	"$(($(wc -l <"$work/t.csv") - 1))"

# Named positions are listed with their location.
play 100x30 <<'END'
3
:positions
:save-screen none
qjjma2jj<Enter>mB
:positions
:save-screen two
q'a
:save-screen there
END
shows none 'No bookmarks'
shows two "'a +Operators: run$"
shows two "'B +Operators: run > "
shows there '\[3 Operators\]'
shows there ' 3/[0-9]+$'

# Options and themes.
play 100x30 <<'END'
:set nodetail
:save-screen folded
:set ascii on
:set nosuch
:save-screen nosuch
:theme light
:theme
<Enter>
:save-screen theme
:theme nosuch
:save-screen notheme
END
hides folded '^ Name [^ ]'
shows nosuch "unknown option 'nosuch'"
shows theme 'theme: light'
shows notheme "unknown theme 'nosuch'"

# Theme selection: option, environment, a user theme file.
mkdir -p "$XDG_CONFIG_HOME/strata/themes"
sed 's/^text .*/text red default bold/' "$srcdir/themes/dark.theme" \
	>"$XDG_CONFIG_HOME/strata/themes/mine.theme"
grep -v '^kernel ' "$srcdir/themes/dark.theme" >"$XDG_CONFIG_HOME/strata/themes/old.theme"
theme_of() { printf ':theme\n<Enter>\n:save-screen theme\n' | sed "s|:save-screen |&$work/|" >"$work/script"
	strata --demo --script "$work/script" "$@"; shows theme "theme: "
	sed -n 's/.*theme: \([a-z-]*\).*/\1/p' "$work/theme"; }
assert_equal "default theme" default "$(theme_of)"
assert_equal "theme from the environment" mine "$(STRATA_THEME=mine theme_of)"
assert_equal "theme from the option" cvd "$(STRATA_THEME=mine theme_of --theme cvd)"
play 160x30 <<'END'
:theme old
:save-screen old
END
shows old "the theme lacks the role 'kernel' \(.*old.theme\)"
rm -r "$XDG_CONFIG_HOME/strata"

# An unknown key or an unwritable screen file in a script is reported with its line.
printf 'j\n<Nosuch>\n' >"$work/script"
assert_exit 2 strata --demo --script "$work/script"
assert_line "$work/err" "unknown key '<Nosuch>' \(script line 2\)"
printf ':save-screen /no/such/place\n' >"$work/script"
assert_exit 5 strata --demo --script "$work/script"

# A view with the name of a column is offered once.
play 80x24 <<'END'
:view kernels
;select<Space>name<Space>from<Space>operat<Tab>
:save-screen offered
END
shows offered '^ operators  operator$'

# The help explains mixed precision; what it names is there.
play 160x24 <<'END'
:help mixed-precision
:save-screen guidance
:view operators
:filter tc_eligible:yes
:save-screen eligible
:filter
:plot steps tensor-cores
:save-screen steps
END
shows guidance 'Mixed precision and Tensor Cores'
shows guidance 'PyTorch +torch.autocast\("cuda", dtype=torch.bfloat16\)'
shows guidance 'TensorFlow +tf.keras.mixed_precision.set_global_policy'
shows guidance 'JAX +Compute in jnp.bfloat16'
shows eligible 'aten::addmm'
for view in overview operators dlprof-tensor_core; do
	strata --list guidance | grep -q "$view" || fail "the guidance does not name $view"
	strata report "$view" --demo >/dev/null || fail "no view $view, which the guidance names"
done
strata --list guidance | sed -n 's/^Findings\t//p' | tr -d ' ' | tr , '\n' >"$work/named"
strata --list detectors | cut -f 1 >"$work/detectors"
[ -s "$work/named" ] || fail 'the guidance names no findings'
grep -vxF -f "$work/detectors" "$work/named" && fail 'the guidance names findings that are none'
:

# What no command begins with: names of the profile and columns, the first of them chosen.
play 160x45 <<'END'
 :low<Space>gemm<Tab>
:save-screen untaken
<Esc>
 :gemm<Tab>
:save-screen named
<Enter>
:save-screen finding
 :go<Space>bn_fw<Tab><Enter>
:save-screen kernel
 1
:go FW_TR
:save-screen part
 :occupanc<Tab>
:save-screen column
<Enter>
:save-screen sorted
:go no such name
:save-screen nowhere
END
shows named 'go Low GEMM efficiency +go sm80'
shows named '^:go Low GEMM efficiency'
selected finding 'Low GEMM'
shows finding '\[9 Advice\]'
shows kernel '\[4 Kernels\]'
selected kernel '^>bn_fw_tr'
shows part '\[4 Kernels\]'
selected part '^>bn_fw_tr'
shows column '^:sort occupancy_pct'
shows sorted 'Occupancy▼'
shows nowhere "'no such name' names nothing here"
