/* There is no library in the kernel: the compiler writes these out. */
#pragma once
typedef __SIZE_TYPE__ size_t;
#define memcpy(to, from, bytes) __builtin_memcpy(to, from, bytes)
#define memset(at, value, bytes) __builtin_memset(at, value, bytes)
#define memmove(to, from, bytes) __builtin_memmove(to, from, bytes)
#define memcmp(a, b, bytes) __builtin_memcmp(a, b, bytes)
