#include "session/file_sample.h"

#include "base/crc64.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLE = 64 * 1024 }; /* bytes at each end */

bool file_sample(struct file_sample *sample, int descriptor, uint64_t size)
{
	AUTO_FREE char *bytes = mem_alloc(SAMPLE);
	ssize_t head = pread(descriptor, bytes, SAMPLE, 0), tail = 0;
	*sample = (struct file_sample){ .size = size };
	if (head > 0) {
		memcpy(sample->first, bytes,
		       head < FILE_SAMPLE_FIRST ? (size_t)head : FILE_SAMPLE_FIRST);
		sample->head = crc64(0, bytes, (size_t)head);
	}
	if (head > 0 && size > SAMPLE)
		tail = pread(descriptor, bytes, SAMPLE, (off_t)(size - SAMPLE));
	if (tail > 0)
		sample->tail = crc64(0, bytes, (size_t)tail);
	return head > 0 && tail >= 0;
}

bool file_sample_path(struct file_sample *sample, const char *path)
{
	struct stat status;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0)
		return false;
	errno = EINVAL;
	bool good = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
		    file_sample(sample, descriptor, (uint64_t)status.st_size);
	close(descriptor);
	return good;
}
