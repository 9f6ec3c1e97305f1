# What the explorer shows: menus, prompts, options, configurations, sources, files that it writes, runs, comparisons,
# what-if and plots, held in explorer/GROUP.txt (held.sh). A text is a line of keys with the screen that they lead to,
# of some in the colors of a theme. Walks at random are in sweep.sh.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/sweep/held.sh"
shown=0 look=
unset EDITOR VISUAL PAGER COLORTERM

tracegen --steps 4 --layers 2 --stacks 4 --seed 5 -o one.json
tracegen --steps 4 --layers 2 --stacks 4 --seed 6 --slow layer1.0:3 -o slow.json
mkdir ranks code
for rank in 0 1 2; do
	tracegen --steps 3 --layers 2 --stacks 2 --rank $rank --world 3 --straggler 2:1.4 -o ranks/rank$rank.json
done
"$builddir/tests/sweep/rows" --make "$seeds"/*/*
for file in train resnet model; do
	seq 1 300 | sed "s/.*/\tline & of $file/" >code/$file.py
done
find . -type f -exec touch -d 2024-01-01 {} +

# plays SIZE ARGUMENT...: the keys on standard input, a screen for each line
plays()
{
	next_text "$ --size $*"
	rm -rf screens
	mkdir screens
	awk '{ print; printf ":save-screen screens/%04d.ans\n", NR }' >keys
	size=$1
	shift
	strata --script keys --size "$size" $look "$@" >>"$text" 2>&1 </dev/null || echo "status $?" >>"$text"
	awk 'NR % 2' keys >titles
	number=0
	while IFS= read -r title; do
		number=$((number + 1))
		screen=screens/$(printf %04d $number).ans
		[ -e "$screen" ] || break # a file that cannot be written ends a script
		next_text "$title"
		cat "$screen" >>"$text"
	done <titles
}

menus()
{
	for view in overview steps layers operators kernels launches advice memory timeline dashboard plot-flame; do
		printf ':view %s\n' $view
		printf '%s\n' x '<Down><Down>' '<Enter>' '<Esc><Esc>' s '<Space><Down><Space>' '>' '<Enter>' c \
			'<Space><Down><Down><Space>' '<Down>>' '<Down><lt>' '<Enter>' t '<Down><Enter>' 't<Home><Enter>' '<Esc>'
	done >in
	plays 120x35 one.json <in
	printf '%s\n' o '<Down><Space>' '<Down><Space><Down><Space>' '<End><Space>' '<Home><Enter>' '<Esc>' :theme \
		'<Down><Down>' '<Enter>' ':theme<Enter>' '<End>' '<Esc>' T '<Down><Down><Enter>' T '<Home><Enter>' '?' '<PageDown>' \
		'/sort<Enter>' n N '<Esc>' ':help time' ':help (' ':help nothing' q ':positions' '<Enter>' ma '2jjmb' "'a" "'b" "'c" \
		':positions' '<Down><Enter>' ':view nothing' ':split' ':split kernels' '<Tab>' ':split nothing' S i i O '<Down>' \
		'<Esc>' '5.' '%' '%' '%' '<C-z>' '<C-l>' '<C-c>' R >in
	plays 100x30 one.json <in
}

