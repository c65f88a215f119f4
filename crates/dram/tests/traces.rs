//! Does each controller obey its rules, cycle by cycle?
//!
//! Traces worked out by hand on Hasan 2003's memory (tRP 2, tRCD 2, 2 cycles to the first data, 64 bytes in 8
//! cycles): every command with its cycle and every transfer from its first cycle to the one after its last, in order
//! of time. An access costs 4 cycles before its data for a closed row and 6 for a conflict; the column command of a
//! hit is issued 2 cycles before the end of the previous access's data.

use crate::kit;

use kit::{LAZY_BASE, REFERENCE, Timed, at_once, read, run, sdr100, sdr100_organization, write};
use linecard_dram::packet_buffer::{BatchBreak, Policy, Precharge, Queues, Request};

/// Runs `requests` under `policy`, and expects the log `expected`, whose lines may end in a comment.
#[track_caller]
fn check(policy: Policy, requests: &[Timed], expected: &str) {
    let mut ran = run(sdr100_organization(4), sdr100(), policy, requests);
    let bare = |line: &str| line.split("//").next().unwrap_or("").trim().to_owned();
    // Lines are sorted by time, and within a cycle in one order for both texts.
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(bare).filter(|l| !l.is_empty()).collect();
        let cycle = |line: &str| line.split(['-', ' ']).next().and_then(|c| c.parse::<u64>().ok());
        lines.sort_by_key(|l| (cycle(l), l.clone()));
        lines
    };
    let found = &ran.log().text;
    assert_eq!(sorted(found), sorted(expected), "found:\n{found}");
}

/// 32 bytes, the first of the two halves of a cell.
fn first_half(request: Request) -> Request {
    Request { bytes: 32, more: true, ..request }
}

/// 32 bytes, the second half.
fn second_half(request: Request) -> Request {
    Request { bytes: 32, ..request }
}

const PREFETCH: Policy = Policy { prefetch: true, batch: 4, ..LAZY_BASE };

// ---- the reference controller ----

#[test]
fn reference_alternates_between_odd_and_even_banks_and_serves_reads_first() {
    let mut requests =
        at_once([write(11, 1, 0), write(13, 3, 0), write(10, 0, 0), write(12, 2, 0), read(1, 1, 7)]);
    requests.push((20, read(2, 0, 9)));
    check(
        REFERENCE,
        &requests,
        "0 ACT b1 r7      // the read comes first, though four writes wait
         2 RD b1 r7
         4-12 data 1
         12 PRE b1        // eagerly
         12 ACT b0 r0     // even banks begin
         14 WR b0 r0
         16-24 data 10
         24 PRE b0
         26 ACT b0 r9     // a read that came in cycle 20, before odd's turn; its bank has just been precharged
         28 RD b0 r9
         30-38 data 2
         38 PRE b0
         38 ACT b1 r0     // the turn of odd is still to come
         40 WR b1 r0
         42-50 data 11
         50 PRE b1
         50 ACT b2 r0     // even
         52 WR b2 r0
         54-62 data 12
         62 PRE b2
         62 ACT b3 r0     // odd
         64 WR b3 r0
         66-74 data 13
         74 PRE b3",
    );
}

#[test]
fn reference_does_not_wait_for_the_turn_of_an_empty_queue() {
    let mut requests = at_once([write(1, 1, 0), write(2, 3, 0), write(3, 1, 4)]);
    requests.push((30, write(4, 2, 0)));
    check(
        REFERENCE,
        &requests,
        "0 ACT b1 r0
         2 WR b1 r0
         4-12 data 1
         12 PRE b1
         12 ACT b3 r0     // odd again: no write waits for an even bank
         14 WR b3 r0
         16-24 data 2
         24 PRE b3
         24 ACT b1 r4
         26 WR b1 r4
         28-36 data 3
         36 PRE b1
         36 ACT b2 r0     // even, which came in cycle 30
         38 WR b2 r0
         40-48 data 4
         48 PRE b2",
    );
}

