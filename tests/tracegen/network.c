#include "tracegen/network.h"

#include <stdio.h>
#include <string.h>

struct class
{
	const char *name;
	const char *forward;
};

static const struct class classes[] = {
	[LAYER_CONV] = { "Conv2d", "torch/nn/modules/conv.py(554): forward" },
	[LAYER_NORM] = { "BatchNorm2d", "torch/nn/modules/batchnorm.py(173): forward" },
	[LAYER_RELU] = { "ReLU", "torch/nn/modules/activation.py(133): forward" },
	[LAYER_RESIDUAL] = { NULL, NULL },
	[LAYER_MAX_POOL] = { "MaxPool2d", "torch/nn/modules/pooling.py(215): forward" },
	[LAYER_AVERAGE_POOL] = { "AdaptiveAvgPool2d",
				 "torch/nn/modules/pooling.py(1506): forward" },
	[LAYER_FLATTEN] = { NULL, NULL },
	[LAYER_LINEAR] = { "Linear", "torch/nn/modules/linear.py(124): forward" },
};

static const struct class resnet = { "ResNet", "resnet.py(284): forward" };
static const struct class sequential = { "Sequential",
					 "torch/nn/modules/container.py(248): forward" };
static const struct class basic_block = { "BasicBlock", "resnet.py(89): forward" };

/* Modules of a class are numbered in order of first use. */
static int64_t next_index(const struct network *network, const char *class)
{
	char prefix[40];
	int64_t index = 0;

	int length = snprintf(prefix, sizeof prefix, "nn.Module: %s_", class);
	for (int i = 0; i < network->count; i++)
		index += !strncmp(network->modules[i].name, prefix, (size_t)length);
	return index;
}

static struct module *network_add(struct network *network, enum demo_layer_kind kind,
				  const struct class *class, const char *path)
{
	struct module *module = &network->modules[network->count];

	module->kind = kind;
	module->slow = 1;
	module->size = 1;
	module->index = -1;
	module->forward = class->forward;
	snprintf(module->path, sizeof module->path, "%s", path);
	if (class->name) {
		module->index = next_index(network, class->name);
		snprintf(module->name, sizeof module->name, "nn.Module: %s_%d", class->name,
			 (int)module->index);
	}
	network->count++;
	return module;
}

/* The tensor between layers while building. */
struct network_shape {
	int channels, size;
};

static struct module *add_leaf(struct network *network, enum demo_layer_kind kind, const char *path,
			       struct network_shape *shape, int out_channels, int stride)
{
	struct module *module = network_add(network, kind, &classes[kind], path);

	module->in_channels = shape->channels;
	module->in_size = shape->size;
	module->stride = stride;
	shape->channels = module->out_channels = out_channels;
	shape->size = module->out_size = shape->size / stride;
	return module;
}

static void add_conv(struct network *network, const char *path, struct network_shape *shape,
		     int channels, int kernel, int stride)
{
	struct module *module = add_leaf(network, LAYER_CONV, path, shape, channels, stride);

	module->kernel = kernel;
	module->padding = kernel / 2;
	module->weights = (int64_t)channels * module->in_channels * kernel * kernel;
}

static void add_norm(struct network *network, const char *path, struct network_shape *shape)
{
	struct module *module = add_leaf(network, LAYER_NORM, path, shape, shape->channels, 1);

	module->weights = module->biases = shape->channels;
}

/* A path of at most three parts. */
static const char *network_join(char *out, size_t size, const char *stage, int block,
				const char *leaf)
{
	if (block >= 0)
		snprintf(out, size, "%.12s.%d%s%.20s", stage, block, *leaf ? "." : "", leaf);
	else
		snprintf(out, size, "%.12s", stage);
	return out;
}

