# Reviewed reports of the sample run. UPDATE_GOLDEN=1 regenerates them: review the git diff.
. "${srcdir:-.}/tests/lib.sh"
golden=$srcdir/tests/golden

# compare FILE COMMAND...: the command's output, without the demo's path, its gzip size (depends on
# the gzip implementation) and memory use
compare()
{
	file=$1; shift
	assert_exit 0 "$@"
	sed "s|$builddir/||; /,file size,/d; /,memory used,/d" "$work/out" >"$work/$file"
	if [ "${UPDATE_GOLDEN-}" ]; then
		cp "$work/$file" "$golden/$file"
	else
		diff -u "$golden/$file" "$work/$file" || fail "$file has changed"
	fi
}

# the text tables, and one view in each machine format
for view in steps layers modules operators calls kernels launches links streams memory; do
	compare $view.txt strata report $view --demo -q -w 160 -n 40
done
for view in overview info; do
	compare $view.csv strata report $view --demo -q -f csv
done
compare by-shape.csv strata report operators -g shape --demo -q -f csv -n 30
compare properties.json strata report kernels -g properties --demo -q -f json -n 20
compare families.txt strata report kernels -g family --demo -q -w 120 -n 20
compare under.md strata report operators --under Sequential_1 --steps 4 --demo -q -f markdown -n 20
compare query.csv strata query "SELECT step, count(*), sum(dur_ns) FROM launches
	WHERE kind = 'kernel' GROUP BY step" --demo -q -f csv

# two runs: the new one has a slower layer, a synchronization and a kernel with another name
tracegen --steps 4 --layers 4 --seed 1 -o "$work/base.json"
tracegen --steps 4 --layers 4 --seed 2 --slow layer2.0.conv1:1.2 --synchronize layer3.0.conv1 |
	sed 's/bn_bw_1C11_kernel_new/bn_bw_renamed/g' >"$work/new.json"
cd "$work"
for group in layers operators kernels steps memory; do
	compare diff-$group.csv strata diff base.json new.json -q -f csv -g $group
done
compare diff-modules.json strata diff base.json new.json -q -f json -g modules
compare diff-tree.txt strata diff base.json new.json -q -g tree --under Sequential_1 -w 160
