/* malloc, calloc and free in the heap region.
 *
 * The region is cut into pages of 64 KB. A page serves one size class, so an object needs no header: the class of its page
 * is its size, and objects of 16 bytes and more lie within as few cache lines as they can. A class takes objects from its
 * free list first, then from the rest of its newest page. Requests above the largest class take whole pages, contiguous;
 * freed runs of pages are used again by requests that fit. Nothing is ever returned or merged.
 *
 * Links of free lists are in the free objects and so count as data memory; the tables below are globals and do not.
 * A program that allocates per packet calls it under a lock of its own: the paper's programs share one heap. */
#include "stdlib.h"
#include "string.h"

#include <stdint.h>

#define HEAP_BYTES (32u << 20)
#define PAGE_BYTES (64u << 10)
#define PAGES (HEAP_BYTES / PAGE_BYTES)
#define CLASSES 20
#define LARGEST_CLASS_BYTES 16384u
#define RUN_CLASS 0xff /* first page of a run */

extern uint8_t __lc_heap_start[];

struct freed {
    struct freed *next;
};

static const uint16_t class_bytes[CLASSES] = {
    16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
};

static struct freed *free_of_class[CLASSES];
static uint8_t *fresh_of_class[CLASSES];
static uint32_t fresh_bytes_of_class[CLASSES];
static uint8_t page_class[PAGES];
static uint16_t run_pages[PAGES]; /* of a run, at its first page */
static struct freed *free_runs;
static uint32_t pages_used;

static uint32_t class_for(uint32_t bytes)
{
    if (bytes <= 64)
        return bytes ? (bytes - 1) / 16 : 0;
    uint32_t class = 4;
    while (class_bytes[class] < bytes)
        class++;
    return class;
}

static uint32_t page_of(const void *object)
{
    return (uint32_t)((const uint8_t *)object - __lc_heap_start) / PAGE_BYTES;
}

static uint8_t *take_pages(uint32_t pages)
{
    if (pages > PAGES - pages_used)
        return 0;
    uint8_t *run = __lc_heap_start + pages_used * PAGE_BYTES;
    pages_used += pages;
    return run;
}

/* Takes the first free run that is long enough, whole, or else new pages. */
static void *take_run(size_t bytes, int *fresh)
{
    if (bytes > HEAP_BYTES)
        return 0;
    uint32_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    for (struct freed **link = &free_runs; *link; link = &(*link)->next) {
        struct freed *run = *link;
        if (run_pages[page_of(run)] >= pages) {
            *link = run->next;
            *fresh = 0;
            return run;
        }
    }
    uint8_t *run = take_pages(pages);
    if (run) {
        page_class[page_of(run)] = RUN_CLASS;
        run_pages[page_of(run)] = (uint16_t)pages;
    }
    *fresh = 1;
    return run;
}

/* `fresh` tells whether the object has never been used, and so is zero. */
static void *take(size_t bytes, int *fresh)
{
    if (bytes > LARGEST_CLASS_BYTES)
        return take_run(bytes, fresh);
    uint32_t class = class_for(bytes);
    struct freed *object = free_of_class[class];
    if (object) {
        free_of_class[class] = object->next;
        *fresh = 0;
        return object;
    }
    *fresh = 1;
    if (fresh_bytes_of_class[class] < class_bytes[class]) {
        uint8_t *page = take_pages(1);
        if (!page)
            return 0;
        page_class[page_of(page)] = (uint8_t)class;
        fresh_of_class[class] = page;
        fresh_bytes_of_class[class] = PAGE_BYTES;
    }
    uint8_t *first = fresh_of_class[class];
    fresh_of_class[class] = first + class_bytes[class];
    fresh_bytes_of_class[class] -= class_bytes[class];
    return first;
}

/* 16-byte aligned, or null when 32 MB are used up. */
void *malloc(size_t bytes)
{
    int fresh;
    return take(bytes, &fresh);
}

void *calloc(size_t count, size_t bytes)
{
    size_t all;
    int fresh;
    if (__builtin_mul_overflow(count, bytes, &all))
        return 0;
    void *object = take(all, &fresh);
    return object && !fresh ? memset(object, 0, all) : object;
}

void free(void *object)
{
    if (!object)
        return;
    struct freed *freed = object;
    struct freed **list = &free_runs;
    if (page_class[page_of(object)] != RUN_CLASS)
        list = &free_of_class[page_class[page_of(object)]];
    freed->next = *list;
    *list = freed;
}
