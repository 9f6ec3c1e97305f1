#include "model/flight.h"

FREE_OBJECT(flight_free, struct flight, OWN(entries))

size_t flight_size(const struct flight *flight)
{
	return flight ? sizeof *flight + mem_rows(flight->entries, flight->count) : 0;
}