prompts()
{
	strata --list commands | cut -f 1 | grep -Ev '^(quit|write!|save-.*|screenshot|export|write|open|reload-config|plain|whatif)$' >commands
	{
		printf ':view operators\n'
		while read -r command; do
			printf ':%s\n:%s nothing\n:%s 1\n:%s -1..x\n :%s <Tab>\n<Tab>\n<C-c>\n' $command $command $command $command $command
		done <commands
	} >in
	plays 90x24 one.json <in
	printf '%s\n' ' :vi<Tab>' '<Tab>' '<S-Tab>' '<Space>' ker '<C-a>' '<C-f><C-f>x' '<C-k>' '<C-y>' '<C-w>' '<C-u>' '<C-y>' \
		'<Home><Right><Left>' '<End><Backspace>' '<M-b>y' '<M-f>z' '<Delete><C-d>' '<C-c>' ' :<Up>' '<Up><Up>' '<Down>' \
		'<C-r>' 'view' '<C-r>' '<Enter>' '/conv<Enter>' n n N '*' '/(<Enter>' '/nothing<Enter>' '&gemm<Enter>' '&<Enter>' \
		'&!aten<Enter>' '&calls:4<Enter>' '&(<Enter>' '&<Enter>' ';SELECT 1<Enter>' ';SELECT name FROM kernels<Enter>' s \
		'<Esc>' ';SELECT<Enter>' ';<Up><Enter>' '<Backspace>' ':5' ':0' ':99999' ':-1' ':name' ':detail' ':sort-left' ':go conv' \
		':go nothing' ':go ResNet_0' ':search a' '5j' '0' '12<Esc>' '<F12>' ':' '<Enter>' ' :set <Tab><Tab>' '<C-c>' \
		' :columns na<Tab>' '<C-c>' ' :theme d<Tab><Enter>' ' :filter name:<Tab>' '<C-c>' ' :under Re<Tab>' '<C-c>' \
		' :write co<Tab>' '<Tab>' '<C-c>' >in
	plays 100x26 one.json <in
}

settings()
{
	cat >good <<-'END'
	# One directive a line.
	set detail off
	set ascii
	theme light
	view kernels
	bind all K <C-n> move-up
	bind table J <F8> move-down
	unbind table <Enter>
	columns operators name,calls,cpu_self_ns
	sort operators calls:asc
	group kernels properties
	source code
	END
	printf 'bind\nbind x y z\nbind all <Nosuch> move-up\nbind all j nothing\nset\nset nothing\nset ascii maybe\ntheme nothing\nview nothing\ncolumns operators nothing\ncolumns nothing name\nsort operators nothing\ngroup kernels nothing\nunbind all\nunbind x y\nnothing\nsource\n\377\n' >bad
	strata --list config | grep '^set' | cut -f 1 | sed 's/.*/:&\n:& on\n:& off\n:& nothing/' >in
	printf '%s\n' ':config' ':save-config' ':bind table J move-down' J ':bind table J nothing' ':bind nothing J move-down' \
		':unbind table J' J ':unbind table <Nosuch>' ':save-config saved' \
		':reload-config' ':theme cvd' ':theme high-contrast' ':theme light' ':theme dark' ':theme mono' ':theme nothing' >>in
	# names of screens have no path of the machine: its length would show
	cp "$seeds/config/all.conf" all
	cp "$seeds/theme/default.theme" seed.theme
	for config in good bad nothing all; do
		rm -f saved
		plays 100x30 one.json --config $config <in
		wrote saved
	done
	for theme in $(strata --list themes) ./seed.theme bad; do
		printf ':view timeline\n+++\n:view layers\n:view advice\n:plot flame\n' >in
		plays 80x20 one.json --theme "$theme" --color always <in
		plays 80x20 one.json --theme "$theme" --ascii --color never <in
	done
	printf '3\njj\nsq\n' >in
	plays 80x20 one.json --ignore-config --no-state <in
	plays 80x20 one.json --view kernels --braille --mouse <in
	# what is kept for the next time
	printf '%s\n' ':set restore' 4jj ':filter conv' '/gemm<Enter>' mA ':source code' ':theme light' >in
	plays 80x20 one.json <in
	printf '%s\n' j ' :<Up>' '<Esc>' ' /<Up>' '<Esc>' "'A" :positions >in
	plays 80x20 one.json <in
	plays 80x20 slow.json <in
}

