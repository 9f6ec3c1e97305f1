#include "base/inputs.h"

#include "base/mem.h"

#include <pthread.h>

struct inputs_file {
	struct inputs_file *next;
	dev_t device;
	ino_t inode;
};

struct inputs {
	struct inputs *next;
	struct inputs_file *first;
};

static pthread_mutex_t inputs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct inputs *all_inputs;

struct inputs *inputs_new(void)
{
	struct inputs *inputs = mem_zalloc(1, sizeof *inputs);
	pthread_mutex_lock(&inputs_lock);
	inputs->next = all_inputs;
	all_inputs = inputs;
	pthread_mutex_unlock(&inputs_lock);
	return inputs;
}

void inputs_free(struct inputs *inputs)
{
	if (!inputs)
		return;
	pthread_mutex_lock(&inputs_lock);
	struct inputs **at = &all_inputs;
	while (*at != inputs)
		at = &(*at)->next;
	*at = inputs->next;
	pthread_mutex_unlock(&inputs_lock);
	for (struct inputs_file *input = inputs->first, *next; input; input = next) {
		next = input->next;
		mem_free(input);
	}
	mem_free(inputs);
}

void inputs_add_status(struct inputs *inputs, const struct stat *status)
{
	if (!S_ISREG(status->st_mode))
		return;
	struct inputs_file *input = mem_alloc(sizeof *input);
	pthread_mutex_lock(&inputs_lock);
	*input = (struct inputs_file){ inputs->first, status->st_dev, status->st_ino };
	inputs->first = input;
	pthread_mutex_unlock(&inputs_lock);
}

void inputs_add(struct inputs *inputs, const char *path)
{
	struct stat status;
	if (stat(path, &status) == 0)
		inputs_add_status(inputs, &status);
}

bool inputs_have(const struct stat *status)
{
	bool found = false;
	pthread_mutex_lock(&inputs_lock);
	for (const struct inputs *inputs = all_inputs; inputs && !found; inputs = inputs->next)
		for (const struct inputs_file *input = inputs->first; input && !found;
		     input = input->next)
			found = input->inode == status->st_ino && input->device == status->st_dev;
	pthread_mutex_unlock(&inputs_lock);
	return found;
}
