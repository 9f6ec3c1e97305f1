#include "tui/term/emergency.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct {
	volatile sig_atomic_t armed;
	int fd;
	struct termios modes;
	char text[256];
	size_t length;
} emergency;

void emergency_prepare(int fd)
{
	emergency.fd = fd;
	emergency.length = 0;
	tcgetattr(fd, &emergency.modes);
}

void emergency_add(const char *sequence)
{
	for (; *sequence && emergency.length < sizeof emergency.text; sequence++) {
		const char *close =
			sequence[0] == '$' && sequence[1] == '<' ? strchr(sequence, '>') : NULL;
		if (close)
			sequence = close;
		else
			emergency.text[emergency.length++] = *sequence;
	}
}

void emergency_arm(bool taken_over)
{
	emergency.armed = taken_over;
}

void emergency_restore(void)
{
	if (!emergency.armed)
		return;
	emergency.armed = 0;
	/* do not block on a stuck terminal */
	int flags = fcntl(emergency.fd, F_GETFL);
	fcntl(emergency.fd, F_SETFL, flags | O_NONBLOCK);
	ssize_t sent = write(emergency.fd, emergency.text, emergency.length);
	(void)sent;
	fcntl(emergency.fd, F_SETFL, flags);
	tcsetattr(emergency.fd, TCSANOW, &emergency.modes);
}
