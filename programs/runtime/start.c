/* What a program gets without writing it: an empty app_init, and the two ways to end with an error. */
#include "linecard.h"

__attribute__((weak)) void app_init(const uint8_t *control, uint32_t bytes)
{
    (void)control;
    (void)bytes;
}

_Noreturn void lc_bad_control_line(uint32_t line)
{
    (void)line;
    __builtin_trap();
}

_Noreturn void lc_out_of_memory(void)
{
    __builtin_trap();
}
