/* A doubly linked list in order of use, newest first, and hash chains: what the tables of sessions, conversations and
 * scanners are made of. An entry begins with a struct lc_link. */
#ifndef LC_LIST_H
#define LC_LIST_H

#include <stdint.h>

struct lc_link {
    struct lc_link *newer, *older;
};

/* The list itself is a link whose `older` is the newest entry and whose `newer` is the oldest. */
static inline void lc_list_init(struct lc_link *list)
{
    list->newer = list->older = list;
}

static inline void lc_list_remove(struct lc_link *link)
{
    link->newer->older = link->older;
    link->older->newer = link->newer;
}

static inline void lc_list_add_newest(struct lc_link *list, struct lc_link *link)
{
    link->newer = list;
    link->older = list->older;
    list->older->newer = link;
    list->older = link;
}

static inline void lc_list_use(struct lc_link *list, struct lc_link *link)
{
    if (list->older != link) {
        lc_list_remove(link);
        lc_list_add_newest(list, link);
    }
}

#endif