static void network_add_block(struct network *network, const char *stage, int number,
			      struct network_shape *shape, int channels, int stride)
{
	char path[40];
	int first = network->count;
	struct network_shape shortcut = *shape;
	bool changes = stride != 1 || shape->channels != channels;

#define PATH(leaf) network_join(path, sizeof path, stage, number, leaf)
	network_add(network, LAYER_GROUP, &basic_block, PATH(""));
	add_conv(network, PATH("conv1"), shape, channels, 3, stride);
	add_norm(network, PATH("bn1"), shape);
	add_leaf(network, LAYER_RELU, PATH("relu"), shape, channels, 1);
	add_conv(network, PATH("conv2"), shape, channels, 3, 1);
	add_norm(network, PATH("bn2"), shape);
	if (changes) {
		int group = network->count;
		network_add(network, LAYER_GROUP, &sequential, PATH("downsample"));
		add_conv(network, PATH("downsample.0"), &shortcut, channels, 1, stride);
		add_norm(network, PATH("downsample.1"), &shortcut);
		network->modules[group].size = network->count - group;
	}
	add_leaf(network, LAYER_RESIDUAL, PATH("add"), shape, channels, 1);
#undef PATH
	network->modules[first].size = network->count - first;
}

void network_build(struct network *network, int blocks)
{
	struct network_shape shape = { 3, 224 };
	char path[40];

	memset(network, 0, sizeof *network);
	network_add(network, LAYER_GROUP, &resnet, "");
	add_conv(network, "conv1", &shape, 64, 7, 2);
	add_norm(network, "bn1", &shape);
	add_leaf(network, LAYER_RELU, "relu", &shape, shape.channels, 1);
	add_leaf(network, LAYER_MAX_POOL, "maxpool", &shape, shape.channels, 2)->kernel = 3;
	for (int stage = 0; stage < 4; stage++) {
		int count = blocks / 4 + (stage < blocks % 4), first = network->count;
		char name[16];

		if (!count)
			continue;
		snprintf(name, sizeof name, "layer%d", stage + 1);
		network_add(network, LAYER_GROUP, &sequential,
			    network_join(path, sizeof path, name, -1, ""));
		for (int i = 0; i < count; i++)
			network_add_block(network, name, i, &shape, 64 << stage,
					  stage && !i ? 2 : 1);
		network->modules[first].size = network->count - first;
	}
	add_leaf(network, LAYER_AVERAGE_POOL, "avgpool", &shape, shape.channels, shape.size);
	add_leaf(network, LAYER_FLATTEN, "flatten", &shape, shape.channels, 1);
	struct module *fc = add_leaf(network, LAYER_LINEAR, "fc", &shape, CLASSES, 1);
	fc->weights = (int64_t)CLASSES * fc->in_channels;
	fc->biases = CLASSES;
	network->modules[0].size = network->count;
}

/* Is MODULE a leaf at PATH or below? */
static bool is_leaf_below(const struct module *module, const char *path)
{
	size_t length = strlen(path);
	char after = strncmp(module->path, path, length) ? 'x' : module->path[length];
	return module->kind != LAYER_GROUP && (!after || after == '.');
}

int network_mark(struct network *network, const char *path, double slow, bool synchronizes)
{
	int leaves = 0;

	for (int i = 0; i < network->count; i++) {
		struct module *module = &network->modules[i];
		if (!is_leaf_below(module, path))
			continue;
		module->slow = slow > 0 ? slow : module->slow;
		module->synchronizes |= synchronizes;
		leaves++;
	}
	return leaves;
}

int64_t module_outputs(const struct module *module)
{
	return (int64_t)BATCH * module->out_channels * module->out_size * module->out_size;
}

int64_t module_inputs(const struct module *module)
{
	return (int64_t)BATCH * module->in_channels * module->in_size * module->in_size;
}

double module_flops(const struct module *module)
{
	if (module->kind == LAYER_CONV)
		return 2.0 * (double)module_outputs(module) * module->in_channels * module->kernel *
		       module->kernel;
	if (module->kind == LAYER_LINEAR)
		return 2.0 * (double)module_outputs(module) * module->in_channels;
	return (double)module_outputs(module);
}

int64_t network_parameters(const struct network *network)
{
	int64_t total = 0;

	for (int i = 0; i < network->count; i++)
		total += network->modules[i].weights + network->modules[i].biases;
	return total;
}