sources()
{
	printf '%s\n' ':source code' 4v j 20j '<PageDown>' /line V '<Backspace>' ':view launches' v '<Tab>' '<Backspace>' '3<Enter>v' q \
		':view layers' jv n '<Esc>' ':view timeline' v ':plot flame' '<Right>v' ':view advice' v ':view python' jjv \
		':view stacks' jv ':source nothing' ':source a code' ':source' v ':dashboard' v '<Down>v' V ':view calls' 5jv '<Right>' ')' \
		'(' '<End>' '<Home>' 'z' >in
	plays 120x30 one.json <in
	plays 60x14 one.json <in
	for profile in python-lines python-perf python-pstats2 python-memory python-scalene kineto-odd-names.json; do
		printf '%s\n' ':source code' v j v '<Enter>' v O >in
		plays 90x20 $profile <in
	done
}

files()
{
	for view in operators steps timeline plot-memory advice dashboard; do
		printf ':view %s\n' $view
		printf ':write %s.%s\n' $view csv $view json $view ndjson $view md $view txt
		printf ':write! %s.csv\n:export %s.tsv\n:screenshot %s.ans\n:save-screen %s.svg\n' $view $view $view $view
		printf '%s\n' y Y ' xe' '<Esc>' ':plain'
	done >in
	plays 100x24 one.json <in
	for line in ':write x.nothing' ':write one.json' ':write no/where.csv' ':write' ':write x.svg' ':write x.html' :save-screen ':export' \
		':save-config one.json' ':save-config no/where' ':screenshot no/where.ans' ':write! one.json'; do
		printf '3\n%s\nj\n' "$line" >in
		plays 100x24 one.json <in
	done
	for file in *.csv *.tsv *.ndjson *.md operators.* steps.* timeline.* plot-memory.* advice.* dashboard.*; do
		[ ! -f "$file" ] || wrote "$file"
	done
	printf '%s\n' '3<Space>jj<Space>' Y y U ':set clipboard off' y Y '<Esc>' x '/copy<Enter>' '<Enter>' ':open nothing' \
		':base slow.json' ':base nothing' d ':base' R :reread >in
	plays 100x24 one.json <in
}

runs()
{
	printf '%s\n' ':view ranks' jj '<Enter>' :dashboard ':rank 1' ':rank all' ':rank 9' ':view operators' ':rank all' ':rank 0,2' \
		':worker rank1' ':worker nothing' ':run 1' ':run 2' ':run nothing' ':span 1' ':span 4' ':view rank-time' ':plot ranks' '<Right>' \
		'<Enter>' ':plot rank-time' '<Right><Down>' '<Enter>' i ':view rank-outliers' '<Enter>' ':view collectives' '<Enter>' \
		']' '[' ':view timeline' '<Down><Down>' f + + e p H c '<Enter>' ':lane comp' ':view runs' '<Enter>' >in
	plays 120x32 ranks <in
	mkdir -p several/a several/b
	cp one.json several/a/x.pt.trace.json
	cp slow.json several/b/y.pt.trace.json
	printf '%s\n' ':view runs' j '<Enter>' '<Esc>' ':run b' ':run a' ':run 2' ':run' '<Down><Enter>' d >in
	plays 100x24 several <in
	plays 100x24 one.json slow.json <in
	plays 100x24 folder-ranks <in
	for file in $(ls | grep -e - | awk 'NR % 5 == 0'); do
		printf '%s\n' '<Tab>' '<Down><Enter>' i ':plot' ':view info' '?q' >in
		plays 90x24 "$file" <in
	done
	for file in nothing.json "$srcdir/configure.ac"; do
		echo j >in
		plays 90x24 "$file" <in
	done
}

