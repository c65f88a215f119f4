/* The allocator of the runtime: see runtime/malloc.c. */
#ifndef LINECARD_STDLIB_H
#define LINECARD_STDLIB_H

#include <stddef.h>

void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void free(void *object);

#endif
