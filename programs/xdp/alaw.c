/* Transcodes telephony in RTP from u-law to A-law (ITU-T G.711), by a table of 256 bytes, and sends the packet on.
 *
 * UDP packets to port PORT with an RTP header of 12 bytes, payload type 0 (PCMU): each byte of up to 160 of payload is
 * replaced through `table`, the type becomes 8 (PCMA). Other packets pass. The table is filled from outside.
 */
#include <lx_packet.h>

#ifndef PORT
#define PORT 5004
#endif
#define MOST_SAMPLES 160

struct rtp {
	__u8 version;
	__u8 type;
	__be16 sequence;
	__be32 time;
	__be32 source;
};

struct table {
	__u8 bytes[256];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct table);
} table SEC(".maps");

SEC("xdp")
int alaw(struct xdp_md *context)
{
	struct iphdr *ip = lx_ipv4(context);
	struct udphdr *udp;
	struct rtp *rtp;
	struct table *codes;
	__u8 *sample;
	__u32 zero = 0;

	if (!ip || ip->protocol != IPPROTO_UDP || (ip->frag_off & bpf_htons(0x3fff)))
		return XDP_PASS;
	udp = (void *)(ip + 1);
	rtp = (void *)(udp + 1);
	if (!FITS(rtp, END(context)) || udp->dest != bpf_htons(PORT) || rtp->version != 0x80 || (rtp->type & 0x7f) != 0)
		return XDP_PASS;
	codes = bpf_map_lookup_elem(&table, &zero);
	if (!codes)
		return XDP_ABORTED;
	sample = (void *)(rtp + 1);
	for (int at = 0; at < MOST_SAMPLES; at++) {
		if ((void *)(sample + 1) > END(context))
			break;
		*sample = codes->bytes[*sample];
		sample++;
	}
	rtp->type = (rtp->type & 0x80) | 8;
	udp->check = 0;
	return XDP_TX;
}
