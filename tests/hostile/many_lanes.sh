# Every event has its own process, thread, device, step and metadata key.
. "${srcdir:-.}/tests/hostile/lib.sh"

hostile many-lanes "$(amount 1000000 5000 2000)" >"$work/t.json"
ends 0 3000 info -q -n 30 "$work/t.json"
every_view 3000 "$work/t.json"
explore 3000 "$work/t.json"
