/* Control files: text, one record a line, fields separated by blanks, `#` to the end of the line is a comment. */
#ifndef LC_TEXT_H
#define LC_TEXT_H

#include "linecard.h"

struct lc_text {
    const uint8_t *at;   /* in the line */
    const uint8_t *stop; /* end of the line or its comment */
    const uint8_t *next; /* next line */
    const uint8_t *end;  /* of the file */
    uint32_t line;       /* counts from 1 */
};

static inline struct lc_text lc_text_of(const uint8_t *control, uint32_t bytes)
{
    return (struct lc_text){control, control, control, control + bytes, 0};
}

static inline void lc_skip_blanks(struct lc_text *text)
{
    while (text->at < text->stop && (*text->at == ' ' || *text->at == '\t' || *text->at == '\r'))
        text->at++;
}

/* At the end of the line, blanks aside. */
static inline int lc_at_end(struct lc_text *text)
{
    lc_skip_blanks(text);
    return text->at == text->stop;
}

/* Moves to the next line that says something; 0 when there is none. */
static inline int lc_next_line(struct lc_text *text)
{
    while (text->next < text->end) {
        text->at = text->next;
        text->stop = text->at;
        while (text->stop < text->end && *text->stop != '\n' && *text->stop != '#')
            text->stop++;
        text->next = text->stop;
        while (text->next < text->end && *text->next != '\n')
            text->next++;
        text->next += text->next < text->end;
        text->line++;
        if (!lc_at_end(text))
            return 1;
    }
    return 0;
}

/* A decimal number below 2^32, or 0 returned and nothing taken. */
static inline int lc_take_number(struct lc_text *text, uint32_t *value)
{
    lc_skip_blanks(text);
    const uint8_t *at = text->at;
    uint32_t sum = 0;
    while (at < text->stop && (uint32_t)(*at - '0') < 10) {
        uint32_t digit = (uint32_t)(*at++ - '0');
        if (sum > (UINT32_MAX - digit) / 10)
            return 0;
        sum = sum * 10 + digit;
    }
    if (at == text->at)
        return 0;
    text->at = at;
    *value = sum;
    return 1;
}

static inline uint32_t lc_need_number(struct lc_text *text)
{
    uint32_t value;
    if (!lc_take_number(text, &value))
        lc_bad_control_line(text->line);
    return value;
}

/* Takes one given character. */
static inline int lc_take_char(struct lc_text *text, char wanted)
{
    int there = text->at < text->stop && *text->at == (uint8_t)wanted;
    text->at += there;
    return there;
}

/* Takes a word when it is the next field, whole. */
static inline int lc_take_word(struct lc_text *text, const char *word)
{
    lc_skip_blanks(text);
    const uint8_t *at = text->at;
    while (*word && at < text->stop && *at == (uint8_t)*word) {
        at++;
        word++;
    }
    if (*word || (at < text->stop && *at != ' ' && *at != '\t' && *at != '\r'))
        return 0;
    text->at = at;
    return 1;
}

/* Two hexadecimal digits, or -1 and nothing taken. */
static inline int lc_take_hex_byte(struct lc_text *text)
{
    uint32_t value = 0;
    if (text->stop - text->at < 2)
        return -1;
    for (int digit = 0; digit < 2; digit++) {
        uint32_t letter = text->at[digit];
        if (letter - '0' < 10)
            value = value << 4 | (letter - '0');
        else if ((letter | 0x20) - 'a' < 6)
            value = value << 4 | ((letter | 0x20) - 'a' + 10);
        else
            return -1;
    }
    text->at += 2;
    return (int)value;
}

/* The rest of an IPv4 address after its first number, `a` in a.b.c.d; the value is in host order. */
static inline int lc_take_address_rest(struct lc_text *text, uint32_t *value)
{
    uint32_t address = *value;
    if (address > 255)
        return 0;
    for (int part = 0; part < 3; part++) {
        uint32_t number;
        if (!lc_take_char(text, '.') || !lc_take_number(text, &number) || number > 255)
            return 0;
        address = address << 8 | number;
    }
    *value = address;
    return 1;
}

#endif