compared()
{
	for base in slow.json ranks; do
		printf '%s\n' :dashboard '<Down><Enter>' d ':view diff' j '<Enter>' '<Backspace>' t '<Down><Enter>' s '<Down><Enter>' i O ':view layers' \
			':view operators' c '<End><Space><Enter>' ':filter verdict:slower' ':filter' ':plot diff' '<Right><Right>' '<Enter>' I \
			':view timeline' f ++ '<Down>' ':view kernels' j d ']' '[' ':sort delta_gpu_ns:desc' ':view steps' j d Z ':base' d >in
		plays 140x36 one.json --base $base <in
		plays 70x18 one.json --base $base <in
	done
	printf '%s\n' w h h l l l 0 t t t a a y '<Enter>' ':view diff' M '<Tab>h' '<Enter>' Z ':whatif nosync' ':whatif comm x0.5;host x0.5' \
		':whatif nothing' '<Down><Down>' '<Enter>' M '<Esc>' ':view layers' jjw hh a '<Tab>' '<Enter>' ':dashboard' '<Down>w' \
		'<Enter>' ':sort saved_pct' ':view timeline' M hhh '<C-c>' >in
	plays 130x34 one.json <in
	plays 130x34 ranks <in
	plays 60x16 one.json <in
}

plots()
{
	for plot in $(strata --list reports | sed -n 's/^plot-//p'); do
		printf ':plot %s\n' "$plot"
		printf '%s\n' '<Right><Right>' l '<Enter>' i + + - h '<Space>' 'll<Space>' r 0 I t '<Down><Enter>' '<Down>' '<Up>' f '<Backspace>' v \
			'/conv<Enter>' n y P '<Esc>'
	done >in
	plays 110x30 one.json --color always <in
	plays 62x15 ranks --braille <in
	printf '%s\n' 6 + + + w s - a d h l A D '<S-Left>' '<S-Right>' , . '{' '}' '<lt>' '>' f S F 0 e t E C p H c '<Space><Down><Enter>' z \
		'<Space>' 'll<Space>' r '<Esc>' '*' '/conv<Enter>' n N M '<Esc>' T '<Esc>' ']' '[' v '<Backspace>' O i y Y ':lane GPU' ':lane nothing' \
		':min-duration 5us' ':min-duration' ':time 1ms..2ms' ':time' ':steps 4' ':steps' ':set letters' jjj '<Enter>' kk '&conv<Enter>' '&<Enter>' >in
	plays 130x34 one.json --view timeline <in
	plays 100x26 ranks --view timeline <in
	plays 70x18 kineto-lanes.json --view timeline --ascii <in
	# marks that are out of sight, and none
	printf '%s\n' "'a" ++++ ma DDD "'a" DD mb "'a" "'b" r '<Backspace>' -- "'b" AAAA "'b" "'z" >in
	plays 100x20 one.json --view timeline <in
	# points of a plot from end to end
	for plot in memory steps utilization distribution; do
		printf '%s\n' ":plot $plot" h llll l hh h hhhhhhhh lllllllllllll l hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh h
	done >in
	plays 70x16 one.json <in
}

