//! Costs of the instructions of executed programs on the engines of a cluster: `[cluster.NAME.ebpf]` and
//! `[cluster.NAME.riscv]`, cycles of the engine by class.
//!
//! Without a table, every instruction takes a cycle, as on a plain in-order core. Engines with lanes execute rows
//! that are scheduled before the program runs, and have costs of rows instead. An access to a memory takes the time
//! of the memory in addition to its instruction; `issue_cycles` and `post_cycles` of the cluster are the cycles to
//! issue it.

use super::rules::{MOST_CYCLES, Rules};
use super::scale::Share;
use linecard_config::Section;
use linecard_ebpf::MOST_LANES;
use linecard_executed::rows_left_out;

/// Declares a table of costs: its fields, their keys, defaults and meanings.
macro_rules! costs {
    ($(#[$doc:meta])* $name:ident { $($field:ident = $default:literal, $meaning:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $name {
            $(#[doc = $meaning] pub $field: u32,)*
        }

        impl $name {
            pub(super) fn plain() -> Self {
                Self { $($field: $default,)* }
            }

            fn of(section: &Section<'_>) -> Self {
                Self {
                    $($field: section.integer_or(stringify!($field), $default, 0..=MOST_CYCLES, $meaning) as u32,)*
                }
            }
        }
    };
}

costs! {
    /// Costs of eBPF instructions.
    EbpfCycles {
        alu_cycles = 1, "64-bit arithmetic with a register or a constant of 0 to 255";
        alu32_cycles = 1, "32-bit arithmetic with a register or a constant of 0 to 255";
        move_cycles = 1, "64-bit move of a register";
        move32_cycles = 1, "32-bit move of a register";
        move_constant_cycles = 1, "move of a constant of at most 16 bits";
        move_wide_cycles = 1, "move of a constant of more than 16 bits";
        constant64_cycles = 1, "load of a 64-bit constant (two instruction slots)";
        map_handle_cycles = 1, "address of a map";
        constant16_cycles = 0, "additional cycles for an operand above 255 or below 0";
        constant32_cycles = 0, "additional cycles for an operand of more than 16 bits";
        shift_cycles = 1, "shift by a constant";
        shift_register_cycles = 1, "shift by a register";
        multiply_cycles = 1, "multiplication";
        divide_cycles = 1, "division or remainder";
        swap16_cycles = 1, "byte swap of 16 bits";
        swap32_cycles = 1, "byte swap of 32 bits";
        swap64_cycles = 1, "byte swap of 64 bits";
        jump_cycles = 1, "jump without a condition";
        jump_zero_cycles = 1, "jump if equal or not equal to the constant 0";
        jump_equal_cycles = 1, "jump if equal or not equal to any other operand";
        jump_order_cycles = 1, "jump if less or greater, or if a bit is set";
        jump32_equal_cycles = 1, "32-bit jump if equal or not equal";
        jump32_order_cycles = 1, "32-bit jump if less or greater, or if a bit is set";
        taken_cycles = 0, "additional cycles for a taken jump";
        call_cycles = 1, "call of a function of the program, including the return";
        enter_cycles = 0, "cycles to enter the program, for every packet";
        exit_cycles = 1, "end of the program";
        helper_cycles = 20, "call of a helper whose cycles are not listed separately";
        local_load_cycles = 1, "load from the stack, the context, or a region that is not bound to a memory";
        local_store_cycles = 1, "store to the stack, the context, or a region that is not bound to a memory";
        packet_address_cycles = 0, "load from the packet: cycles before the memory access";
        packet_result_cycles = 1, "load of up to 4 bytes from the packet: cycles after the bytes arrive";
        packet_result8_cycles = 1, "load of 8 bytes from the packet: cycles after the bytes arrive";
        packet_merged_cycles = 1, "load of packet bytes that an earlier load has fetched";
        packet_store_cycles = 1, "store to the packet: cycles before the memory access";
        map_address_cycles = 0, "load from a map value: cycles before the memory access (none if the offset is \
                                 0)";
        map_result_cycles = 1, "load of up to 4 bytes of a map value: cycles after the bytes arrive";
        map_result8_cycles = 1, "load of 8 bytes of a map value: cycles after the bytes arrive";
        map_store_cycles = 1, "store to a map value: cycles before the memory access";
        atomic_cycles = 1, "atomic operation: cycles before the memory access";
    }
}

costs! {
    /// Costs of RISC-V instructions.
    RiscvCycles {
        alu_cycles = 1, "arithmetic, constants, moves";
        shift_cycles = 1, "shift";
        multiply_cycles = 1, "multiplication";
        divide_cycles = 1, "division or remainder";
        load_cycles = 1, "load";
        store_cycles = 1, "store";
        atomic_cycles = 1, "atomic operation: cycles before the memory access";
        branch_cycles = 1, "branch";
        jump_cycles = 1, "jump, call, return";
        taken_cycles = 0, "additional cycles for a taken branch or a jump";
        load_use_cycles = 0, "additional cycles if the next instruction uses the result of a load";
        shift_use_cycles = 0, "additional cycles if the next instruction uses the result of a shift";
        lock_cycles = 1, "taking or releasing a lock";
    }
}

/// Helpers that may have separate costs.
const HELPERS: &[(u32, &str, &str)] = &[
    (1, "map_lookup_elem", "cycles of bpf_map_lookup_elem, in addition to its memory accesses"),
    (2, "map_update_elem", "cycles of bpf_map_update_elem, in addition to its memory accesses"),
    (3, "map_delete_elem", "cycles of bpf_map_delete_elem, in addition to its memory accesses"),
    (5, "ktime_get_ns", "cycles of bpf_ktime_get_ns"),
    (7, "get_prandom_u32", "cycles of bpf_get_prandom_u32"),
    (8, "get_smp_processor_id", "cycles of bpf_get_smp_processor_id"),
    (23, "redirect", "cycles of bpf_redirect"),
    (25, "perf_event_output", "cycles of bpf_perf_event_output"),
    (28, "csum_diff", "cycles of bpf_csum_diff"),
    (44, "xdp_adjust_head", "cycles of bpf_xdp_adjust_head"),
    (51, "redirect_map", "cycles of bpf_redirect_map"),
    (65, "xdp_adjust_tail", "cycles of bpf_xdp_adjust_tail"),
    (69, "fib_lookup", "cycles of bpf_fib_lookup"),
];

/// Costs of rows that are scheduled before the program runs.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "rows"), expect(dead_code, reason = "what schedules rows is left out"))]
pub(crate) struct RowCosts {
    pub lanes: u32,
    /// Whether helpers keep the contents of r1 to r5.
    pub kept_arguments: bool,
    /// Whether the end of the program is copied for each path that fixes the action.
    pub path_exits: bool,
    /// Whether an exit takes a separate row.
    pub exit_alone: bool,
    /// Cycles of every packet in addition to its rows.
    pub each_packet: u32,
    /// Cycles of an exit that takes its action from r0.
    pub register_exit: u32,
    /// Bytes that a helper reads per cycle; 0 for any number.
    pub helper_bytes: u32,
}

impl RowCosts {
    fn read(section: &Section<'_>, lanes: u32) -> Self {
        let cycles = |key: &str, meaning: &str| section.integer_or(key, 0, 0..=MOST_CYCLES, meaning) as u32;
        let each_packet =
            cycles("start_stop_cycles", "cycles to start and stop the program, for every packet");
        let register_exit =
            cycles("register_exit_cycles", "additional cycles for an exit whose action is in register r0");
        let early = section.switch_or(
            "early_exit",
            true,
            "whether an exit with a constant action avoids register_exit_cycles",
        );
        Self {
            lanes,
            kept_arguments: section.switch_or(
                "kept_arguments",
                false,
                "whether helpers preserve r1 to r5, so that several calls can share an argument",
            ),
            path_exits: section.switch_or(
                "path_exits",
                false,
                "whether each path with a constant action has its own copy of the end of the program",
            ),
            exit_alone: section.switch_or(
                "exit_alone",
                false,
                "whether an exit occupies a separate row after all other rows of its block",
            ),
            each_packet: each_packet + if early { 0 } else { register_exit },
            register_exit: if early { register_exit } else { 0 },
            helper_bytes: section.integer_or(
                "helper_bytes",
                0,
                0..=65_535,
                "number of stack and packet bytes that a helper reads per cycle; 0 means no limit",
            ) as u32,
        }
    }
}

/// Costs of eBPF programs.
#[derive(Clone, Debug, Default)]
pub(crate) struct EbpfCosts {
    pub cycles: EbpfCycles,
    /// The share for all costs in this table.
    pub share: Share,
    /// By number.
    pub helpers: Vec<(u32, u32)>,
    /// Loads from the packet at constant distances are one access if they span at most this number of bytes; 0 keeps
    /// them separate.
    pub merge_bytes: u32,
    /// Whether the thread waits for stores, and for atomic operations whose result is not used.
    pub waits_for_writes: bool,
    /// The same for stores to the packet.
    pub waits_for_packet_writes: bool,
    /// See [`RiscvCosts::has_caches`].
    pub has_caches: bool,
    /// Whether lookups in arrays with a power of two of values use the lower bits of the index, and always find a
    /// value.
    pub masked_index: bool,
    /// Costs by operands, which replace the cost of the class.
    pub rules: Rules,
    /// Costs of rows instead of classes of instructions.
    pub rows: Option<RowCosts>,
}

impl EbpfCosts {
    /// Reads `[cluster.NAME.ebpf]`.
    fn read(section: &Section<'_>, waits: bool) -> Self {
        // Only checked here: the compilation of programs uses the value.
        section.integer_or("isa", 3, 1..=4, "version of the instruction set for which C files are compiled");
        let share = Share::read(section);
        let meaning = "whether lookups in arrays of 2^n values use the lower bits of the index, and therefore \
                       never fail";
        let masked_index = section.switch_or("masked_index", false, meaning);
        let lanes = section.integer_or(
            "lanes",
            0,
            0..=u64::from(MOST_LANES),
            "maximum number of instructions per row; each row executes in one cycle, and rows are formed before the \
             run. If 0, there are no rows: an instruction takes the cycles of its class",
        ) as u32;
        if let Some(why) = rows_left_out().filter(|_| lanes > 0) {
            section.fail("lanes", format!("found {lanes}: {why}"));
        }
        let helpers = section.section("helpers").map_or_else(Vec::new, |helpers| {
            let own = |&(number, name, meaning): &(u32, &str, &str)| {
                let cycles = helpers.integer_if(name, 0..=MOST_CYCLES, meaning)?;
                Some((number, cycles as u32))
            };
            HELPERS.iter().filter_map(own).collect()
        });
        if lanes > 0 {
            let cycles = EbpfCycles {
                taken_cycles: section.integer_or(
                    "taken_cycles",
                    0,
                    0..=MOST_CYCLES,
                    "additional cycles for a taken jump",
                ) as u32,
                helper_cycles: section.integer_or(
                    "helper_cycles",
                    1,
                    1..=MOST_CYCLES,
                    "cycles of a helper that is not listed separately, including the cycle of the call itself",
                ) as u32,
                ..EbpfCycles::default()
            };
            let rows = Some(RowCosts::read(section, lanes));
            return Self {
                cycles,
                share,
                helpers,
                waits_for_writes: waits,
                waits_for_packet_writes: waits,
                masked_index,
                rows,
                ..Self::default()
            };
        }
        let meaning = "maximum size of an access that merges packet loads at constant offsets from each other; \
                       if 0, each load is a separate access";
        Self {
            cycles: EbpfCycles::of(section),
            share,
            helpers,
            merge_bytes: section.integer_or("merge_bytes", 0, 0..=128, meaning) as u32,
            waits_for_writes: waits,
            waits_for_packet_writes: section.switch_or(
                "waits_for_packet_writes",
                waits,
                "whether the thread waits for stores to the packet; the value of waits_for_writes if left out",
            ),
            masked_index,
            rules: Rules::read(section),
            ..Self::default()
        }
    }

    /// Returns the cycles of a helper.
    pub fn helper(&self, number: u32) -> u32 {
        let own = self.helpers.iter().find(|(known, _)| *known == number);
        own.map_or(self.cycles.helper_cycles, |(_, cycles)| *cycles)
    }
}

/// Costs of C programs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RiscvCosts {
    pub cycles: RiscvCycles,
    /// The share for all costs in this table.
    pub share: Share,
    /// See [`EbpfCosts::waits_for_writes`].
    pub waits_for_writes: bool,
    /// Whether engines have caches: a load that hits delays its thread until the value is there, and a load that
    /// misses delays it until the line arrives.
    pub has_caches: bool,
}

