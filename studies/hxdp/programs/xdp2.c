/* Counts packets by IP protocol behind up to two VLAN tags; sends UDP back with its addresses swapped, and drops the rest. */
#include <linecard_bpf.h>
#define TX
#include "protocols.h"