#[test]
fn reference_spares_a_row_whose_next_access_it_noticed_in_time() {
    let mut requests = at_once([first_half(write(1, 1, 0)), second_half(write(2, 1, 0)), write(3, 1, 0)]);
    requests.push((15, write(4, 1, 0)));
    check(
        REFERENCE,
        &requests,
        "0 ACT b1 r0
         2 WR b1 r0
         4-8 data 1
         6 WR b1 r0       // the other half of the cell: spared, a hit
         8-12 data 2
         10 WR b1 r0      // noticed in cycle 8, spared in cycle 12
         12-20 data 3
         20 PRE b1        // the next came in cycle 15, after the look of cycle 12: too late to be spared
         22 ACT b1 r0
         24 WR b1 r0
         26-34 data 4
         34 PRE b1",
    );
}

#[test]
fn reference_precharges_a_spared_row_when_something_else_comes_between() {
    let mut requests = at_once([write(1, 1, 0), write(2, 1, 0)]);
    requests.extend([(5, read(3, 0, 0)), (5, read(4, 2, 0))]);
    check(
        REFERENCE,
        &requests,
        "0 ACT b1 r0
         2 WR b1 r0
         4-12 data 1
         12 ACT b0 r0     // row 0 of bank 1 was spared for write 2, but reads came in cycle 5
         14 RD b0 r0
         16-24 data 3
         24 PRE b0        // of the read
         24 PRE b1        // the spared one: the next access is to bank 2
         24 ACT b2 r0
         26 RD b2 r0
         28-36 data 4
         36 PRE b2
         36 ACT b1 r0     // write 2 finds its row closed after all
         38 WR b1 r0
         40-48 data 2
         48 PRE b1",
    );
}

// ---- the document's base ----

#[test]
fn lazy_base_takes_reads_and_writes_in_turn_and_keeps_rows_open() {
    let requests =
        [write(1, 0, 0), read(11, 1, 4), write(2, 0, 0), read(12, 0, 2), write(3, 2, 0), read(13, 1, 9)];
    check(
        LAZY_BASE,
        &at_once(requests),
        "0 ACT b0 r0
         2 WR b0 r0
         4-12 data 1
         12 ACT b1 r4     // a closed row is not prepared: 4 cycles
         14 RD b1 r4
         16-24 data 11
         22 WR b0 r0      // still open: no cycle lost, although a read of another bank came between
         24-32 data 2
         32 PRE b0        // another row of the bank in use: 6 cycles
         34 ACT b0 r2
         36 RD b0 r2
         38-46 data 12
         46 ACT b2 r0
         46 PRE b1        // while write 3 is served: read 13 will need another row of bank 1
         48 WR b2 r0
         50-58 data 3
         58 ACT b1 r9     // so that only the activate is left: 4 cycles
         60 RD b1 r9
         62-70 data 13",
    );
}

#[test]
fn lazy_base_serves_one_queue_while_the_other_is_empty() {
    let mut requests = at_once([write(1, 0, 0), write(2, 0, 0), write(3, 0, 0)]);
    requests.push((13, read(11, 0, 0)));
    check(
        LAZY_BASE,
        &requests,
        "0 ACT b0 r0
         2 WR b0 r0
         4-12 data 1
         10 WR b0 r0      // no read waits in cycle 12
         12-20 data 2
         18 RD b0 r0      // now one does, and it is its turn
         20-28 data 11
         26 WR b0 r0
         28-36 data 3",
    );
}

// ---- batching ----

const BATCH_2: Policy = Policy { batch: 2, ..LAZY_BASE };

#[test]
fn a_batch_ends_after_k_requests_at_a_definite_miss_and_with_an_empty_queue() {
    let requests = [
        write(1, 0, 0),
        write(2, 0, 0),
        write(3, 0, 0),
        write(4, 0, 1),
        read(11, 1, 0),
        read(12, 1, 0),
        read(13, 1, 5),
    ];
    check(
        BATCH_2,
        &at_once(requests),
        "0 ACT b0 r0
         2 WR b0 r0
         4-12 data 1
         10 WR b0 r0
         12-20 data 2
         20 ACT b1 r0     // event 2: two writes have been served
         22 RD b1 r0
         24-32 data 11
         30 RD b1 r0
         32-40 data 12
         38 WR b0 r0      // event 2: two reads have been served
         40 PRE b1        // event 1: write 4 would miss in the bank in use, so read 13 is next
         40-48 data 3
         48 ACT b1 r5
         48 PRE b0        // event 3: no read is left
         50 RD b1 r5
         52-60 data 13
         60 ACT b0 r1
         62 WR b0 r1
         64-72 data 4",
    );
}

