#include "tui/app/spool.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <sys/mman.h>

/* Memory is committed only as data arrives. */
enum { SPOOL_MAX = 64 << 20 };

struct spool {
	unsigned char *bytes;
	atomic_size_t length;
};

struct spool *spool_new(void)
{
	void *bytes = mmap(NULL, SPOOL_MAX, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	struct spool *spool = mem_zalloc(1, sizeof *spool);
	spool->bytes = bytes;
	return spool;
}

void spool_free(struct spool *spool)
{
	if (!spool)
		return;
	munmap(spool->bytes, SPOOL_MAX);
	mem_free(spool);
}

void spool_add(void *to, const void *bytes, size_t length)
{
	struct spool *spool = to;
	size_t have = atomic_load_explicit(&spool->length, memory_order_relaxed);
	size_t take = length < SPOOL_MAX - have ? length : SPOOL_MAX - have;
	memcpy(spool->bytes + have, bytes, take);
	atomic_store_explicit(&spool->length, have + take, memory_order_release);
}

const void *spool_bytes(const struct spool *spool, size_t *length)
{
	*length = atomic_load_explicit(&spool->length, memory_order_acquire);
	return spool->bytes;
}
