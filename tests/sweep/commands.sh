# What the command line says: all commands and options over a few small profiles, held in commands/GROUP.txt
# (held.sh).
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/sweep/held.sh"

tracegen --steps 4 --layers 2 --stacks 3 --seed 5 -o one.json
tracegen --steps 4 --layers 2 --stacks 3 --seed 6 --slow layer1.0:3 -o slow.json
tracegen --steps 2 --layers 1 --stacks 0 --seed 7 --no-modules --no-shapes --no-steps -o bare.json
mkdir ranks
for rank in 0 1 2; do
	tracegen --steps 3 --layers 2 --stacks 2 --rank $rank --world 3 --straggler 2:1.4 -o ranks/rank$rank.json
done
"$builddir/tests/sweep/rows" --make "$seeds"/*/*
find . -type f -exec touch -d 2024-01-01 {} + # pstats prints it

commands='report diff bisect query export info whatif summarize merge serve agent views baseline history cache'

helps()
{
	says --help
	for command in $commands; do
		says "$command" --help
		says "$command"
		says "$command" --nothing
		says "$command" -f nothing one.json
	done
	says --list-keys
	for list in commands config detectors gpus guidance reports themes nothing; do
		says --list $list
	done
	says --list-keys --config nothing
	mkdir -p config/strata/config
	says --list-keys
	rm -rf config
	says views
	says views -f json
	says views -f csv --raw -w 60
	says agent
	says nothing
	says nothing.json
	says report
	says report kernel one.json
	says report kernels
	says report kernels nothing.json
	says report kernels one.json nothing.json
	says report kernels --demo one.json
	says query
	says query 'SELECT 1'
	says diff one.json
	says diff one.json slow.json bare.json
	says export one.json
	says export --nothing x one.json
	says merge one.json
	says merge -o x
	says summarize
	says serve one.json
	says --size 10 one.json
	says --theme nothing one.json
	says --config nothing one.json
	says --script nothing one.json
	says --view nothing one.json --script /dev/null
	says --rank
	says report all one.json
	says report kernels -o nothing/file one.json
	says cache nothing
	says info --sandbox nothing.json -f nothing
	says history nothing
	says baseline nothing
	says baseline add
	says baseline add a/b one.json
	says baseline remove nothing
	for path in nothing.json folder-ranks "$srcdir/configure.ac" one.json/x; do
		says baseline add x $path
	done
	says baseline list
	rm -rf state
	says whatif -e nothing one.json
	says attach --pid nothing
	for command in doctor attach; do
		says $command --help
		says $command --nothing
		says $command nothing
	done
	says attach --job nothing
	says attach --steps x
	says attach --within 1ms
	says attach --within 1ms --steps 1 --duration 1s
	says attach --within 1ms --pid 2147483647 --all
	says attach --http nothing:port
	says attach --within nothing
	says attach --duration -1
	says attach --http 1 --shapes
	says attach one.json
	for folder in nothing "$(printf '%0150d' 0)"; do
		KINETO_IPC_SOCKET_DIR=$folder says attach --within 1ms
	done
	# what does not go with a server
	for option in '--pid 1' '--job 1' --all '--steps 2' --stacks --memory --flops --modules; do
		says attach --http 1 --within 1ms $option
	done
}

# Each report in formats other than text, which sweep.sh holds.
reports()
{
	strata --list reports | grep -Ev '^(info|.*-all|all|dashboard)$' >reports
	while read -r view; do
		says report "$view" one.json -n 4 -w 70
		says report "$view" ranks -f json --envelope -n 3
	done <reports
	# every column chosen, every second one added to the default ones: what of them is blank, and why
	strata views -f tsv | awk -F '\t' 'NR > 1 && $5 && $1 != "info" { print $1, $5 }' |
		sed 's/,\([^,]*\),/,+\1,/g' >columns
	while read -r view ids; do
		says report "$view" one.json -n 1 -f csv -c "$ids"
	done <columns
}

formats()
{
	for view in operators steps plot-memory timeline; do
		for format in table csv tsv json ndjson jsonl markdown md html svg; do
			says report $view one.json -f $format -n 2
		done
		says report $view one.json --raw -n 3
		says report $view one.json -w 0 --ascii -n 3
		says report $view one.json -w 33 --utf8 --color always -n 3
		says report $view one.json -f json --envelope -n 0
		says report $view one.json -f ndjson --envelope -n 1 --csv-safe
		says report $view nsys-run.txt -f csv --csv-safe -n 3
		says report $view one.json -c help
		says report $view one.json -g help
		says report $view one.json -o written -n 2
		wrote written
		says report $view ranks --rank all -f csv -n 3
		says report $view ranks --rank 1,2 -f json -n 3
		says report $view one.json --base slow.json -n 3
		says report $view one.json --max-memory 1 -q
		says report $view one.json -n 1 --no-python
	done 2>&1
	for group in findings all; do
		says report advice one.json --color always -g $group -n 3
		says report advice one.json --color always -g $group -w 50
		says report advice one.json -g $group -n 0
	done
}

options()
{
	for option in '--steps 4..5' '--steps 9' '--steps x' '--steps 5..4' '--only-steps 4..5' '--iter-start 4' \
		'--iter-stop 4' '--iter-start x' '--time 1ms..2ms' '--time 2ms' '--time x' '--rank 0' '--rank 7' \
		'--rank x' '--device 0' '--device 9' '--device x' '--stream 7' '--stream 7,x' '--thread 1' \
		'--under layer1' '--under nothing' '--filter gemm|conv' '--filter (' '--filter !name:conv' \
		'--filter calls:1' '--phase decode' '--phase x' '--by execution' '--by launch' '--by x' \
		'--gpu H100' '--gpu nothing' '--device-peaks nothing' '--no-python' '--key-node aten::conv2d' \
		'--key-op nothing' '--steps-from optimizer' '--steps-from period' '--steps-from annotations' \
		'--steps-from ranges' '--steps-from loader' '--steps-from server' '--steps-from nothing' \
		'--step-name ProfilerStep' '--step-name (' '--span 1' '--span 3' '--span x' '--run 1' '--run 4' \
		'--sample-type x' '--max-memory 1k' '--max-memory x' '--max-memory 0' '--show-secrets' '--no-cache' \
		'--cache-size 1M' '--cache-size x' '--strict' '--from-trace' '-n 2' '-n x' '-n -1' '-c name' \
		'-c +calls' '-c nothing' '-s name' '-s name:asc,calls:desc' '-s nothing' '-s name:up' '-g nothing' \
		'-w 10' '-w x' '--height 5' '--search conv' '--sort-by x' '--row-limit 2' '--csv' '--unit 1' \
		'--skip-zero' '--base-name x' '--formats csv' '--reports x' '--base nothing.json'; do
		says report operators one.json -n 4 $option
		says report kernels ranks -n 3 -f csv $option
	done
	for option in '--steps 4..5' '--rank 1' '--time 1ms..2ms' '--device 0' '--under layer1' '--filter conv' \
		'--by execution' '--only-steps 4..5' '--steps-from period' '--gpu A100'; do
		for view in steps overview layers gaps advice launches; do
			says report $view one.json -n 4 $option
		done
	done
	cat >peaks <<-'END'
	# name  fp32 tf32 ...
	NVIDIA Test 1 2 3
	END
	says report overview one.json --device-peaks peaks
	says report overview one.json --device-peaks "$seeds/peaks/devices"
	says report steps bare.json --step-name nothing
}

queries()
{
	for format in table csv tsv json ndjson markdown html; do
		says query 'SELECT name, calls, gpu_self_ns FROM operators ORDER BY 1 LIMIT 4' -f $format one.json
	done
	says query 'SELECT * FROM kernels' -n 3 -f json --envelope one.json
	says query 'SELECT * FROM kernels' -c name,calls -s calls:desc -n 3 one.json
	says query 'SELECT * FROM kernels' -c nothing one.json
	for sql in 'SELECT' 'SELECT nothing FROM kernels' 'SELECT * FROM nothing' 'DELETE FROM kernels' \
		'SELECT 1; SELECT 2' '' 'ATTACH x AS y' 'PRAGMA table_info(steps)' 'SELECT 1/0, NULL, 1.5, x'"'41'" \
		'SELECT count(*) FROM launches' 'SELECT kind, count(*) FROM launches GROUP BY 1' \
		'SELECT sum(dur_ns), avg(dur_ns), max(dur_ns) FROM launches' 'SELECT a.name FROM kernels a JOIN kernels b' \
		'EXPLAIN SELECT 1' 'VALUES (1, 2), (3, 4)' 'SELECT name FROM sqlite_master' \
		'SELECT 9223372036854775807 + 1' 'SELECT * FROM rank_time' 'SELECT * FROM steps WHERE step > 4'; do
		says query "$sql" one.json -n 5
		says query "$sql" ranks -n 5 -f csv --rank all
	done
	says query - one.json
	# a folder of several runs, of which one is read, and of none
	mkdir -p several/a several/b empty
	cp one.json several/a
	cp slow.json several/b
	find several -type f -exec touch -d 2024-01-01 {} +
	says query 'SELECT count(*) FROM steps' several
	says query 'SELECT count(*) FROM steps' --run b several
	says report steps several -n 2
	says report overview several --run 2 -n 2
	says report overview several --run 7
	says report runs several
	says report plot-steps several -n 2
	says diff several one.json -n 2
	says export --stacks written several
	says whatif -e nosync several
	says info several
	says query 'SELECT 1' empty
	says report steps empty
	rm -rf several empty written
	says query 'SELECT name FROM diff LIMIT 3' --base slow.json one.json
	says query 'SELECT name FROM steps' --steps 4..5 one.json
	says query 'SELECT path FROM layers' --under layer1 one.json
}

diffs()
{
	for format in table csv json ndjson markdown html; do
		says diff one.json slow.json -f $format -n 4
	done
	for view in kernels operators layers steps tree modules memory gaps collectives ranks nothing; do
		says diff one.json slow.json --view $view -n 4 -w 120
		says diff ranks one.json -g $view -n 4
	done
	says diff one.json slow.json -f json --envelope -n 1
	says diff one.json one.json
	says diff one.json bare.json -n 3
	says diff one.json nothing.json
	says diff one.json ranks -n 3
	says diff ranks ranks -n 3
	for limit in 0 5 5% 1000% -1 x; do
		says diff one.json slow.json --fail-above $limit -q -n 2
		says diff slow.json one.json --fail-above $limit -q -n 2
		says bisect one.json slow.json --fail-above $limit
	done
	says bisect one.json one.json
	says bisect slow.json one.json
	says bisect one.json new.json -- cp slow.json new.json
	says bisect one.json newer.json -- false
	says bisect one.json nothing.json
	says diff one.json slow.json -c help
	says diff one.json slow.json -c name,delta_ns -s name -n 3
	says diff one.json slow.json --steps 4..5 -n 3
	says diff --demo one.json -n 3
	for edit in 'comm x0.5' nosync 'kernels x0.5' 'host x0.5' 'comm x' 'x0.5' ''; do
		says whatif -e "$edit" one.json
		says whatif -e "$edit" -f json --envelope ranks
	done
	says whatif --sweep comm ranks
	says whatif --sweep host one.json -f csv
	says whatif --sweep x one.json
	says whatif -e nosync -e 'host x0.5' one.json
	says whatif --all one.json -c help
}

exports()
{
	for profile in one.json ranks bare.json nsys-run.txt python-pstats0 pyprof-net.dict; do
		for kind in trace stacks speedscope net-dict; do
			says export --$kind written $profile
			wrote written
		done
		for group in gpu cpu samples nothing; do
			says export --stacks written -g $group $profile
			wrote written
			says export --speedscope written -g $group $profile
			wrote written
		done
	done
	says export --trace written --steps 4..5 one.json
	wrote written
	says export --trace written --under layer1 one.json
	wrote written
	says export --trace written --time 1ms..2ms one.json
	wrote written
	says export --trace one.json one.json
	says export --sqlite database one.json
	says query 'SELECT count(*) FROM operators' database
	says export --sqlite database --base slow.json one.json
	says export --sqlite database --force one.json
	rm -f database
	for ranks in 1 0,2 all; do
		says export --sqlite database --rank $ranks ranks
		says query 'SELECT count(*), sum(calls) FROM operators' database
		says query 'SELECT rank, count(*) FROM steps GROUP BY 1' database
		rm -f database
	done
	says export --trace a --stacks b one.json
	wrote a
	wrote b
}

# line_profile HITS TICKS: of three lines, as line_profiler writes it, in opcodes that are text
line_profile()
{
	printf "\200\002cline_profiler.line_profiler\nLineStats\n)\201}(S'timings'\n}(S'm.py'\nI4\nS'work'\nt("
	for line in 5 6 7; do
		printf '(I%s\nI%s\nI%s\nt' $line "$1" "$2"
	done
	printf "(I8\nI2\nI3\ntlsS'unit'\nF1e-06\nub."
}

# dlprof, nsys, nvprof, pyprof, the profilers of Python and PyTorch's tables, with the options of their programs.
tools()
{
	for report in $(strata --list reports | grep -E '^(dlprof|nsys)-' | grep -v all); do
		says report "$report" nsys-run.txt
		says report "$report" one.json --csv
		says report "$report" dlprof-run.txt -f json --envelope -n 2
	done
	for report in dlprof-all nsys-all; do
		says report $report one.json -o out --base-name name
		says report $report one.json -o out --formats csv,json --force
		says report $report one.json -o out --formats nothing
		says report $report one.json -o out --reports nothing
		says report $report nsys-run.txt -o out --reports nothing,"$(strata --list reports | grep "^${report%all}" | sed -n '3s/[a-z]*-//p')"
		for file in out/*; do
			wrote "$file"
		done
	done
	for sort in cpu cuda self c x cpu_time cpu_time_total self_cpu_time_total cuda_time self_cuda_time_total device_time count key \
		cpu_memory_usage input_shapes stack; do
		says report key-averages one.json --sort-by $sort --row-limit 4
		says report key-averages ranks --sort-by $sort --row-limit 3 --group-by-input-shape --group-by-stack 2
	done
	says report key-averages --demo
	says report key-averages one.json --row-limit 0
	says report key-averages one.json --filter nothing
	says report key-averages --demo --row-limit -1 --group-by-input-shape
	says report key-averages bare.json -w 60
	for profile in python-key_averages python-key_averages_stack python-bottleneck kineto-tracegen.json; do
		says report key-averages $profile
	done
	for profile in pyprof-net.dict nsys-run.txt nvprof-run.txt one.json dlprof-run.txt; do
		says report pyprof $profile
		says report pyprof --csv $profile
		says report pyprof -w 150 $profile
		says report pyprof -c idx,op,flops,bytes -n 5 -f csv $profile
		says report net-dict $profile
	done
	for sort in cumulative tottime time ncalls pcalls name line filename module nfl stdname; do
		for profile in python-pstats2 python-pstats_text; do
			says report pstats --sort-by $sort $profile
		done
	done
	for profile in python-*; do
		says report pstats --row-limit 5 "$profile"
		says report python -n 5 "$profile"
	done
	for profile in python-lines* python-memory python-memray* python-pstats0 one.json; do
		says report lprof "$profile"
		says report mprof "$profile"
	done
	for numbers in '1 9' '12345678 99999999' '123456789012 99999' '2 123456789012345' '7 1.5'; do
		line_profile $numbers >wide.lprof
		says report lprof wide.lprof
		says report lprof --unit 1e-3 wide.lprof
		says report lprof --unit 1e-120 wide.lprof
	done
	says report lprof --unit 1e-3 python-lines
	says report lprof --skip-zero python-lines2
	says report lprof --unit x python-lines
}

infos()
{
	for profile in *-* "$srcdir"/tests/unit/data/*.txt "$srcdir"/tests/unit/data/*.csv; do
		echo "$profile"
	done | awk 'NR % 2' >profiles # for time
	while read -r profile; do
		says info -q -f csv "$profile"
	done <profiles
}

# Profiles that end early, or are those of something else.
damaged()
{
	mkdir cut
	: >cut/empty
	printf '{' >cut/open
	printf '[]' >cut/list
	printf '{"traceEvents": []}' >cut/none
	for profile in *-* one.json; do
		[ ! -f "$profile" ] || echo "$profile"
	done | awk 'NR % 2 == 0' >profiles
	while read -r profile; do
		size=$(($(wc -c <"$profile")))
		head -c $((size / 2)) "$profile" >"cut/$profile"
		says info --strict -f csv "cut/$profile"
	done <profiles
	mkdir lost
	cp ranks/rank0.json lost
	printf '{' >lost/rank1.json
	printf '\037\213' >lost/rank2.json.gz
	says report ranks lost
	says info lost -q
	for profile in cut/empty cut/open cut/list cut/none /dev/null "$srcdir/configure.ac"; do
		says info $profile
		says report kernels $profile
	done
}

summaries()
{
	says summarize one.json
	says summarize one.json
	says summarize -o sums ranks
	says summarize -o sums ranks nothing.json
	mkdir twice
	cp one.json twice
	says summarize -o sums one.json twice/one.json
	says summarize one.json twice/one.json
	says summarize -o twice twice ranks/rank0.json
	rm -rf twice
	says summarize -o other bare.json "$srcdir/configure.ac"
	says summarize -o other --force --steps 4..5 one.json
	for option in '--by execution' '--step-name ProfilerStep' --no-python '--steps-from optimizer'; do
		says summarize -o made one.json $option
		says summarize -o made one.json $option
		says summarize -o made one.json
		rm -rf made
	done
	says merge -o merged sums
	says merge -o merged sums/rank0.json.strsum sums/rank2.json.strsum
	says merge -o all --all-ranks sums
	says merge -o all sums/rank0.json.strsum sums/rank0.json.strsum
	says merge -o all one.json.strsum
	says merge -o merged one.json
	says merge -o sums/rank0.json.strsum sums/rank0.json.strsum
	says info merged -q
	for view in $(strata --list reports | grep -Ev -- '-|^all$|info|pstats|lprof|mprof'); do
		says report "$view" one.json.strsum -n 4
		says report "$view" merged -n 4 -f csv
		says report "$view" sums -f json --envelope -n 2
	done
	for view in operators ranks steps; do
		says report $view all --rank all -f csv
		says report $view all --rank 1 -n 3
		says report $view all --rank 1 --from-trace -n 3
		says report $view one.json.strsum --steps 4..5
		says report $view one.json.strsum --filter conv
	done
	says query 'SELECT rank, name FROM operators' all -n 5
	says diff one.json one.json.strsum -n 3
	says diff all ranks -n 3
	says export --trace written one.json.strsum
}

# Baselines, their histories, and indexes.
kept()
{
	for run in 1 2 3 4 5 6; do
		slow=
		[ $run -lt 5 ] || slow='--slow layer1.0:2'
		tracegen --steps 4 --layers 2 --stacks 0 --seed $run $slow -o run.json
		touch -d "2024-01-0$run 12:00" run.json
		says baseline add nightly run.json --label "commit-$run"
	done
	says baseline add main one.json
	says baseline add main slow.json
	says baseline list -f csv
	says history nightly -c kind,name,verdict,run,label
	for group in runs kinds nothing; do
		says history nightly -g $group -f csv -c kind,name,verdict,label
	done
	says history nightly -c help
	says history nightly -n 3 -f json -c kind,name,label
	sed 's/"baseTimeNanoseconds": *[0-9]*,//' run.json >baseless.json
	touch -d "2024-01-07 12:00" baseless.json
	says baseline add nightly baseless.json --label baseless
	says history nightly -g runs -f csv -c label,time
	says history nightly -f csv -c kind,name,run,time,verdict
	says history nightly --fail-above 5 -q -c kind,name
	for files in 1 2; do # of which nothing is left
		find "$XDG_STATE_HOME" -path '*nightly*.strsum' | LC_ALL=C sort | head -n $files | while read -r file; do
			printf x >"$file"
		done
		says history nightly -f csv -c kind,name,verdict,label
	done
	says diff main one.json -n 3
	says diff nightly one.json -n 3
	says report diff --base main one.json -n 3
	says baseline remove main
	says baseline list
	says cache
	says cache --clear
	says cache
}

sweep commands 12 helps reports formats options queries diffs exports tools infos damaged summaries kept
