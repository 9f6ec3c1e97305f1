#include "session/index.h"

#include "base/parallel.h"

struct index_writer {
	pthread_t thread;
	bool running;
	atomic_bool stop;
	const struct index_options *options;
	struct index_key key;
	struct index_content content;
	void (*done)(void *context);
	void *context;
};

static bool store(void *context)
{
	struct index_writer *writer = context;
	return index_store(writer->options, &writer->key, &writer->content, &writer->stop, NULL);
}

static void *write_in_thread(void *context)
{
	struct index_writer *writer = context;
	mem_guard(store, writer, NULL);
	writer->done(writer->context);
	return NULL;
}

struct index_writer *index_writer_new(void)
{
	return mem_zalloc(1, sizeof(struct index_writer));
}

void index_writer_start(struct index_writer *writer, const struct index_options *options,
			const struct index_key *key, const struct index_content *content,
			void (*done)(void *context), void *context)
{
	index_writer_wait(writer);
	writer->options = options;
	writer->key = *key;
	writer->content = *content;
	writer->done = done;
	writer->context = context;
	writer->running = parallel_start(&writer->thread, write_in_thread, writer);
	if (!writer->running)
		done(context);
}

void index_writer_wait(struct index_writer *writer)
{
	if (writer->running)
		pthread_join(writer->thread, NULL);
	writer->running = false;
}

void index_writer_free(struct index_writer *writer, bool give_up)
{
	if (!writer)
		return;
	if (give_up)
		atomic_store(&writer->stop, true);
	index_writer_wait(writer);
	mem_free(writer);
}
