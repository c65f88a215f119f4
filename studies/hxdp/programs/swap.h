/* Swaps the Ethernet addresses of a packet in words of 16 bits, as programs for aligned packets do. */
#ifndef SWAP_H
#define SWAP_H

#include <linecard_bpf.h>

static __always_inline void swap(__u16 *words)
{
	__u16 kept[3];

	kept[0] = words[0];
	kept[1] = words[1];
	kept[2] = words[2];
	words[0] = words[3];
	words[1] = words[4];
	words[2] = words[5];
	words[3] = kept[0];
	words[4] = kept[1];
	words[5] = kept[2];
}

#endif
