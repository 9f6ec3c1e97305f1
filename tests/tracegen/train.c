#include "tracegen/train.h"

#include "tracegen/demo_operators.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_STEP = 3,      /* after the wait and warm-up steps of the profiler's schedule */
	BUCKETS = 4,         /* gradient buckets per step */
	NATURAL_FRAMES = 14, /* Python frames from the script to a convolution */
	OUTER_FRAMES = 3,
};

#define FOREACH(op)                                                                                 \
	"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous " \
	"namespace)::TensorListMetadata<" op " >"
#define MUL_FLOAT                                                                                    \
	"void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, " \
	"float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int)"
#define ADD_FLOAT                                                                                  \
	"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "   \
	"std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"
#define RING "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"

/* The all-reduces of a step, scheduled once the ready times of all ranks are known. */
struct schedule {
	int count;
	int64_t ready[BUCKETS], elements[BUCKETS];
	int64_t start[BUCKETS], end[BUCKETS]; /* 0: not scheduled */
};

/* One rank of the job. */
struct train_worker {
	struct machine machine;
	struct network network;
	struct tensor images, labels, probabilities, loss;
	int64_t loss_sequence[2], loss_flow[2];
	int64_t step, collectives;
	int rank, world;
	bool mark_steps;
	char step_name[40];
};

/* ---- the parts of a step ---- */

