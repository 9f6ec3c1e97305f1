# A file truncated or emptied while it is read opens partially.
. "${srcdir:-.}/tests/hostile/lib.sh"

tracegen --size "$(amount 100M 20M 2M)" -o "$work/whole.json"
for delay in 0 0.01 0.03 0.06 0.1; do
	cp "$work/whole.json" "$work/t.json"
	(sleep $delay; : >"$work/t.json") &
	ends "0 4" 1000 info -q "$work/t.json"
	wait
	cp "$work/whole.json" "$work/t.json"
	(sleep $delay; head -c 100000 "$work/whole.json" >"$work/t.json"; rm "$work/t.json") &
	ends "0 4" 1000 report operators -q "$work/t.json"
	wait
done
