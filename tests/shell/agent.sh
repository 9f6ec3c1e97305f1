# An agent's questions: facts counted from the trace, within five calls and 8,000 tokens each.
. "${srcdir:-.}/tests/lib.sh"
need_command python3
cd "$work"
tracegen --seed 11 --steps 6 -o run.json
tracegen --seed 11 --steps 6 --slow layer3:4 -o slow.json
python3 "$srcdir/tests/agent/questions.py" "$builddir/strata" run.json slow.json >out || { cat out; fail "too few right answers"; }
cat out
