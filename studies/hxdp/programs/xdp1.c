/* Counts packets by IP protocol behind up to two VLAN tags, and drops them. */
#include <linecard_bpf.h>
#include "protocols.h"
