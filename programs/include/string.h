/* The string and memory functions of the runtime: see runtime/string.c. */
#ifndef LINECARD_STRING_H
#define LINECARD_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *memchr(const void *in, int value, size_t bytes);

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t bytes);
char *strchr(const char *in, int value);
char *strrchr(const char *in, int value);
char *strcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t bytes);
char *strcat(char *restrict to, const char *restrict from);
char *strstr(const char *in, const char *what);

#endif
