#include "base/secret.h"

#include <sys/random.h>
#include <time.h>

struct secret secret;

__attribute__((constructor)) static void secret_draw(void)
{
	if (getrandom(&secret, sizeof secret, GRND_NONBLOCK) != sizeof secret) {
		/*
		 * The entropy pool is not ready (early boot): use the clock and the stack address.
		 */
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		secret.a = (uint64_t)now.tv_nsec * UINT64_C(0x9fb21c651e98df25);
		secret.b = (uint64_t)(uintptr_t)&now * UINT64_C(0xa0761d6478bd642f);
	}
	secret.a |= 1;
	secret.b |= 1;
}