# What is seldom done: actions without a key, two of several runs compared, baselines, names with quotes, places of
# every scope, prompts gone through backward, stacks of zooms and followed links
seldom()
{
	look='--color always'
	cat >keys.conf <<-'END'
	bind all <F5> window-top
	bind all <F6> window-middle
	bind all <F7> window-bottom
	bind all <F8> from-trace
	bind menu <F9> move-down
	bind prompt <C-o> cancel
	bind what-if <F9> what-if-more
	bind what-if <F10> move-down
	bind nothing <F9> move-down
	bind menu <F10> drill
	END
	printf ':config\n' >in
	plays 100x24 one.json --config keys.conf <in
	for view in operators layers calls launches timeline advice dashboard plot-flame plot-memory 'help time'; do
		printf ':%s\n' "$view" 8j '<F7>' '<F6>' '<F5>' '3<F7>' '<F8>' z '<F6>' y '<Enter>' '<Backspace>' | sed '2,$s/^://'
	done >in
	plays 100x14 one.json --config keys.conf <in
	plays 160x50 one.json --config keys.conf <in
	strata summarize -q -o sums one.json >log 2>&1
	printf '%s\n' :operators '<F8>' :operators '<F8>' >in
	plays 90x16 sums --config keys.conf <in

	# two of three runs, of which two have ranks
	mkdir -p three/a three/b three/c empty
	cp ranks/rank0.json three/a/w0.pt.trace.json
	cp ranks/rank1.json three/a/w1.pt.trace.json
	cp ranks/rank1.json three/b/w0.pt.trace.json
	cp ranks/rank2.json three/b/w1.pt.trace.json
	cp one.json three/c/w0.pt.trace.json
	find three -type f -exec touch -d 2024-01-01 {} +
	printf '%s\n' ':view runs' d 'jd' ':view runs' '<Space><Space>' d ':view runs' 'U<Space><Space><Space>' d U 'Gd' ':view diff' \
		':view operators' d ':worker w' ':worker w0' ':open slow.json' G '<Enter>' ':open empty' ':open nothing' ':open one.json' \
		':view runs' 'Gd' ':reread' R >in
	plays 120x24 three <in

	mkdir kept
	cp -p one.json slow.json kept
	strata baseline add first kept/one.json --label z >log 2>&1
	strata baseline add second kept/slow.json --label x >>log 2>&1
	strata baseline add second kept/one.json --label y >>log 2>&1
	day=1
	for sums in state/strata/baselines.d/*/*.strsum; do
		mv "$sums" "${sums%/*}/2024010${day}T000000.000000000Z-${sums##*Z-}"
		day=$((day + 1))
	done
	printf '%s\n' d '<Tab>' '<Tab>' '<S-Tab>' '<Enter>' ' :base <Tab>' '<Tab>' '<C-c>' H ':view layers' jH '<Enter>' ' :vi<S-Tab>' \
		'<S-Tab>' '<Down>' '<C-c>' ':base second' :dashboard H ':view operators' H '<Enter>' ']' '[' ':view kernels' jjH '<Backspace>' >in
	plays 120x26 one.json <in
	plays 120x26 one.json --base second <in
	echo damaged >state/strata/baselines
	printf '%s\n' d ':base first' >in
	plays 100x20 one.json <in
	rm -rf state

	# places, each of its own scope, from all others
	printf '%s\n' ':under layer1' ':filter conv' ':view operators' jjmA '<Esc><Esc><Esc>' ':steps 4..5' ':view kernels' 3jmB ':steps' \
		':view timeline' '+++' ma mC ':plot memory' llmD ':device 0' ':stream 7' ':view launches' 5jmE '<Esc><Esc>' :dashboard \
		'<Down>mF' ';SELECT 1 x<Enter>' mG ':view layers' 2jmH ':view calls' 30jmI :positions '<Down><Enter>' "'A" "'B" "'C" "'D" \
		"'E" "'F" "'G" "'H" "'I" "'J" ':key-node none' "'A" "'I" ':open slow.json' "'B" "'C" "'H" :positions >in
	plays 110x26 one.json <in
	printf '%s\n' ':rank 2' ':view kernels' jmJ ':rank 0' ':view rank-time' jmK :positions "'J" "'K" ':rank 1' "'J" >in
	plays 110x26 ranks <in

	# names with quotes, in what is copied and written
	cp one.json "it's 2.json"
	printf '%s\n' :advice M y '<Esc>' :operators y Y ' xe' '<Esc>' ":write it's.csv" ":write it's.csv" ':view layers' jM 'y' hh y >in
	plays 120x26 "it's 2.json" <in
	wrote "it's.csv"
	# what is no file is not overwritten
	ln -s /dev/null null.csv
	ln -s /dev/null null.svg
	printf '%s\n' :operators ':write null.csv' ':write! null.csv' ':save-screen null.svg' ':write one.json' ':write .' >in
	plays 100x14 one.json <in
	# searches that are left, repeated and empty; filters of nothing; what has no rows
	printf '%s\n' :operators '/conv<Enter>' '/<Enter>' '/x<Esc>' '/<Enter>' '<Esc>' '/<Enter>' '/<C-c>' '&nothing<Enter>' j y Y '<Enter>' v ']' x \
		'<Esc>' '<Space>' '*' s '<Esc>' '<Esc>' ':plot' '<Esc>' ':filter' ':view timeline' '/nothing<Enter>' '*' f ':time 1ns..2ns' f y '*' \
		'<Enter>' ':time' :dashboard '/conv<Enter>' n N '/zzz<Enter>' '<Esc>' '(?<Enter>' '/(<Enter>' ':search (' '&(<Enter>' ':view kernels' \
		':filter name:*x' '&name:(<Enter>' '&!calls:*<Enter>' '&nosuch:1<Enter>' '&calls:1<Enter>' ':filter !name:gemm' >in
	plays 100x22 one.json <in
	# steps from what is in one, and from what is none
	printf '%s\n' ':view steps' jT T '<Down>T' ':view layers' jjT T ':view kernels' T ':view gaps' T :dashboard T ':plot flame' T \
		':view operators' 3jT '<C-o>' '<C-o>' ':key-node nothing' ':key-node none' ':steps-from period' ':steps-from none' >in
	plays 100x22 one.json <in
	# searches of a dashboard of which some panels are out of sight
	for size in 40x12 60x16 130x40; do
		printf '%s\n' :dashboard '/a<Enter>' n n n n N N N '/step<Enter>' n n N '/gpu<Enter>' n '<End>' n '<Home>' N '}' '}' n N '{' '<Enter>' >in
		plays $size one.json <in
	done
	# more zooms, jumps and followed links than are kept
	{
		printf ':plot flame\n'
		for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '<Down>+\n'; done
		printf '%s\n' - -- 0 ':5' ':12' ':999' '<Down><Down>' hh ll h l h '<Home>' '<End>' '<Enter>' l l h
		printf ':view launches\n'
		for i in 1 2 3 4 5 6 7 8 9 10; do printf '%s\n' ']' j '[' ; done
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do printf '<Backspace>\n'; done
		for plot in memory steps roofline distribution utilization rank-time; do printf ':plot %s\n' $plot; printf '%s\n' ':3' ':1' ':9999'; done
	} >in
	plays 100x22 one.json <in
	for i in $(seq 26); do printf ':view %s\n' kernels layers; done >in
	for i in $(seq 51); do printf '<C-o>\n'; done >>in
	printf '<M-Right>\n<M-Right>\n:open slow.json\n<C-o>\n<C-o>\n' >>in
	plays 60x14 one.json <in
	# tables with more columns than fit, than are counted, than are named
	for n in 12 64 65 70 200; do
		printf ';SELECT %s<Enter>\n' "$(seq 1 $n | sed 's/.*/& c&/' | paste -sd,)"
		printf '%s\n' ')' '))))' '<S-Left>' s '<End><Enter>' c '<End><Space><Enter>' i O '<Down><Down>' '<Esc>' ':write w.csv'
	done >in
	plays 100x30 one.json <in
	wrote w.csv
	# a theme of sixteen colors, of all, and of attributes
	for color in bright-red 9 '#0a8f10' 250 default black; do
		sed "s/^\(kernel\|title\|selection\|tab\) .*/\1 $color bright-blue bold underline italic reverse dim/" "$srcdir/themes/default.theme" >other.theme
		printf ':view kernels\n:save-screen x.svg\n:view timeline\n' >in
		COLORTERM=truecolor plays 70x14 one.json --theme ./other.theme <in
		wrote x.svg
		plays 70x14 one.json --theme ./other.theme <in
	done
	look=
}