#[test]
fn without_batches_requests_are_served_as_they_arrive() {
    let requests = [(0, write(1, 0, 0)), (0, write(2, 0, 0)), (1, read(11, 1, 0)), (1, write(3, 0, 0))];
    check(
        Policy { batch: 0, ..LAZY_BASE },
        &requests,
        "0 ACT b0 r0
         2 WR b0 r0
         4-12 data 1
         10 WR b0 r0      // no turn for the read: write 2 came first
         12-20 data 2
         20 ACT b1 r0
         22 RD b1 r0
         24-32 data 11
         30 WR b0 r0
         32-40 data 3",
    );
}

/// The same through [`Policy::batch_break`]: a closed row in another bank ends a batch only under `AnyMiss`.
#[test]
fn what_counts_as_a_miss_that_ends_a_batch() {
    let requests = at_once([write(1, 0, 0), write(2, 1, 0), read(11, 2, 0), read(12, 2, 0), read(13, 3, 0)]);
    let order = |batch_break| {
        let policy = Policy { batch: 4, batch_break, ..LAZY_BASE };
        let ran = run(sdr100_organization(4), sdr100(), policy, &requests);
        ran.done.iter().map(|&(_, tag)| tag).collect::<Vec<_>>()
    };
    // Preparing another bank can hide the miss, so it does not end the batch.
    assert_eq!(order(BatchBreak::SameBankMiss), [1, 2, 11, 12, 13]);
    // Nothing is open at first, so the turn passes to the reads; each miss passes it on.
    assert_eq!(order(BatchBreak::AnyMiss), [11, 12, 1, 13, 2]);
}

#[test]
fn the_two_halves_of_a_cell_count_as_one_turn() {
    let requests = [
        first_half(write(1, 0, 0)),
        second_half(write(2, 0, 0)),
        write(3, 0, 0),
        write(4, 0, 0),
        read(11, 1, 0),
    ];
    check(
        BATCH_2,
        &at_once(requests),
        "0 ACT b0 r0
         2 WR b0 r0
         4-8 data 1       // turn 1
         6 WR b0 r0
         8-12 data 2      // still turn 1
         10 WR b0 r0
         12-20 data 3     // turn 2
         20 ACT b1 r0     // the batch is over
         22 RD b1 r0
         24-32 data 11
         30 WR b0 r0
         32-40 data 4",
    );
}

#[test]
fn nothing_comes_between_the_two_halves_of_a_cell() {
    for (queues, precharge) in [(Queues::ReadWrite, Precharge::Lazy), (Queues::OddEven, Precharge::Eager)] {
        let mut requests = at_once([first_half(write(1, 0, 0)), second_half(write(2, 0, 0))]);
        requests.extend([(0, write(3, 1, 0)), (2, read(11, 1, 0))]);
        let policy = Policy { queues, precharge, ..LAZY_BASE };
        let ran = run(sdr100_organization(4), sdr100(), policy, &requests);
        let order: Vec<u32> = ran.done.iter().map(|&(_, tag)| tag).collect();
        assert_eq!(order, [1, 2, 11, 3], "{queues:?}");
    }
}

// ---- prefetching: Figure 3 ----