/* Every other batch is late and the GPU idles; the others are prefetched. */
static void load_batch(struct train_worker *worker)
{
	struct machine *machine = &worker->machine;
	int64_t wait = worker->step % 2 ? 310000 : 3400000;

	machine_annotation(machine,
			   "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
	machine_frame(machine, "torch/utils/data/dataloader.py(1448): _next_data");
	machine_frame(machine, "torch/utils/data/dataloader.py(1402): _get_data");
	machine_frame(machine,
		      "<built-in method acquire of _thread.lock object at 0x7effcb8e0c40>");
	machine_work(machine, wait);
	machine_close_many(machine, 4);
}

static void copy_to_device(struct train_worker *worker, const char *dims, const char *types,
			   struct tensor *tensor, int64_t bytes)
{
	struct machine *machine = &worker->machine;
	const struct call call = { .dims = dims, .types = types };

	machine_operator(machine, "aten::to", &call);
	machine_operator(machine, "aten::_to_copy", &call);
	machine_allocate(machine, tensor, bytes);
	machine_operator(machine, "aten::copy_", &call);
	machine_memcpy(machine, "Memcpy HtoD (Pinned -> Device)", bytes, STREAM_COPY);
	machine_close_many(machine, 3);
}

static void move_batch(struct train_worker *worker)
{
	machine_frame(&worker->machine, "train.py(31): to_device");
	copy_to_device(worker, "[[64, 3, 224, 224], [], [], [], [], [], []]",
		       "[\"c10::Half\", \"Scalar\", \"\", \"\", \"Scalar\", \"\", \"\"]",
		       &worker->images, (int64_t)BATCH * 3 * 224 * 224 * 2);
	copy_to_device(worker, "[[64], [], [], [], [], [], []]",
		       "[\"long int\", \"Scalar\", \"\", \"\", \"Scalar\", \"\", \"\"]",
		       &worker->labels, BATCH * 8);
	machine_stream_wait(&worker->machine, STREAM_COMPUTE, STREAM_COPY);
	machine_close(&worker->machine);
}

static void forward_leaf(struct train_worker *worker, int index)
{
	struct machine *machine = &worker->machine;
	struct module *module = &worker->network.modules[index];

	if (module->index < 0) {
		layer_forward(machine, module);
		return;
	}
	machine_module(machine, module->name, module->index);
	machine_frame(machine, "torch/nn/modules/module.py(1762): _call_impl");
	machine_frame(machine, module->forward);
	layer_forward(machine, module);
	if (module->synchronizes)
		machine_synchronize_device(machine);
	machine_close_many(machine, 3);
}

static void forward_module(struct train_worker *worker, int index)
{
	struct network *network = &worker->network;
	struct module *module = &network->modules[index];

	if (module->kind != LAYER_GROUP) {
		network->tape[network->tape_length++] = index;
		forward_leaf(worker, index);
		return;
	}
	machine_module(&worker->machine, module->name, module->index);
	machine_frame(&worker->machine, "torch/nn/modules/module.py(1762): _call_impl");
	machine_frame(&worker->machine, module->forward);
	for (int i = index + 1; i < index + module->size; i += network->modules[i].size)
		forward_module(worker, i);
	machine_close_many(&worker->machine, 3);
}

static struct kernel loss_kernel(const char *name)
{
	struct kernel kernel = kernel_elementwise(name, BATCH * CLASSES, BATCH * CLASSES * 8);
	kernel.grid[0] = BATCH;
	kernel.block[0] = 1024;
	kernel.occupancy = 30;
	return kernel;
}

static void loss_forward(struct train_worker *worker)
{
	struct machine *machine = &worker->machine;
	struct call softmax = { .dims = "[[64, 1000], [], []]",
				.types = "[\"float\", \"Scalar\", \"\"]" };
	struct call nll = { .dims = "[[64, 1000], [64], [], [], []]",
			    .types = "[\"float\", \"long int\", \"\", \"Scalar\", \"Scalar\"]" };
	struct kernel softmax_kernel = loss_kernel(
		"void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, "
		"at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, float const*, "
		"int)");
	struct kernel nll_kernel = loss_kernel(
		"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, "
		"float, long>(float*, float*, float const*, long const*, float const*, bool, long, "
		"long, long, long)");

	softmax.sequence = worker->loss_sequence[0] = machine->next_sequence++;
	nll.sequence = worker->loss_sequence[1] = machine->next_sequence++;
	nll_kernel.grid[0] = 1;
	machine_module(machine, "nn.Module: CrossEntropyLoss_0", 0);
	machine_frame(machine, "torch/nn/functional.py(3479): cross_entropy");
	machine_operator(machine, "aten::cross_entropy_loss", &nll);
	machine_operator(machine, "aten::log_softmax", &softmax);
	worker->loss_flow[0] = machine_flow_tail(machine);
	machine_allocate(machine, &worker->probabilities, BATCH * CLASSES * 4);
	operator_with_kernel(machine, "aten::_log_softmax", &softmax, &softmax_kernel);
	machine_close(machine);
	machine_operator(machine, "aten::nll_loss_nd", &nll);
	machine_operator(machine, "aten::nll_loss", &nll);
	worker->loss_flow[1] = machine_flow_tail(machine);
	machine_allocate(machine, &worker->loss, 4);
	operator_with_kernel(machine, "aten::nll_loss_forward", &nll, &nll_kernel);
	machine_close_many(machine, 5);
}

static void loss_backward(struct train_worker *worker)
{
	struct machine *machine = &worker->machine;
	struct kernel nll = loss_kernel(
		"void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<float, "
		"long>(float*, float const*, long const*, float const*, float const*, bool, int, int, "
		"long, long)");
	struct kernel softmax = loss_kernel(
		"void at::native::(anonymous namespace)::cunn_SoftMaxBackward<4, float, float, float, "
		"at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(float*, float const*, "
		"float const*, long)");

	nll.grid[0] = 1;
	backward_open(machine, EVALUATE "NllLossBackward0", worker->loss_sequence[1],
		      worker->loss_flow[1]);
	operator_with_kernel(machine, "aten::nll_loss_backward", NULL, &nll);
	backward_close(machine);
	backward_open(machine, EVALUATE "LogSoftmaxBackward0", worker->loss_sequence[0],
		      worker->loss_flow[0]);
	operator_with_kernel(machine, "aten::_log_softmax_backward_data", NULL, &softmax);
	backward_close(machine);
	machine_release(machine, &worker->probabilities);
}

/* ---- the backward pass ---- */

static void reduce_bucket(struct train_worker *worker, struct schedule *schedule, int64_t elements)
{
	struct machine *machine = &worker->machine;
	int i = schedule->count++;
	char dims[48];
	struct demo_collective collective = { .name = RING,
					      .elements = elements,
					      .group_size = worker->world,
					      .sequence = worker->collectives++,
					      .start = schedule->start[i],
					      .end = schedule->end[i] };
	const struct call parameters = { .dims = dims,
					 .types = "[\"GenericList[Float]\"]",
					 .more = collective_arguments,
					 .context = &collective };

	snprintf(dims, sizeof dims, "[[[%" PRId64 "]]]", elements);
	machine_annotation(machine, "nccl:all_reduce");
	machine_operator(machine, "c10d::allreduce_", NULL);
	machine_operator(machine, "record_param_comms", &parameters);
	machine_stream_wait(machine, STREAM_NCCL, STREAM_COMPUTE);
	machine_work(machine, 6000);
	schedule->elements[i] = elements;
	schedule->ready[i] = machine_collective_ready(machine);
	machine_launch_collective(machine, &collective);
	machine_close_many(machine, 3);
}

/* Accumulate one node per parameter; distributed runs all-reduce full buckets. */
static void accumulate(struct train_worker *worker, const struct module *module)
{
	for (int i = 0; i < (module->biases ? 2 : 1); i++) {
		backward_open(&worker->machine, EVALUATE "torch::autograd::AccumulateGrad", 0, 0);
		machine_operator(&worker->machine, "aten::detach", NULL);
		machine_operator(&worker->machine, "detach", NULL);
		machine_close_many(&worker->machine, 2);
		backward_close(&worker->machine);
	}
}

static void backward(struct train_worker *worker, struct schedule *schedule)
{
	struct machine *machine = &worker->machine;
	struct network *network = &worker->network;
	int64_t total = network_parameters(network), bucket = 0;

	machine_frame(machine, "torch/_tensor.py(648): backward");
	machine_frame(machine, "torch/autograd/graph.py(823): _engine_run_backward");
	int64_t begin = machine->on->now + 21000;
	machine_on(machine, THREAD_AUTOGRAD);
	machine_wait(machine, begin);
	loss_backward(worker);
	for (int i = network->tape_length - 1; i >= 0; i--) {
		struct module *module = &network->modules[network->tape[i]];
		layer_backward(machine, module);
		if (module->weights)
			accumulate(worker, module);
		bucket += module->weights + module->biases;
		if (worker->world > 1 && (bucket > total / BUCKETS || !i) &&
		    schedule->count < BUCKETS) {
			reduce_bucket(worker, schedule, bucket);
			bucket = 0;
		}
	}
	network->tape_length = 0;
	int64_t end = machine->on->now + 8000;
	machine_on(machine, THREAD_MAIN);
	machine_wait(machine, end);
	if (worker->world > 1)
		machine_stream_wait(machine, STREAM_COMPUTE, STREAM_NCCL);
	machine_close_many(machine, 2);
}

/* ---- after the backward pass ---- */

static void foreach (struct train_worker *worker, const char *name, const char *kernel_name,
		     int64_t bytes)
{
	struct machine *machine = &worker->machine;
	struct kernel kernel = kernel_elementwise(kernel_name, bytes / 4, bytes / 2);

	kernel.grid[0] = 320;
	kernel.block[0] = 512;
	kernel.occupancy = 48;
	machine_operator(machine, name, NULL);
	for (int i = 0; i < 2; i++) {
		machine_work(machine, 9000);
		machine_launch(machine, &kernel, STREAM_COMPUTE);
	}
	machine_close(machine);
}

static void optimize(struct train_worker *worker)
{
	struct machine *machine = &worker->machine;
	int64_t bytes = network_parameters(&worker->network) * 4;

	machine_annotation(machine, "Optimizer.step#SGD.step");
	machine_frame(machine, "torch/optim/sgd.py(93): step");
	machine_frame(machine, "torch/optim/sgd.py(370): _multi_tensor_sgd");
	machine_work(machine, 60000);
	foreach (worker, "aten::_foreach_add_", FOREACH("2"), bytes * 3)
		;
	foreach (worker, "aten::_foreach_mul_", FOREACH("1"), bytes * 2)
		;
	foreach (worker, "aten::_foreach_add_", FOREACH("2"), bytes * 3)
		;
	machine_close_many(machine, 3);
}

/* Reading the loss on the host drains the stream. */
static void read_loss(struct train_worker *worker)
{
	struct machine *machine = &worker->machine;
	static const struct call call = { .dims = "[[]]", .types = "[\"float\"]" };

	machine_frame(machine, "train.py(58): log_loss");
	machine_frame(machine, "<built-in method item of Tensor object at 0x7eff31c2a7b0>");
	machine_operator(machine, "aten::item", &call);
	machine_operator(machine, "aten::_local_scalar_dense", &call);
	machine_memcpy(machine, "Memcpy DtoH (Device -> Pageable)", 4, STREAM_COMPUTE);
	machine_synchronize(machine, STREAM_COMPUTE);
	machine_close_many(machine, 4);
	machine_release(machine, &worker->loss);
}

static void average_parameter(struct machine *machine, int64_t elements)
{
	static const char types[] = "[\"float\", \"Scalar\"]",
			  add_types[] = "[\"float\", \"float\", \"Scalar\"]";
	char dims[64];
	struct kernel kernel = kernel_elementwise(MUL_FLOAT, elements, elements * 8);
	struct call call = { .dims = dims, .types = types, .concrete = "[\"\", \"0.999\"]" };

	snprintf(dims, sizeof dims, "[[%" PRId64 "], []]", elements);
	operator_with_kernel(machine, "aten::mul_", &call, &kernel);
	snprintf(dims, sizeof dims, "[[%" PRId64 "], [%" PRId64 "], []]", elements, elements);
	call.types = add_types;
	call.concrete = "[\"\", \"\", \"0.001\"]";
	kernel = kernel_elementwise(ADD_FLOAT, elements, elements * 12);
	operator_with_kernel(machine, "aten::add_", &call, &kernel);
}

/* Two tiny kernels per parameter: launch-bound. */
static void average_weights(struct train_worker *worker)
{
	struct machine *machine = &worker->machine;
	const struct network *network = &worker->network;

	machine_annotation(machine, "ema_update");
	machine_frame(machine, "train.py(66): update_average");
	for (int i = 0; i < network->count; i++) {
		if (network->modules[i].weights)
			average_parameter(machine, network->modules[i].weights);
		if (network->modules[i].biases)
			average_parameter(machine, network->modules[i].biases);
	}
	machine_close_many(machine, 2);
}

static void drop_gradients(struct train_worker *worker)
{
	machine_annotation(&worker->machine, "Optimizer.zero_grad#SGD.zero_grad");
	machine_work(&worker->machine, 15000);
	for (int i = 0; i < worker->network.count; i++)
		machine_release(&worker->machine, &worker->network.modules[i].gradient);
	machine_close(&worker->machine);
}

static void training_step(struct train_worker *worker, struct schedule *schedule)
{
	struct machine *machine = &worker->machine;

	snprintf(worker->step_name, sizeof worker->step_name, "ProfilerStep#%" PRId64,
		 worker->step++);
	if (worker->mark_steps)
		machine_annotation(machine, worker->step_name);
	load_batch(worker);
	machine_frame(machine, "train.py(41): training_step");
	move_batch(worker);
	drop_gradients(worker);
	forward_module(worker, 0);
	loss_forward(worker);
	backward(worker, schedule);
	optimize(worker);
	read_loss(worker);
	average_weights(worker);
	machine_release(machine, &worker->images);
	machine_release(machine, &worker->labels);
	machine_close_many(machine, worker->mark_steps ? 2 : 1);
	machine_work(machine, 9000);
}

/* ---- the whole run ---- */

static const char *outer_frame(int index)
{
	static const char *const script[OUTER_FRAMES] = { "train.py(97): <module>",
							  "train.py(84): main",
							  "train.py(72): train_epoch" },
				 *const launcher[] = {
					 "torch/distributed/run.py(892): main",
					 "torch/distributed/run.py(883): run",
					 "torch/distributed/launcher/api.py(139): __call__",
					 "torch/distributed/launcher/api.py(270): launch_agent",
				 };

	return index < OUTER_FRAMES ? script[index] : launcher[index % 4];
}

static int outer_frames(const struct training *training)
{
	int extra = training->stacks - NATURAL_FRAMES;
	return OUTER_FRAMES + (extra > 0 ? extra : 0);
}

static bool worker_init(struct train_worker *worker, const struct training *training, int rank)
{
	struct machine *machine = &worker->machine;

	memset(worker, 0, sizeof *worker);
	machine_init(machine, training->seed + (uint64_t)rank * 7919);
	machine->record_shapes = training->shapes;
	machine->record_modules = training->modules;
	machine->stack_depth = training->stacks;
	if (rank == training->straggler)
		machine->slowness = training->straggler_factor;
	worker->rank = rank;
	worker->world = training->world;
	worker->step = FIRST_STEP;
	worker->mark_steps = training->mark_steps;
	network_build(&worker->network, training->blocks);
	for (int i = 0; i < training->slow_count; i++)
		if (!network_mark(&worker->network, training->slow[i].path,
				  training->slow[i].factor, false))
			return false;
	if (training->synchronize &&
	    !network_mark(&worker->network, training->synchronize, 0, true))
		return false;
	/* weights, gradients, momentum and moving average are already allocated */
	machine->allocated = network_parameters(&worker->network) * 12;
	for (int i = 0; i < STREAMS; i++)
		machine->stream_free[i] = machine->on->now;
	for (int i = outer_frames(training) - 1; i >= 0; i--)
		machine_frame(machine, outer_frame(i));
	return true;
}

static void worker_copy(struct train_worker *to, const struct train_worker *from)
{
	*to = *from;
	machine_copy(&to->machine, &from->machine);
}

/*
 * An all-reduce starts on each rank when that rank is ready and ends on all after the last one
 * arrived and the transfer. So each rank first simulates the step alone to find its ready times.
 */
static void schedule_collectives(struct train_worker *workers, struct train_worker *scratch,
				 int world, struct schedule *schedule)
{
	memset(schedule, 0, sizeof *schedule);
	for (int rank = 0; rank < world; rank++) {
		struct schedule own = { 0 };
		worker_copy(scratch, &workers[rank]);
		scratch->machine.trace.out = NULL;
		training_step(scratch, &own);
		schedule->count = own.count;
		for (int i = 0; i < own.count; i++) {
			schedule->elements[i] = own.elements[i];
			if (schedule->ready[i] < own.ready[i])
				schedule->ready[i] = own.ready[i];
		}
	}
	int64_t free = 0;
	for (int i = 0; i < schedule->count; i++) {
		int64_t start = schedule->ready[i] > free ? schedule->ready[i] : free;
		/* a ring all-reduce moves 2(n-1)/n of the bytes, at about 90 GB/s */
		double bytes = (double)schedule->elements[i] * 4 * 2 * (world - 1) / world;
		free = schedule->end[i] = start + 18000 + (int64_t)(bytes / 90);
	}
}

static void step_all(struct train_worker *workers, struct train_worker *scratch, int world)
{
	struct schedule schedule = { 0 };

	if (world > 1)
		schedule_collectives(workers, scratch, world, &schedule);
	for (int rank = 0; rank < world; rank++) {
		schedule.count = 0;
		training_step(&workers[rank], &schedule);
	}
}

static bool is_complete(const struct training *training, const struct trace *trace, uint64_t steps)
{
	if (ferror(trace->out))
		return true;
	return steps >= training->steps && trace->events >= training->events &&
	       trace->bytes >= training->bytes;
}

bool train(const struct training *training, FILE *out)
{
	/* an extra element for simulating ahead */
	struct train_worker *workers = calloc((size_t)training->world + 1, sizeof *workers);
	struct train_worker *scratch = workers ? &workers[training->world] : NULL;
	bool known = workers != NULL;

	for (int rank = 0; known && rank < training->world; rank++)
		known = worker_init(&workers[rank], training, rank);
	if (known) {
		int here = training->world > 1 ? training->rank : 0;
		struct machine *machine = &workers[here].machine;
		machine->trace.out = out;
		const struct trace_head head = { .shapes = training->shapes,
						 .memory = true,
						 .stacks =
							 training->stacks > 0 || training->modules,
						 .rank = here,
						 .world = training->world };
		trace_open(&machine->trace, &head);
		machine_describe(machine, here, training->world > 1);
		for (uint64_t steps = 0; !is_complete(training, &machine->trace, steps); steps++)
			step_all(workers, scratch, training->world);
		machine_close_many(machine, machine->on->depth);
		trace_close(&machine->trace);
	}
	free(workers);
	return known;
}
