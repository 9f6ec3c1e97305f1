#include "model/recording.h"

#include "model/profile.h"
#include "model/tool.h"

const struct recording *profile_recording(const struct profile *profile)
{
	return tools[profile->tool]->recording;
}
