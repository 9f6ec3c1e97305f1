# Every view at four sizes: goldens of the sample run, in short, and for other kinds of profiles that no
# word is cut without a mark.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

views=$(strata views | sed -n 's/^\([a-z-]*\): a row .*/\1/p')
[ "$(echo "$views" | wc -l)" -gt 30 ] || fail "strata views lists too few views"

# shoot VIEWS PATH: the dashboard and views at each size, to $work/VIEW-SIZE, and the timeline at the largest
sizes='160x45 120x35 80x24 40x12'
shoot()
{
	for size in 500x200 $sizes; do
		echo ":resize $size"
		for view in dashboard $1; do
			echo ":view $view"
			echo ":save-screen $view-$size"
		done
		[ $size != 500x200 ] || printf '5\n:save-screen timeline-%s\n' $size
	done | play 500x200 "$2"
}

# brief FILE: title, header, three rows, and what is below the table
brief()
{
	awk '
	{ line[NR] = $0 }
	/^(─|-)+$/ && !rule { rule = NR }
	END {
		for (row = 1; row <= NR; row++) {
			blank = line[row] ~ /^ *$/
			tabs = row <= 2 && line[row] ~ /^[[ ]1/
			if (!blank && !tabs && row != rule && (row <= 7 || row > (rule ? rule : NR - 1)))
				print line[row]
		}
	}' "$1"
}

# words KNOWN... SCREEN...: plain words of a screen that are in none of those of 500x200, nor brief names of causes
words()
{
	awk '
	BEGIN { for (i = split("Comm Overlap Launch Loader Alloc", word, " "); i > 0; i--) known[word[i]] = 1 }
	function plain(word)
	{
		sub(/^[<>(\047]+/, "", word)
		sub(/(▼|▲)$/, "", word) # it is sorted by
		sub(/[<>).,:;\047]+$/, "", word)
		return word
	}
	function look(    row, i, count, text)
	{
		for (row = 1; row < rows; row++) { # without the keys of the footer
			count = split(line[row], word, " ")
			for (i = 1; i <= count; i++) {
				text = plain(word[i])
				if (text ~ /^[A-Za-z][a-z][a-z]+$/ && text !~ /(aaa|ccc|lll|rrr|uuu|vvv|www|ddd)/ &&
				    !(text in known))
					print screen " " row ": " text
			}
		}
		rows = 0
	}
	FNR == 1 { look(); screen = FILENAME; large = screen ~ /-500x200$/ }
	{ gsub(/│|─|┌|┐|└|┘/, " ") } # frames of panels
	large { for (i = 1; i <= NF; i++) known[plain($i)] = 1; next }
	# tabs are short on purpose, and so are causes in a legend
	{ line[++rows] = FNR <= 2 && /\[.*\]/ ? "" : $0 }
	END { look() }' "$@"
}

# whole VIEWS PATH: at no size a word is cut that a large screen shows
whole()
{
	shoot "$1" "$2"
	(cd "$work" && for size in $sizes; do
		for view in dashboard $1; do echo "$view-$size"; done
	done) >"$work/names"
	(cd "$work" && wc -lL $(cat names)) >"$work/counts"
	awk '$3 != "total" { size = $3; sub(/.*-/, "", size); split(size, side, "x")
		if ($1 != side[2] || $2 > side[1]) print $3 " has " $1 " rows of at most " $2 }' "$work/counts" >"$work/wrong"
	(cd "$work" && words *-500x200 $(cat names)) >>"$work/wrong"
	[ ! -s "$work/wrong" ] || {
		cat "$work/$(sed '1s/ .*//; q' "$work/wrong")" >&2
		fail "$2: wrong size or cut words: $(cat "$work/wrong")"
	}
}

# Paths wrap and must be as long on every machine: the sample run is opened from its folder. Its small
# screens are held, but for info: how well the run is compressed depends on the machine.
cp "$builddir/demo.trace.json.gz" "$work"
cd "$work"
whole "$views" demo.trace.json.gz
for size in $sizes; do
	printf '5\n:save-screen timeline-%s\n' $size | play $size demo.trace.json.gz
	for view in dashboard timeline $(echo "$views" | grep -vx info); do
		echo "== $view"
		brief "$work/$view-$size"
	done >"$work/all"
	if [ "${UPDATE_GOLDEN-}" ]; then
		cp "$work/all" "$screens/views-$size.screens"
	else
		diff -u "$screens/views-$size.screens" "$work/all" || fail "views at $size have changed"
	fi
done

# Other kinds of profiles.
[ -d "$corpus/rocpd" ] || exit 0
cd "$corpus"
rm -f "$work"/*-500x200
kinds=0
for path in ascend/db/level1 rocpd/rocpd_3.0.3_graphs.db rpd/mytrace.rpd \
	rocprof_compute/rocprof_compute_23ed6f36.db ncu/mlp_t4.ncu-rep xplane/generated_gpu_tpu.xplane.pb \
	memory_snapshot/synthetic_oom_2dev_proto5.pickle memory_timeline/memory_timeline.raw.json.gz \
	tensorrt/mobilenet.qat.engine.profile.json proton/triton.hatchet onnxruntime/generated_cuda.json \
	execution_trace/resnet_et.json.gz nccl_flight_recorder speedscope/pyspy_layout_two_threads.speedscope.json \
	pstats_text/fib_tottime.txt memory_profiler/line_by_line.txt lightning/simple_fit_extended.txt \
	bottleneck/resnet18_cpu.txt importtime/py3.11_torch.txt nvprof/josiahdavis__profiling-lm/net.sql \
	nsys/gxxxh__ml_predict/resnet.sqlite; do
	[ -e "$path" ] || { echo "$path is not here" >&2; continue; }
	kinds=$((kinds + 1))
	[ -z "${SANITIZERS-}" ] || [ $((kinds % 4)) = 0 ] || continue # words are cut with and without them
	whole "layers operators kernels launches memory advice python info" "$path"
	rm -f "$work"/*-500x200
done
