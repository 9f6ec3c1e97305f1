# Every view at four sizes: goldens of the sample run, in short, and for other kinds of profiles that no
# word is cut without a mark.
. "${srcdir:-.}/tests/tui/lib.sh"

views=$(strata views | sed -n 's/^\([a-z-]*\): a row .*/\1/p')
[ "$(echo "$views" | wc -l)" -gt 30 ] || fail "strata views lists too few views"

# shoot SIZE VIEWS PATH: the dashboard, pictures and views, to $work/VIEW-SIZE
shoot()
{
	{
		echo ":save-screen dashboard-$1"
		echo 5
		echo ":save-screen timeline-$1"
		for view in $2; do
			echo ":view $view"
			echo ":save-screen $view-$1"
		done
	} | play "$1" "$3"
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

# words SMALL KNOWN...: plain words of SMALL that are in none of the others, nor brief names of causes
words()
{
	small=$1
	shift
	awk -v small="$small" -v brief="Comm Overlap Launch Loader Alloc" '
	BEGIN { for (i = split(brief, word, " "); i > 0; i--) known[word[i]] = 1 }
	function plain(word)
	{
		sub(/^[<>(\047]+/, "", word)
		sub(/(▼|▲)$/, "", word) # it is sorted by
		sub(/[<>).,:;\047]+$/, "", word)
		return word
	}
	{ gsub(/│|─|┌|┐|└|┘/, " ") } # frames of panels
	FILENAME != small { for (i = 1; i <= NF; i++) known[plain($i)] = 1; next }
	FNR <= 2 && /\[.*\]/ { next } # tabs are short on purpose, and so are causes in a legend
	BEGIN { known["Alloc"] = known["Comm"] = known["Launch"] = known["Loader"] = known["Overlap"] = 1 }
	{ line[FNR] = $0; rows = FNR }
	END {
		for (row = 1; row < rows; row++) { # without the keys of the footer
			count = split(line[row], word, " ")
			for (i = 1; i <= count; i++) {
				text = plain(word[i])
				if (text ~ /^[A-Za-z][a-z][a-z]+$/ && text !~ /(aaa|ccc|lll|rrr|uuu|vvv|www|ddd)/ &&
				    !(text in known))
					print row ": " text
			}
		}
	}' "$@" "$small"
}

# whole VIEWS PATH: at no size a word is cut that a large screen shows
whole()
{
	shoot 500x200 "$1" "$2"
	for size in 160x45 120x35 80x24 40x12; do
		shoot $size "$1" "$2"
		rows=${size#*x}
		for view in dashboard $1; do
			[ "$(wc -l <"$work/$view-$size")" = "$rows" ] || fail "$view at $size has not $rows rows"
			[ "$(wc -L <"$work/$view-$size")" -le "${size%x*}" ] || fail "$view at $size is too wide"
			cut=$(words "$work/$view-$size" "$work"/*-500x200)
			[ -z "$cut" ] || { cat "$work/$view-$size" >&2; fail "$2 $view at $size cuts $cut"; }
		done
	done
}

# Paths wrap and must be as long on every machine: the sample run is opened from its folder. Its small
# screens are held, but for info: how well the run is compressed depends on the machine.
cp "$builddir/demo.trace.json.gz" "$work"
cd "$work"
whole "$views" demo.trace.json.gz
for size in 160x45 120x35 80x24 40x12; do
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
