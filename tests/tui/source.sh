# The source line of a row: shown with the time of each line, opened in the editor; where files are
# looked for.
. "${srcdir:-.}/tests/tui/lib.sh"

mkdir "$work/code"
i=0
while [ $i -lt 400 ]; do
	i=$((i + 1))
	printf '\tcode of line %d\n' $i
done >"$work/code/resnet.py"
cp "$work/code/resnet.py" "$work/code/train.py"
printf '#!/bin/sh\nprintf "%%s\\n" "$#" "$@" >"%s/edited"\n' "$work" >"$work/editor"
printf '#!/bin/sh\nexit 3\n' >"$work/refuses"
chmod +x "$work/editor" "$work/refuses"

# A file that is not here says where it was looked for; :source says where files are.
export EDITOR="$work/editor --wait"
unset VISUAL
play 120x30 <<END
4v
:save-screen missing
:source $work/code
v
:save-screen shown
V
:save-screen edited
<Backspace>
:save-screen back
V
:save-screen back-again
END
shows missing 'resnet.py:[0-9]+ is not here \(:source DIR names its folder\); looked for '
shows shown "^ run +$work/code/resnet.py:89 +GPU time of each line"
shows shown '^ +[0-9.]+ [mu]s >    89  +code of line 89$'
shows shown '^ +    88  +code of line 88$'
selected_line=$(grep -n '>    89 ' "$work/shown" | cut -d: -f1)
[ "$selected_line" -gt 8 ] || fail "the line is not in the middle of its context"
printf '%s\n' 3 --wait +89 "$work/code/resnet.py" >"$work/expected"
diff -u "$work/expected" "$work/edited" || fail "the editor got other arguments"
same back back-again

# From any line of it the editor opens there.
while read -r keys line; do
	rm -f "$work/edited"
	printf '%s\n' ":source $work/code" 4v "$keys" V ":save-screen after" | play 120x30
	assert_equal "the line of $keys" "+$line" "$(sed -n 3p "$work/edited")"
done <<END
j 90
jjj 92
<M-3><M-0>k 59
kk 87
g 1
G 400
END

# The time of a line is the sum of GPU work called there.
time=$(sed -n 's/^ *\([0-9.]* [mu]s\) >    89 .*/\1/p' "$work/shown")
[ "$time" ] || fail "no time of the line"

# FROM TO replaces the beginning of recorded paths, and only whole names of folders.
play 120x30 <<END
:source /nowhere $work/code
:source resnet $work/code
4v
:save-screen elsewhere
END
shows elsewhere 'is not here'

# Rows of launches, calls, layers, gaps and findings lead to their lines, and the dashboard does.
play 120x30 <<END
:source $work/code
:view launches
v
:save-screen launch
<Backspace>3<Enter>v
:save-screen call
:view layers
jv
:save-screen layer
END
for screen in launch call layer; do
	shows $screen "code/(resnet|train).py:[0-9]+"
done

# The configuration names folders, too, and is saved.
cat >"$work/config" <<END
source $work/code
source /build $work/code
END
cat >"$work/script" <<END
:save-config $work/saved
4v
:save-screen $work/configured
END
assert_exit 0 strata --demo --config "$work/config" --script "$work/script" --size 100x30
shows configured 'code/resnet.py:89'
grep -qx "source $work/code" "$work/saved" || fail "the folder is not saved"
grep -qx "source /build $work/code" "$work/saved" || fail "the mapping is not saved"

# A row without a line says so; an editor that fails is named.
export VISUAL="$work/refuses"
play 100x30 <<END
:source $work/code
7v
:save-screen none
4V
:save-screen refused
END
shows none 'this row has no source line'
shows refused 'refuses failed'
case ${TEST_WRAPPER-} in
*valgrind*) exit 0 ;; # where a program that cannot be started counts as one that fails
esac
export VISUAL="$work/nosuch"
play 100x30 <<END
:source $work/code
4V
:save-screen noeditor
END
shows noeditor 'cannot run .*/nosuch: No such file'
