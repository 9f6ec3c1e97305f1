#include "model/flight.h"

void flight_free(struct flight *flight)
{
	if (!flight)
		return;
	mem_free_all(flight->entries, flight);
}

size_t flight_size(const struct flight *flight)
{
	return flight ? sizeof *flight + flight->capacity * sizeof *flight->entries : 0;
}
