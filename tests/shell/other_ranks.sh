# A rank that recorded little gets operators, layers and shapes from a rank that recorded more, as
# far as both do the same work; marked as inferred, and its own records stay.
. "${srcdir:-.}/tests/lib.sh"
seldom 4
cd "$work"

# without CATEGORIES FILE: the trace without the events of these categories
without()
{
	awk -v out="^($1)\$" '
	/^  \{$/ { block = $0; inside = 1; drop = 0; next }
	!inside { print; next }
	{ block = block "\n" $0 }
	/"cat": / { split($0, part, "\"cat\": \""); sub(/".*/, "", part[2]); drop = part[2] ~ out }
	/^  \},?$/ { inside = 0; if (!drop) print block }' "$2"
}
host='cpu_op|python_function|user_annotation|cuda_runtime|cuda_driver|fwdbwd|cpu_instant_event'

# rows QUERY DIRECTORY: the answer for rank 1 of the whole run
rows()
{
	sql=$(echo "$1" | sed 's/FROM launches/FROM (SELECT * FROM launches WHERE rank = 1)/')
	strata query -q -f csv "$sql" --rank all "$2" 2>/dev/null | tr -d '\r' | sed 1d
}
columns="name, operator, layer, input_shapes, pass"
work_of() { rows "SELECT $columns FROM launches WHERE kind <> 'sync' ORDER BY stream, start_ns, id" "$1"; }
info_of()
{
	printf ':rank 1\n:view info\n:save-screen %s\n' "$work/info" >"$work/script"
	strata --script "$work/script" --size 120x100 --no-cache "$1"
}

mkdir full device python steps less other many
for rank in 0 1; do
	tracegen --rank $rank --world 2 -o full/rank$rank.json
done
work_of full >truth
[ "$(wc -l <truth)" -gt 900 ] || fail "few rows"

# device work alone: all is that of rank 0, and right
cp full/rank0.json device/
without "$host" full/rank1.json >device/rank1.json
work_of device | diff truth - || fail "what was inferred is wrong"
assert_equal "marked" "rank 0" \
	"$(rows "SELECT DISTINCT inferred FROM launches WHERE kind <> 'sync'" device)"
info_of device
assert_line info 'operator inferred from another rank, GPU time *100.0%'
assert_line info 'layer inferred from another rank, GPU time *100.0%'
assert_line info 'same GPU work as rank 0 *yes'
assert_line info 'linked to operator  *0 *$'
assert_equal "nothing is measured" "0" "$(strata query -q -f csv "SELECT count(*) FROM operators" --rank 1 device | tr -d '\r' | sed 1d)"
assert_equal "the file alone" "," \
	"$(strata query -q -f csv "SELECT DISTINCT inferred, operator FROM launches" \
		device/rank1.json 2>/dev/null | tr -d '\r' | sed 1d)"

# without steps the recording is one: its computation is not compared with that of steps
assert_equal "computation of a recording" "unknown,The ranks recorded 1 to 3 steps." \
	"$(strata report advice -q -g all -f csv -c severity,evidence,detector device 2>/dev/null |
		tr -d '\r' | sed -n 's/,comm_imbalance$//p')"

strata report ranks device >/dev/null 2>note
assert_line note 'The ranks recorded 1 to 3 steps: their means do not compare'

# without operators, a rank asked for alone has others read; with them, it does not
inferred_of() { strata query -q -f csv "SELECT count(inferred) > 0 FROM launches" --rank 1 "$1" | sed 1d; }
assert_equal "the rank alone" 1 "$(inferred_of device | tr -d '\r')"
strata report launches -q -f csv -c name,operator,layer,inferred --rank 0,1 device >both 2>/dev/null
assert_equal "both ranks" "$(grep -c 'rank 0' both)" \
	"$(rows "SELECT count(*) FROM launches WHERE inferred = 'rank 0'" device)"

# no Python: layers and lines are inferred, operators and the annotations around them stay
cp full/rank0.json python/
without python_function full/rank1.json >python/rank1.json
work_of python | cut -d, -f2 >got
cut -d, -f2 truth | diff - got || fail "recorded operators changed"
info_of python
assert_line info 'same GPU work as rank 0 *in 3 of 3 steps'
assert_line info 'layer inferred from another rank'
grep -q 'operator inferred' info && fail "a recorded operator was inferred"

# no shapes
cp full/rank0.json less/
tracegen --rank 1 --world 2 --no-shapes -o less/rank1.json
work_of less | diff truth - || fail "inferred shapes are wrong"
assert_equal "the rank alone" 0 "$(inferred_of less | tr -d '\r')"

# a step with another kernel in its middle: before and after it stay; with much else, none of the step
cp full/rank0.json steps/
kernels=$(grep -c '"cat": "kernel"' full/rank1.json)
awk -v from=$((kernels / 2)) '/"cat": "kernel"/ && ++seen == from { sub(/"name": "/, "&other_") } { print }' \
	python/rank1.json >steps/rank1.json
info_of steps
assert_line info 'same GPU work as rank 0 *in 3 of 3 steps'
assert_equal "the other kernel" "1," \
	"$(rows "SELECT count(*), max(inferred) FROM launches WHERE name LIKE 'other%'" steps)"
awk -v from=$((kernels * 2 / 5)) -v to=$((kernels * 3 / 5)) '
	/"cat": "kernel"/ && ++seen >= from && seen <= to { sub(/"name": "/, "&other_") } { print }' \
	python/rank1.json >steps/rank1.json
info_of steps
assert_line info 'in 2 of 3 steps; nothing inferred in the others'
assert_equal "steps" "3,5" "$(rows "SELECT DISTINCT step FROM launches WHERE inferred = 'rank 0'
	AND step IS NOT NULL ORDER BY 1" steps | tr '\n' ',' | sed 's/,$//')"

# another network: refused, and said
cp full/rank0.json other/
tracegen --rank 1 --world 2 --layers 3 >other/whole.json
without "$host" other/whole.json >other/rank1.json
rm other/whole.json
info_of other
assert_line info 'same GPU work as rank 0 *no; nothing inferred from it'
assert_equal "refused" "" "$(rows "SELECT DISTINCT inferred FROM launches" other)"

# a summary of a file alone says nothing of other files
strata summarize -q -o sums device/rank1.json
assert_equal "summary" "0" "$(strata query -q -f csv "SELECT count(*) FROM operators" \
	sums/rank1.json.strsum 2>/dev/null | tr -d '\r' | sed 1d)"
