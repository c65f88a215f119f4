/* What a packet program and the machine that runs it say to each other.
 *
 * A program defines app_packet, which is called once per packet, and may define app_init, which is called once before the
 * first packet. Both run to completion; nothing else of the program is ever called.
 *
 * What counts as data memory, as in Mudigonda, Vin and Keckler (SIGCOMM 2007), section 2.2: the packet, the heap
 * (malloc) and objects marked LC_STATE. The stack, other globals and constants do not count: they fit into registers
 * and fast memory on the chip.
 *
 * On RISC-V the marks are one instruction each in the custom-0 opcode space; they change no register but the one that
 * they return. In a native build they are functions that the test harness defines.
 */
#ifndef LINECARD_H
#define LINECARD_H

#include <stddef.h>
#include <stdint.h>

/* Once, before the first packet. `control` holds the bytes of the control file, or is null with zero bytes when there is
 * none. A program that needs no preparation leaves it out. */
void app_init(const uint8_t *control, uint32_t bytes);

/* uint32_t app_packet(uint8_t *packet, uint32_t bytes)
 *
 * Once per packet. `packet` points at the IP header (version 4 or 6), aligned to four bytes; `bytes` is the length of the
 * IP packet and nothing beyond it may be touched. The packet may be written. The returned word is recorded.
 * Not declared here, so that a program which only reads may take a pointer to const. */

/* Per-flow or table state in a static object: accesses to it count as data memory. Large tables belong on the heap:
 * a static one, even if zero, takes its full size in the ELF. */
#define LC_STATE __attribute__((section(".pktstate")))

#if defined(__riscv)

/* Mutual exclusion between threads that process different packets. Any address may serve as a lock: by convention that of
 * the object that it protects. A lock must not be taken twice, and all must be free at the end of a packet. */
static inline void lc_lock(const volatile void *address)
{
    __asm__ volatile(".insn r 0x0b, 0, 2, x0, %0, x0" : : "r"(address) : "memory");
}

static inline void lc_unlock(const volatile void *address)
{
    __asm__ volatile(".insn r 0x0b, 0, 3, x0, %0, x0" : : "r"(address) : "memory");
}

/* Arrival time of the packet in microseconds; wraps after 2^32 of them (71 minutes). */
static inline uint32_t lc_time_us(void)
{
    uint32_t now_us;
    __asm__ volatile(".insn r 0x0b, 0, 4, %0, x0, x0" : "=r"(now_us));
    return now_us;
}

/* Begin and end of a packet, for programs with a main loop of their own; app_packet needs neither. */
#define lc_packet_begin() __asm__ volatile(".insn r 0x0b, 0, 0, x0, x0, x0" : : : "memory")
#define lc_packet_end() __asm__ volatile(".insn r 0x0b, 0, 1, x0, x0, x0" : : : "memory")

#else

void lc_lock(const volatile void *address);
void lc_unlock(const volatile void *address);
uint32_t lc_time_us(void);
#define lc_packet_begin() ((void)0)
#define lc_packet_end() ((void)0)

#endif

/* Ends the program. The simulator reports these functions by name: a line of the control file that the program does not
 * understand (lines count from 1), and a table that does not fit into the heap. */
_Noreturn void lc_bad_control_line(uint32_t line);
_Noreturn void lc_out_of_memory(void);

#endif
