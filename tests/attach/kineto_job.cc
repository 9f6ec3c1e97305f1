// A job with Kineto itself, for tests/shell/attach_kineto.sh: runs for some SECONDS, a step each 50 ms.
#include <chrono>
#include <cstdlib>
#include <libkineto.h>
#include <thread>

int main(int argc, char **argv)
{
	int steps = 20 * (argc > 1 ? std::atoi(argv[1]) : 60);
	libkineto_init(true, true); // without GPUs; errors are logged
	libkineto::api().initProfilerIfRegistered();
	for (int i = 0; i < steps; i++) {
		std::this_thread::sleep_for(std::chrono::milliseconds(50));
		libkineto::api().activityProfiler().step();
	}
}
