/* What <linux/if.h> wants. */
#pragma once
struct sockaddr {
	unsigned short sa_family;
	char sa_data[14];
};
#define AF_INET 2
#define AF_INET6 10
