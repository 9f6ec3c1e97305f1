/*
 * Document members: devices, distributed job, versions, user keys.
 */
#include "base/buffer.h"
#include "input/kineto/kineto_metadata.h"

/* Only shown, never computed with. */
enum { METADATA_MAX = 2000 }; /* limit: bytes of a metadata value; longer ones are cut */

#define DEVICE_FIELD(key, member) { key, offsetof(struct device, member) },
static const struct {
	const char *key;
	size_t offset;
} device_fields[] = { KINETO_DEVICE_MEMBERS(DEVICE_FIELD) KINETO_DEVICE_OTHERS(DEVICE_FIELD) };

static uint32_t kineto_metadata_keep(struct profile *profile, const struct json_slice *slice)
{
	struct buffer text = { 0 };
	if (slice->type == JSON_STRING)
		json_unescape(&text, slice);
	else
		json_compact(&text, slice);
	if (text.length > METADATA_MAX) {
		text.length = METADATA_MAX;
		buffer_puts(&text, "...");
	}
	return profile_take(profile, &text);
}

static void read_device(struct builder *builder, struct profile *profile,
			const struct json_slice *object, int32_t position)
{
	int64_t id = position;
	for (struct json_members at = json_members(object); json_each(&at);)
		if (json_equal(&at.key, "id"))
			json_int(&at.value, &id);
	if (id < 0 || id > INT32_MAX)
		return;
	struct device *device = builder_device(builder, (int32_t)id);
	if (!device)
		return;
	for (struct json_members at = json_members(object); json_each(&at);) {
		if (json_equal(&at.key, "name"))
			device->name = kineto_metadata_keep(profile, &at.value);
		for (size_t i = 0; i < sizeof device_fields / sizeof *device_fields; i++) {
			int64_t number;
			if (json_equal(&at.key, device_fields[i].key) &&
			    json_int(&at.value, &number))
				*(int64_t *)(void *)((char *)device + device_fields[i].offset) =
					number;
		}
	}
}

static void kineto_metadata_read_devices(struct builder *builder, struct profile *profile,
					 const struct json_slice *array)
{
	struct json_members at = json_members(array);
	for (int32_t i = 0; json_each(&at); i++)
		if (at.value.type == JSON_OBJECT)
			read_device(builder, profile, &at.value, i);
}

static void read_distributed(struct profile *profile, const struct json_slice *object)
{
	for (struct json_members at = json_members(object); json_each(&at);) {
		if (json_equal(&at.key, "rank"))
			json_int(&at.value, &profile->rank);
		else if (json_equal(&at.key, "world_size"))
			json_int(&at.value, &profile->world_size);
	}
}

void kineto_metadata(struct builder *builder, struct profile *profile, const struct json_slice *key,
		     const struct json_slice *value)
{
	if (value->type == JSON_ARRAY &&
	    (json_equal(key, "deviceProperties") || json_equal(key, "computeProperties"))) {
		kineto_metadata_read_devices(builder, profile, value);
		return;
	}
	if (value->type == JSON_OBJECT && json_equal(key, "distributedInfo"))
		read_distributed(profile, value);
	builder_metadata(builder, kineto_metadata_keep(profile, key),
			 kineto_metadata_keep(profile, value));
}