#[test]
fn prefetching_opens_the_row_of_the_next_access_of_the_same_queue() {
    let requests = [write(1, 1, 3), write(2, 0, 1), write(3, 1, 3), write(4, 0, 5)];
    check(
        PREFETCH,
        &at_once(requests),
        "0 ACT b1 r3
         0 ACT b0 r1      // case 2: bank 0 is closed, its row is opened while write 1 is served
         2 WR b1 r3
         4-12 data 1
         10 WR b0 r1      // a hit
         12-20 data 2     // case 1: row 3 of bank 1 is open, nothing to do
         18 WR b1 r3
         20 PRE b0        // case 2: bank 0 holds another row
         20-28 data 3
         22 ACT b0 r5
         26 WR b0 r5      // all of the 6 cycles are hidden
         28-36 data 4",
    );
}

#[test]
fn prefetching_looks_at_the_other_queue_when_the_next_access_is_to_the_bank_in_use() {
    check(
        PREFETCH,
        &at_once([write(1, 0, 0), write(2, 0, 6), read(11, 2, 7)]),
        "0 ACT b0 r0
         0 ACT b2 r7      // case 3: write 2 needs another row of the bank in use, so the turn goes to read 11
         2 WR b0 r0
         4-12 data 1
         10 RD b2 r7
         12 PRE b0        // case 2: write 2 is next after all, now that its bank is another one
         12-20 data 11
         14 ACT b0 r6
         18 WR b0 r6      // all misses are hidden
         20-28 data 2",
    );
}

#[test]
fn prefetching_does_nothing_when_both_queues_go_on_in_the_bank_in_use() {
    check(
        PREFETCH,
        &at_once([write(0, 0, 0), read(10, 0, 5), write(1, 0, 5), write(2, 0, 6), read(11, 2, 7)]),
        "0 ACT b0 r0
         2 WR b0 r0
         4-12 data 0      // write 1 is to another row of bank 0, and so is read 10: nothing to prefetch
         12 PRE b0        // case 3 with the other queue's head in the bank in use: 6 cycles
         12 ACT b2 r7     // case 2 for the next read
         14 ACT b0 r5
         16 RD b0 r5
         18-26 data 10
         24 RD b2 r7
         26-34 data 11    // the reads are done; row 5 of bank 0 is open for write 1
         32 WR b0 r5
         34-42 data 1     // case 3: write 2 misses in bank 0, but no read is left to prefetch for
         42 PRE b0
         44 ACT b0 r6
         46 WR b0 r6
         48-56 data 2",
    );
}

#[test]
fn prefetching_looks_at_the_other_queue_at_the_end_of_a_batch() {
    let requests = [write(1, 0, 0), write(2, 0, 0), read(11, 1, 0), read(12, 0, 9)];
    check(
        Policy { batch: 1, ..PREFETCH },
        &at_once(requests),
        "0 ACT b0 r0
         0 ACT b1 r0      // case 3: write 1 ends its batch, and read 11 is next
         2 WR b0 r0
         4-12 data 1
         10 RD b1 r0
         12-20 data 11    // write 2 is next, and its row is open
         18 WR b0 r0
         20-28 data 2     // read 12 is next, in the bank in use
         28 PRE b0
         30 ACT b0 r9
         32 RD b0 r9
         34-42 data 12",
    );
}

#[test]
fn prefetching_behind_a_narrow_access_is_only_partly_hidden() {
    let narrow = Request { bytes: 8, ..write(2, 0, 0) };
    check(
        PREFETCH,
        &at_once([write(1, 1, 2), narrow, write(3, 1, 4)]),
        "0 ACT b1 r2
         0 ACT b0 r0
         2 WR b1 r2
         4-12 data 1
         10 WR b0 r0
         12 PRE b1        // data 1 have just moved
         12-13 data 2
         14 ACT b1 r4
         16 WR b1 r4      // 5 of 6 cycles show
         18-26 data 3",
    );
}

// ---- ideal memory ----

#[test]
fn ideal_memory_opens_no_row_and_loses_only_the_latency_of_an_idle_bus() {
    let mut requests = at_once([write(1, 0, 0), read(11, 0, 7), write(2, 0, 9)]);
    requests.push((30, read(12, 3, 1)));
    check(
        Policy { ideal: true, ..LAZY_BASE },
        &requests,
        "2-10 data 1
         10-18 data 11
         18-26 data 2
         32-40 data 12    // idle from 26 to 30, then 2 cycles of latency",
    );
}
