#include "model/recording.h"

#include "model/profile.h"
#include "model/tool.h"

const struct recording *profile_recording(const struct profile *profile)
{
	return tools[profile->tool]->recording;
}

bool profile_times_modeled(const struct profile *profile)
{
	return profile->activities && profile_recording(profile)->totals_only;
}

const char *profile_recording_device(const struct profile *profile)
{
	return profile->activities ? "Record all activities of the GPU."
				   : profile_recording(profile)->device;
}