/// Costs of executed programs on a cluster.
#[derive(Clone, Debug)]
pub(crate) struct ExecutionCosts {
    pub ebpf: EbpfCosts,
    pub riscv: RiscvCosts,
}

impl ExecutionCosts {
    /// Returns costs of one cycle per instruction.
    pub fn plain() -> Self {
        Self {
            ebpf: EbpfCosts { cycles: EbpfCycles::plain(), ..EbpfCosts::default() },
            riscv: RiscvCosts { cycles: RiscvCycles::plain(), ..RiscvCosts::default() },
        }
    }

    /// Reads both tables of a cluster.
    pub fn read(cluster: &Section<'_>) -> Self {
        const WAITS: &str =
            "whether the thread waits for stores, and for atomic operations with an unused result";
        let waits = |section: &Section<'_>| section.switch_or("waits_for_writes", false, WAITS);
        let mut costs = Self::plain();
        if let Some(section) = cluster.section("ebpf") {
            costs.ebpf = EbpfCosts::read(&section, waits(&section));
        }
        if let Some(section) = cluster.section("riscv") {
            costs.riscv.cycles = RiscvCycles::of(&section);
            costs.riscv.share = Share::read(&section);
            costs.riscv.waits_for_writes = waits(&section);
        }
        costs.riscv.has_caches = cluster.section("cache").is_some();
        costs.ebpf.has_caches = costs.riscv.has_caches;
        costs
    }
}
