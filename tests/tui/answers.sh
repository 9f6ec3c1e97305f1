# Questions that people bring to a profile, each answered with at most three keys after `strata FILE`,
# on profiles of other people. The expected rows come from queries.
. "${srcdir:-.}/tests/tui/lib.sh"
seldom 4

[ -d "$corpus/kineto" ] || skip "needs corpus/kineto"
normalization=kineto/tracelens/perf_model/normalization/normalization_layer_test.json.gz
experts=kineto/tracelens/b200/eager_trace.json.gz
convnet=kineto/torch113/convnet_train/convnet_adam_all.pt.trace.json.gz
bert=kineto/tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz
bert_mi300=kineto/tracelens/mi300/gaunernst_bert-small-uncased__1016001.json.gz
linear=kineto/param/linear_kineto.json.gz
vit=kineto/tracelens/mi300/Falconsai_nsfw_image_detection__1016002.json.gz
qwen=kineto/tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz
particles=kineto/particle_transformer/gpu_working_chrome_trace.json.gz
resnet=kineto/kineto_repo/resnet50_num_workers_0__worker0.pt.trace.json.gz
dlrm=kineto/dlrm_8ranks/worker7_step_12.1694128201553.pt.trace.json.gz
loader=kineto/torch113/dataloader/dataloader_w0.pt.trace.json.gz
others="$vit $qwen $particles $resnet $dlrm"
video=kineto/tracelens/h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz
video_mi300=kineto/tracelens/mi300/facebook_timesformer-base-finetuned-k400__1016002.json.gz
compiled=kineto/hta/df_index_resolver/df_index_resolver.json.gz
ranking=kineto/hta/trace_diff/control/control.json.gz
ranking_compiled=kineto/hta/trace_diff/test/test.json.gz
nvtx=nsys/gxxxh__ml_predict/resnet.sqlite
serving=rpd/mytrace.rpd
more="$video $compiled $ranking $nvtx $serving"
for file in $normalization $experts $convnet $bert $bert_mi300 $linear $others $loader $more \
	$video_mi300 $ranking_compiled; do
	[ -f "$corpus/$file" ] || skip "needs corpus/$file"
done

# answer FILE KEY...: the screen after at most three keys
answer()
{
	trace=$corpus/$1
	shift
	[ $# -le 3 ] || fail "$# keys: $*"
	printf '%s\n' "$@" ":save-screen answer" | play 120x35 "$trace"
}
# ask FILE QUERY: the first cell of the first row
ask() { strata query -q -f tsv "$2" "$corpus/$1" | sed -n '2{s/	.*//;p;}'; }
# said TEXT: it is on the screen, perhaps elided in its middle
said()
{
	[ "$1" ] || fail "the query of this answer has no row"
	start=$(printf %.6s "$1" | sed 's/[][\\.*^$(){}?+|]/\\&/g')
	shows answer "$start"
}

# Why is it slow?  The first screen: the costliest findings.
for file in $(some $normalization $experts $convnet $bert $linear $others $more); do
	answer $file
	said "$(ask $file "SELECT problem FROM advice WHERE cost_ns IS NOT NULL ORDER BY gain_pct DESC LIMIT 1")"
	shows answer 'gain at most'
done

# Which layer?  The first screen has the layers; 2 the tree, whose repeats are one row.
for file in $(some $normalization $experts $convnet $bert $vit $qwen $video $ranking $nvtx $serving); do
	answer $file
	shows answer 'Top Layers'
	answer $file 2
	said "$(ask $file "SELECT name FROM layers WHERE kind IN ('module', 'annotation')
		ORDER BY gpu_total_ns DESC, cpu_total_ns DESC LIMIT 1")"
done
answer $experts 2
shows answer '_\{[0-9]+\.\.[0-9]+\} ×36 +class '
answer $vit 2
shows answer 'ViTLayer_\{0..11\} ×12 +class '
answer $qwen 2
shows answer 'Qwen2DecoderLayer_\{0..23\} ×24 +class '
answer $nvtx 2
shows answer 'Bottleneck_\{9..13\} ×5 +class '
answer $bert '2'
shows answer 'BertLayer_\{0..3\} ×4 +class '

# Which kernel, and from which line of code?
for file in $(some $normalization $experts $bert $vit $qwen $video $nvtx); do
	answer $file 4 v
	tail -1 "$work/answer" | grep -Eq ' 1/[0-9]+$' || fail "not at the first kernel"
	shows answer '[a-z0-9_]\.py:[0-9]+ is not here'
done
answer $convnet 3 v
shows answer 'gen_torch.py:[0-9]+ is not here'
for file in $(some $linear $particles $resnet $dlrm $compiled $ranking); do
	answer $file 4 v
	shows answer 'no source line is known. Record with with_stack=True.'
done
answer $serving 4 v
shows answer 'no source line is known. Record with rocprof-sys-sample.'

# Which operator is the backward of this one?
for file in $(some $normalization $convnet $linear $loader); do
	answer $file 3 j
	forward=$(sed -n 's/^>\([^ ]*\) .*/\1/p' "$work/answer")
	answer $file 3 j ]
	backward=$(sed -n 's/^>\([^ ]*\) .*/\1/p' "$work/answer")
	[ "$(ask $file "SELECT count(*) FROM links WHERE forward = '$forward' AND backward = '$backward'")" -gt 0 ] ||
		fail "$file: $backward is not the backward of $forward"
	shows answer "backward of $forward"
