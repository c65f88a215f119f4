/* Byte order by the names of the C library. */
#pragma once
#include <netinet/in.h>
#define htons(value) ((__be16)__builtin_bswap16((__u16)(value)))
#define ntohs(value) ((__u16)__builtin_bswap16((__u16)(value)))
#define htonl(value) ((__be32)__builtin_bswap32((__u32)(value)))
#define ntohl(value) ((__u32)__builtin_bswap32((__u32)(value)))
