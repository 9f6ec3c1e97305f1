# Reports of other tools are views: they sort, search, filter and drill down like any other.
. "${srcdir:-.}/tests/tui/lib.sh"

cat <<'END' | play 140x20
:view dlprof-kernel
:save-screen kernels
<Enter>
:save-screen launches
<Backspace>
:view nsys-cuda_gpu_kern_sum
:sort calls:desc
/vectorized<Enter>
:save-screen searched
<Esc>&cudnn<Enter>
:save-screen filtered
&<C-u><Enter>
:view nsys_cuda_api_sum
<Enter>
:save-screen events
<Backspace>
:view key-averages
:sort cpu_self_ns
:save-screen averages
/^aten::conv2d<Enter><Enter>
:save-screen calls
<Backspace>
:view dlprof_detailed
/CONV2D_1<Enter><Enter>
:save-screen op
END
shows kernels '\[DLProf Kernels\]'
shows launches '\[Launches\]'
shows searched '^>.*vectorized'
hides filtered '^ vectorized'
shows filtered 'cudnn'
shows events '\[Spans\]'
shows events '^>cudaStreamSynchronize'
hides events '^ cudaLaunchKernel'
shows averages 'CPU Self▼'
shows calls '\[Calls\]'
shows calls '^>aten::conv2d'
shows op '\[Launches\]'
shows op 'aten::conv2d'

# Names of reports complete.
printf '%s\n' "2:view<Space>dlprof-op<Tab><Enter>" ":save-screen completed" | play 120x20
shows completed 'DLProf Op Types'

# As tables of SQL, with '_' for '-'.
assert_exit 0 strata query --demo \
	'SELECT count(*) > 0 AS found FROM nsys_cuda_gpu_kern_sum JOIN dlprof_kernel USING (name)
	 UNION ALL SELECT count(*) > 0 FROM key_averages'
assert_exit 0 strata query --demo -f csv 'SELECT name FROM key_averages ORDER BY cpu_self_ns DESC LIMIT 1'
grep -q cudaStreamSynchronize "$work/out" || fail "$(cat "$work/out")"