# What is said of files, places and settings that changed or cannot be read between two looks; marks of plots; jumps to
# times
odd()
{
	look='--color always'
	# markers of plots: set in either order, gone to, moved, cleared
	for plot in memory steps utilization distribution timeline; do
		printf ':plot %s\n' $plot
		printf '%s\n' "'a" lll ma "'b" lllll "'a" mb "'a" "'b" hh "'a" llllllma "'b" '<Enter>' '<Backspace>' '<Space>' lll "'a" ma '<Space>' \
			'<Esc>' mc h "'c"
	done >in
	plays 90x24 one.json <in

	# lines of the configuration without a direction or with another
	printf '%s\n' 'sort kernels calls' 'sort operators name' 'sort layers gpu_ns:asc' 'columns kernels name,calls' 'group operators shapes' \
		'set follow' 'set restore' >ways.conf
	for view in kernels operators layers launches steps; do
		printf '%s\n' ":view $view" '<Tab>' s '<Esc>' ':sort name' ':sort' ':group' '<Backspace>'
	done >in
	plays 100x20 one.json --config ways.conf <in

	# a theme that is gone when it is chosen
	mkdir -p config/strata/themes
	ln -s nothing config/strata/themes/aaa.theme
	printf '%s\n' :theme '<Home>' '<Enter>' :theme '<End>' '<Enter>' ':theme aaa' ' :theme <Tab>' '<C-c>' >in
	plays 90x24 one.json <in
	plays 90x24 one.json --theme aaa <in
	rm -rf config

	# places of each scope
	printf '%s\n' ':set restore' ':under layer1' ':filter conv' ':view operators' jjmA '<Esc><Esc><Esc>' ':filter gemm' ':view kernels' jmB \
		'<Esc><Esc>' ':device 0' ':stream 7' ':view launches' 5jmC '<Esc><Esc>' ':under layer2' ':view calls' 9jmD '<Esc><Esc>' \
		':min-duration 5us' ':view kernels' mE ':min-duration' ':view layers' 2j '<Enter>' jmF :dashboard ':view timeline' ++DD mG \
		:timeline ':filter conv' ':view kernels' jmH '<Esc><Esc>' :positions "'A" "'B" "'C" "'D" "'E" "'F" "'G" "'H" "'Z" :positions '<Down><Down><Enter>' >in
	plays 110x26 one.json <in
	plays 70x20 ranks <in

	# jumps back to times of a timeline, where nothing was selected, and to what is gone
	for there in '' .. ,, '<Down>' '<Down><Down>'; do
		printf '%s\n' ':view timeline' "+++++$there" hhhh mA ma DDDDDDDD "'A" 0 "'A" ++++++++ "'A" '<Enter>' '<C-o>' G '<C-o>' '<C-o>' '<M-Right>' '<M-Right>' \
			'<M-Right>' ':time 1ms..2ms' "'A" '<C-o>' ':time'
	done >in
	plays 100x22 one.json <in
	plays 100x22 ranks <in

	# what cannot be compared, run or gone to
	printf '%s\n' :dashboard '<End>' '<Enter>' '<Home>' '<Enter>' ']' '[' '<Up>' '<Enter>' f ':5' '<Enter>' ':9' '<Enter>' ']' ':13' '<Enter>' ']' \
		':view info' T '<Enter>' f ']' '[' v H >in
	plays 100x40 one.json <in
	plays 70x22 ranks <in
	printf '%s\n' ':view info' j f ']' '[' '<Enter>' v H x '<Esc>' s '<Esc>' 2 j ']' f '<Backspace>' 3 j ']' f '<Backspace>' ':open one.json' ':view kernels' \
		jmA ':open ncu-raw' "'A" j '<C-o>' >in
	# a rank that the next run lacks
	printf '%s\n' ':view kernels' ':open one.json' j '<C-o>' ':view layers' ':open ncu-raw' 1 >in
	plays 90x22 ranks --rank 2 <in
	for profile in python-lines ncu-raw snapshot-snapshot0 compile-log nvprof-summary; do
		plays 90x22 $profile <in
	done

	# a place whose row was found again in a run that was read again
	for pane in 5++ 3jj 4j 2j ':plot flame<Enter>jj' 6; do
		printf '%s\n' "$pane" mA '<Right>' mB 1 R "'A" j "'A" '<Down>' "'B" '<C-o>' '<C-o>' "'A"
	done | sed 's/^:plot flame<Enter>jj$/ :plot flame<Enter>jj/' >in
	plays 100x22 one.json <in

	# ends of a timeline: single nanoseconds, gaps, what is too short, filtered or on another stream
	{
		printf '%s\n' :timeline "$(printf '%040d' 0 | tr 0 +)" t l h '<Down>' t '}' t f '{' f '<Esc>' z f a f :timeline '<End>' '<Down><Down><Down>' '}' f '}' f \
			ma '}' mb hhh f S z f '{' '{' t
		for narrow in ':min-duration 40us' ':min-duration 200us' ':device 0' ':stream 7' ':filter aten' ':filter gemm' ':time 1ms..2ms' ':lane CPU'; do
			printf '%s\n' :timeline "$narrow" l ']' ']' '[' '<Down>l' ']' '[' '<Down><Down>l' ']' '[' '*' n ':view launches' mC "'C" j ']' '[' '<Esc><Esc>'
		done
	} >in
	plays 120x30 one.json <in
	plays 80x18 kineto-lanes.json <in
	printf '%s\n' :timeline ':resize 44x12' "$(printf '%040d' 0 | tr 0 +)" ':resize 160x30' t l l h '<Down>' l >in
	plays 44x12 one.json <in

	# flame graphs deeper than zooms are kept, and rows whose frames are too narrow
	{
		printf ':plot flame\n'
		for i in $(seq 35); do printf '<Down>+<Down>+\n'; done
		printf '%s\n' - - --- '----------' '<Down><Down>' + 0 ':view layers' G P '<Backspace>' ':view calls' G P '<Backspace>' ':view stacks' G P + - /e '<Enter>' n N N
	} >in
	printf '%s 9\n' "$(seq -f 'f%g' 90 | paste -sd ';')" 'f1;other' >deep.txt
	plays 100x60 deep.txt <in
	plays 40x12 one.json <in

	# names that no pattern can hold, and patterns that no time suffices for
	awk -v long="$(printf '%04100d' 0)" '{ sub(/s16816wgrad|aten::batch_norm|Conv2d_0/, "&" long) } 1' one.json >long.json
	for view in kernels operators timeline plot-flame layers; do
		printf '%s\n' ":view $view" '/batch_norm0<Enter>' '*' '<Esc>' '<Down>*' '<Down>*' '<Right>*' '/(0*)*x$<Enter>' n '&(0*)*x$<Enter>' '<Esc>'
	done >in
	plays 90x20 long.json <in

	# without a home there is no folder of it
	printf '%s\n' ':source ~/code' v ':save-config' ':view kernels' mA ':theme dark' d ':base <Tab>' y >in
	unset HOME XDG_CONFIG_HOME XDG_STATE_HOME
	plays 90x20 one.json <in
	echo ':write ~/x.txt' >in
	plays 90x20 one.json <in
	export HOME="$work" XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state"

	# sources that lie elsewhere than they were recorded
	mkdir -p code/home/u
	cp code/train.py code/home/u/t.py
	for from in / /home/ /home /home/u/t.py /hom /home/u/ home; do
		printf '%s\n' ":source $from code" v q ":source $from code/train.py" v q
	done >in
	plays 90x20 python-faulthandler <in

	# searches of points, both ways
	for plot in roofline memory steps distribution utilization; do
		printf '%s\n' ":plot $plot" '/[aek]<Enter>' n n N N N N N '<Home>' N '<End>' n
	done >in
	plays 90x24 one.json <in
	look=
}

sweep explorer 10 menus prompts settings sources files runs compared plots seldom odd