done

answer $nvtx 3 j ]
shows answer '^>ConvolutionBackward0'
shows answer 'backward of an operator around aten::cudnn_convolution'
answer $ranking 3 ]
shows answer '^>All2All_Pooled_WaitBackward'
shows answer 'backward of an operator around record_param_comms'
answer $compiled 2 j [
shows answer '^> .*CompiledFunction  '

# What keeps the GPU idle most?
for file in $(some $normalization $experts $bert $linear $others $more); do
	answer $file
	shows answer 'GPU Gaps'
	cause=$(strata report gaps -q -g work -f csv "$corpus/$file" | sed -n 2p | cut -d, -f5 | sed 's/^host/CPU work/')
	unframed answer | grep -A1 ' GPU Gaps' | tail -1 | grep -q "^ ${cause:?}[: ]" ||
		fail "$file: the first screen does not show $cause"
done

# Who holds memory at its peak?
for file in $(some $normalization $convnet $bert $vit $qwen $particles $video $compiled); do
	answer $file 6 t
	shows answer 'by peak'
	said "$(strata report memory -g peak -c name -q -f tsv "$corpus/$file" | sed -n 2p)"
done

for file in $(some $ranking $nvtx $serving); do
	answer $file 6
	shows answer 'No memory events in the profile. Record with '
done
snapshot=memory_snapshot/train_step_1024_torch2.x_proto4.pickle
[ -f "$corpus/$snapshot" ] || skip "needs corpus/$snapshot"
answer $snapshot 6
shows answer 'At Peak▼'
owner=$(ask $snapshot "SELECT name FROM memory ORDER BY peak_bytes DESC LIMIT 1" | sed 's|.*/||')
grep '^>' "$work/answer" | grep -Fq "${owner:?}" || fail "$owner is not the first row"

# What changed against the base?
printf '%s\n' ":save-screen $work/answer" >"$work/script"
assert_exit 0 strata diff "$corpus/$bert_mi300" "$corpus/$bert" --script "$work/script" --size 120x35
selected answer 'class|module'
shows answer 'Bert.* ×4'
shows answer 'Verdict'
printf '%s\n' ':group tree' ":save-screen $work/answer" >"$work/script"
assert_exit 0 strata diff "$corpus/$bert_mi300" "$corpus/$bert" --script "$work/script" --size 160x45
shows answer '^ class .*BertLayer_\{0..3\} ×4'
hides answer 'Cumulative'

# The same with --base, of versions, tools and recordings of one program: the first screen names the
# operator that changed most and how far the runs are comparable; d leads to the layers.
compare()
{
	printf '%s\n' ":save-screen first" d ":save-screen second" |
		play 160x45 "--base $corpus/$1 $corpus/$2"
	# what changed beyond noise comes first in the view, too
	changed=$(strata query -q -f tsv "SELECT name FROM diff WHERE group_by = 'operators' AND
		verdict <> 'same' LIMIT 1" --base "$corpus/$1" "$corpus/$2" | sed 1d)
	unframed first | grep -E -A1 "Changed Operators  comparable: $3( +[0-9]+ of [0-9]+)? *$" | grep -Fq "${changed:?}" ||
		fail "$2: the first screen does not name $changed"
	grep -q '^>.*\(faster\|slower\|new\|gone\|comparable\)' "$work/second" ||
		fail "$2: the first row is no change"
}
older=kineto/tb_samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz
before=nsys/GindaChen__nsys-ai/mfu_2gpu_before.sqlite after=nsys/GindaChen__nsys-ai/mfu_2gpu_after.sqlite
plain=kineto/torch113/convnet_train/convnet_adam_plain.pt.trace.json.gz
for file in $older $before $after $plain; do
	[ -f "$corpus/$file" ] || skip "needs corpus/$file"
done
compare $older $resnet yes
compare $before $after weak
compare $plain $convnet yes
compare $video_mi300 $video weak
compare $ranking $ranking_compiled weak
