//! Does each part of the machine take exactly the time that its description says?
//!
//! Small programs, worked out by hand: the time in nanoseconds of each step of each thread. States that last no time
//! are left out. Units: SRAM answers after 100 and takes 10 for a word, scratchpad 50 and 5, hash unit 30 and 30. DRAM
//! cycles of 10; a thread hears of its transfer 50 after its data have moved; a slot is handed over in 100 and drains
//! a cell in 30.

mod kit;

use kit::{Scripted, TO_THE_END, arrival, departures, on, rest, send, small, traffic};
use linecard_buffers::{AllocatorConfig, AllocatorKind};
use linecard_dram::packet_buffer::Observer;
use linecard_flowcache::{Configuration, Digester, Geometry, Hash, Key, Policy};
use linecard_np::{
    Arrival, BufferPath, Counts, EngineConfig, Machine, MachineConfig, MemoryConfig, Outcome, OutputConfig,
    QueueManagerConfig, ReceiveConfig, ReceiveMode, ResultCacheConfig, Watch,
};
use linecard_program::{Application, Ctx, DropReason, Path, Source, Unit};
use linecard_queueing::{Kind, Settings};
use std::cell::RefCell;
use std::rc::Rc;

/// The states of the threads.
#[derive(Default)]
struct Steps(Vec<(u32, String)>);

impl Observer for Steps {}

impl Watch for Steps {
    const WATCHES_THREADS: bool = true;

    fn thread(&mut self, _engine: u16, thread: u32, state: &'static str, from_ps: u64, to_ps: u64) {
        if from_ps < to_ps {
            self.0.push((thread, format!("{}-{} {state}", from_ps / 1000, to_ps / 1000)));
        }
    }
}

struct Worked {
    steps: Steps,
    left_at: Vec<u64>,
    counts: Counts,
}

impl Worked {
    /// The steps of a thread must be `expected`, whose lines may end in a comment.
    #[track_caller]
    fn thread(&self, thread: u32, expected: &str) -> &Self {
        let bare = |line: &str| line.split("//").next().unwrap_or("").trim().to_owned();
        let expected: Vec<String> = expected.lines().map(bare).filter(|l| !l.is_empty()).collect();
        let found: Vec<String> =
            self.steps.0.iter().filter(|(t, _)| *t == thread).map(|(_, step)| step.clone()).collect();
        assert_eq!(found, expected, "thread {thread}");
        self
    }
}

/// Run to the end of the traffic.
fn work(config: &MachineConfig, application: &dyn Application, arrivals: Vec<Arrival>) -> Worked {
    let mut machine = Machine::new(config, application, traffic(arrivals), Steps::default()).unwrap();
    let left = departures(&mut machine);
    assert_eq!(machine.run(TO_THE_END, &mut on), Outcome::TrafficEnded);
    let counts = machine.counts();
    Worked { steps: machine.into_observer(), left_at: left.borrow().iter().map(|d| d.at).collect(), counts }
}

fn with_engine(change: impl FnOnce(&mut EngineConfig)) -> MachineConfig {
    let mut config = small();
    change(&mut config.engine);
    config
}

/// What threads do in input programs that never see a packet.
fn input_only<F: Future<Output = ()> + 'static>(
    locks: u32,
    input: impl Fn(Ctx, u32) -> F + 'static,
) -> Scripted {
    Scripted::new(locks, move |ctx, n| Box::pin(input(ctx, n)), |ctx, _| Box::pin(send(ctx, 20)))
}

/// An input thread that spends `cycles` on a packet and writes it cell by cell.
async fn store(ctx: Ctx, cycles: u32, enqueue_cycles: u32) {
    loop {
        let packet = ctx.receive().await;
        ctx.compute(cycles);
        ctx.admit(0).await;
        assert!(ctx.allocate(packet, 0).await);
        for cell in 0..ctx.head().cells() as u16 {
            ctx.write_cell(packet, cell, Source::ReceiveBuffer).await;
        }
        ctx.join().await;
        ctx.compute(enqueue_cycles);
        ctx.enqueue(packet, 0).await;
    }
}

// ---- engines and units ----

#[test]
fn a_thread_computes_and_waits_for_units() {
    let program = input_only(0, |ctx, _| async move {
        ctx.compute(10);
        ctx.read(Unit::Sram, 2).await;
        ctx.compute(2);
        ctx.compute(3);
        ctx.write(Unit::Scratch, 1).await;
        ctx.read(Unit::Hash, 1).await;
        ctx.compute(4);
        rest(ctx).await;
    });
    let worked = work(&small(), &program, vec![]);
    worked.thread(
        0,
        "0-10 compute
         10-110 wait sram
         110-115 compute       // compute before one op adds up
         115-165 wait scratch
         165-195 wait hash     // no compute in between
         195-199 compute",
    );
    // Busy with 2 words, 1 word and 1 hash.
    assert_eq!(worked.counts.units, [(20, 1), (5, 1), (30, 1), (0, 0)]);
    // The input engine: busy, polling, idle. The output engine polled all the time.
    assert_eq!(worked.counts.duration, 199);
    assert_eq!(worked.counts.engines, [[19, 0, 180], [0, 199, 0]]);
}

// ---- queue managers ----

/// A machine with this manager; instructions are the programs'.
fn managed(kind: Kind) -> MachineConfig {
    let settings = Settings { instruction_ps: Default::default(), ..Settings::default() };
    MachineConfig { queue_manager: Some(QueueManagerConfig { kind, settings }), ..small() }
}

/// Two enqueues and two dequeues. The interconnect takes 20 each way, memory 40, a look-up in the CAM 5.
#[test]
fn a_queue_operation_takes_what_its_manager_takes() {
    let expected = [
        // Read the tail: 20 + 40 + 20. Write the link and the new tail: the second message leaves 2.5 after the first,
        // its write waits for the port, 8 after the first: 20 + 8 + 40 + 20.
        // A dequeue reads the head, reads the link and writes the head: 3 * 80.
        (Kind::NoCache, [168, 168, 240, 240]),
        // The word is read from memory, 80, or from the cache, 40; the link is always written or read, 80; a dequeue
        // then writes its word, 40.
        (Kind::DataCache, [160, 120, 200, 160]),
        // 5, on a miss a command that loads the pointer, 80, and the command itself, 80.
        (Kind::SoftwareCache, [165, 85, 165, 85]),
        // The same, but the first enqueue brings the head with the tail.
        (Kind::QArray, [165, 85, 85, 85]),
        // One command: 20, on a miss 40 for the pointer, 40 for the link, 20.
        (Kind::QueuingCache, [120, 80, 120, 80]),
    ];
    for (kind, each) in expected {
        let program = input_only(0, |ctx, _| async move {
            ctx.compute(10);
            ctx.link(0).await;
            ctx.link(0).await;
            ctx.unlink(0).await;
            ctx.unlink(0).await;
            rest(ctx).await;
        });
        let worked = work(&managed(kind), &program, vec![]);
        let mut now = 10;
        let mut steps = vec!["0-10 compute".to_owned()];
        for ns in each {
            steps.push(format!("{now}-{} wait queue manager", now + ns));
            now += ns;
        }
        worked.thread(0, &steps.join("\n"));
        let usage = worked.counts.queue_manager.unwrap();
        let hits = match kind {
            Kind::NoCache => (0, 0),
            Kind::QArray => (3, 4),
            _ => (2, 4),
        };
        assert_eq!(
            (usage.operations, (usage.hits, usage.lookups), usage.inside),
            (4, hits, 0),
            "{}",
            kind.name()
        );
    }
}

#[test]
fn operations_on_one_queue_wait_for_each_other() {
    let both = |queue_of: fn(u32) -> u16| {
        let program = input_only(0, move |ctx, n| async move {
            ctx.compute(10);
            ctx.link(queue_of(n)).await;
            rest(ctx).await;
        });
        let mut config = managed(Kind::QueuingCache);
        config.engine.input_engines = 2;
        config.output.ports = 2;
        work(&config, &program, vec![])
    };
    // The second command leaves 2.5 after the first and waits until the first has its link, at 110; then it hits.
    let same = both(|_| 0);
    same.thread(0, "0-10 compute\n10-130 wait queue manager");
    same.thread(1, "0-10 compute\n10-170 wait queue manager");
    // It is there at 32.5, the token comes by at 35 and the read port is free at 38: 38 + 40 + 40 + 20.
    let different = both(|n| n as u16);
    different.thread(0, "0-10 compute\n10-130 wait queue manager");
    different.thread(1, "0-10 compute\n10-138 wait queue manager");
    // Nobody waited for a lock, and each of the two ports of memory was busy twice for 8, of 138.
    assert!((different.counts.queue_manager.unwrap().utilization - 16.0 / 138.0).abs() < 1e-12);
}

// ---- transfers ----

/// A transfer takes 5 to its unit and 5 back; pulls 25 from registers and 20 from the receive buffer, pushes 15 to
/// registers and 30 to the transmit buffer; the DRAM takes 20 and a nanosecond for each byte.
#[test]
fn a_transfer_is_issued_pulled_served_pushed_and_returned() {
    let program = input_only(0, |ctx, _| async move {
        ctx.transfer(Path::FifoToDram, 64).await;
        ctx.transfer(Path::DramToFifo, 32).await;
        ctx.transfer(Path::DramToEngine, 8).await;
        ctx.transfer(Path::EngineToFifo, 32).await;
        rest(ctx).await;
    });
    let worked = work(&small(), &program, vec![]);
    worked.thread(
        0,
        "0-82 wait dram        // 5 + 20 + (20 + 32) + 5
         82-144 wait dram      // the second half finds its row open: 5 + 20 + 32 + 5
         144-236 wait dram     // 5 + (20 + 32) + 30 + 5
         236-289 wait dram     // 5 + (20 + 8) + 15 + 5
         289-326 wait fifo     // 5 + 25 + 2 + 5",
    );
    let paths = worked.counts.paths;
    assert_eq!((paths.data, paths.overhead, paths.accesses, paths.row_hits), (104, 60, 4, 1));
}

/// Thread 0 issues first, but its data come from registers: the DRAM serves thread 1 first.
#[test]
fn transfers_are_served_in_the_order_in_which_their_data_are_there() {
    let program = input_only(0, |ctx, number| async move {
        if number == 0 {
            ctx.transfer(Path::EngineToDram, 32).await;
        } else {
            ctx.compute(10);
            ctx.transfer(Path::DramToEngine, 32).await;
        }
        rest(ctx).await;
    });
    let worked = work(&with_engine(|e| e.threads = 2), &program, vec![]);
    // Thread 1 is at the DRAM from 15 to 67, thread 0 from 67 instead of 30 on.
    worked.thread(0, "0-124 wait dram").thread(1, "0-10 compute\n10-87 wait dram");
}

#[test]
fn nobody_waits_for_a_posted_access_but_the_next_one() {
    let program = input_only(0, |ctx, _| async move {
        ctx.post(Unit::Sram, 20).await;
        ctx.compute(10);
        ctx.read(Unit::Sram, 1).await;
        rest(ctx).await;
    });
    let mut config = small();
    (config.units[0].access_ps, config.units[0].transit_ps) = (3_000, 7_000);
    let worked = work(&config, &program, vec![]);
    // The posted access keeps SRAM busy for 3 + 200, then the other takes its latency of 100 and the way of 7.
    worked.thread(0, "0-10 compute\n10-310 wait sram");
    assert_eq!(worked.counts.units[0], (203 + 13, 2));
}

#[test]
fn a_packet_departs_at_once_without_queue_and_port() {
    let program = input_only(0, |ctx, _| async move {
        loop {
            let packet = ctx.receive().await;
            ctx.compute(25);
            ctx.depart(packet).await;
        }
    });
    let worked = work(&small(), &program, vec![arrival(0, 64, 1), arrival(0, 1500, 2)]);
    assert_eq!(worked.left_at, [25, 50]);
    assert_eq!(
        (worked.counts.packets_out, worked.counts.bytes_out, worked.counts.inside_at_end),
        (2, 1564, 0)
    );
    assert_eq!(worked.counts.latency.max(), 25);
}

/// Flows 7, 8, 7 with two entries, then 9, which takes the place of 8: LRU.
#[test]
fn the_result_cache_knows_the_flows_that_its_policy_keeps() {
    let answers = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&answers);
    let program = input_only(0, move |ctx, _| {
        let heard = Rc::clone(&heard);
        async move {
            loop {
                let packet = ctx.receive().await;
                let hit = ctx.recall().await;
                heard.borrow_mut().push((ctx.head().source, hit));
                ctx.discard(packet, DropReason::FirewallRule).await;
            }
        }
    });
    let mut config = small();
    config.result_cache = Some(ResultCacheConfig {
        configuration: Configuration::new(Geometry::new(2, 2).unwrap(), Policy::parse("lru").unwrap()),
        key: Key::parse("src").unwrap(),
        digester: Digester::new(Hash::Crc32c, 32, 1).unwrap(),
        seed: 1,
    });
    let arrivals = [7, 8, 7, 9, 7, 8].map(|flow| arrival(0, 40, flow)).to_vec();
    let worked = work(&config, &program, arrivals);
    let expected = [(7, false), (8, false), (7, true), (9, false), (7, true), (8, false)];
    assert_eq!(*answers.borrow(), expected);
    worked.thread(
        0,
        "0-20 wait result cache
         20-40 wait result cache
         40-60 wait result cache
         60-80 wait result cache
         80-100 wait result cache
         100-120 wait result cache",
    );
    assert_eq!((worked.counts.result_cache, worked.counts.units[3]), (Some((2, 6)), (120, 6)));
}

#[test]
fn a_unit_serves_one_access_after_another() {
    let program = input_only(0, |ctx, _| async move {
        ctx.compute(10);
        ctx.read(Unit::Sram, 4).await;
        ctx.read(Unit::Sram, 20).await;
        rest(ctx).await;
    });
    let worked = work(&with_engine(|e| e.threads = 2), &program, vec![]);
    worked.thread(
        0,
        "0-10 compute
         10-110 wait sram      // busy from 10 to 50
         110-310 wait sram     // 20 words take longer than the latency: busy from 110 to 310",
    );
    worked.thread(
        1,
        "0-10 wait thread slot
         10-20 compute
         20-150 wait sram      // served from 50 to 90, answered 100 after it began
         150-510 wait sram     // served from 310 to 510",
    );
}

#[test]
fn an_engine_takes_its_threads_in_turn_and_pays_for_each_switch() {
    let program = input_only(0, |ctx, n| async move {
        ctx.compute(10);
        ctx.read(Unit::Scratch, 1).await;
        ctx.compute([100, 50, 10][n as usize]);
        ctx.read(Unit::Scratch, 1).await;
        rest(ctx).await;
    });
    let config = with_engine(|e| (e.threads, e.switch_cycles) = (3, 3));
    let worked = work(&config, &program, vec![]);
    worked.thread(
        0,
        "0-10 compute          // the first thread costs no switch
         10-60 wait scratch
         60-160 compute        // nor does one that finds its engine at rest
         160-210 wait scratch
         210-226 wait thread slot
         226-229 compute       // after thread 2: threads go round, the lowest number has no right of way",
    );
    worked.thread(
        1,
        "0-10 wait thread slot
         10-23 compute         // 3 of switch, 10 of its own
         23-73 wait scratch
         73-160 wait thread slot
         160-213 compute
         213-263 wait scratch",
    );
    worked.thread(
        2,
        "0-23 wait thread slot
         23-36 compute
         36-86 wait scratch
         86-213 wait thread slot
         213-226 compute
         226-276 wait scratch",
    );
}

#[test]
fn a_lock_goes_to_the_thread_that_has_waited_longest() {
    // Three engines of one thread; thread 2 asks before thread 1.
    let program = input_only(1, |ctx, n| async move {
        ctx.compute([5, 20, 10][n as usize]);
        ctx.lock(0).await;
        ctx.read(Unit::Scratch, 1).await;
        ctx.unlock(0).await;
        ctx.compute(7);
        rest(ctx).await;
    });
    let worked = work(&with_engine(|e| e.input_engines = 3), &program, vec![]);
    worked.thread(
        0,
        "0-5 compute
         5-55 wait scratch     // with the lock
         55-62 compute         // giving it back does not wait",
    );
    worked.thread(
        2,
        "0-10 compute
         10-55 wait lock
         55-105 wait scratch
         105-112 compute",
    );
    worked.thread(
        1,
        "0-20 compute
         20-105 wait lock
         105-155 wait scratch
         155-162 compute",
    );
}

#[test]
fn a_lock_that_is_handed_over_waits_for_its_new_owner_to_run() {
    // Two threads of one engine: the one that unlocks goes on until it waits.
    let program = input_only(1, |ctx, _| async move {
        ctx.compute(5);
        ctx.lock(0).await;
        ctx.read(Unit::Scratch, 1).await;
        ctx.unlock(0).await;
        ctx.compute(7);
        rest(ctx).await;
    });
    let worked = work(&with_engine(|e| e.threads = 2), &program, vec![]);
    worked.thread(0, "0-5 compute\n5-55 wait scratch\n55-62 compute");
    worked.thread(
        1,
        "0-5 wait thread slot
         5-10 compute
         10-55 wait lock
         55-62 wait thread slot
         62-112 wait scratch
         112-119 compute",
    );
}

// ---- the packet buffer ----

fn forwarding(input_cycles: u32, enqueue_cycles: u32, output_cycles: &'static [u32]) -> Scripted {
    Scripted::new(
        0,
        move |ctx, _| Box::pin(store(ctx, input_cycles, enqueue_cycles)),
        move |ctx, n| Box::pin(send(ctx, output_cycles[n as usize])),
    )
}

/// The output side of one packet of 3 cells from the instant `from` at which it joins its queue, all rows open.
#[test]
fn posted_writes_wait_for_room_and_each_block_for_its_slot() {
    let worked =
        work(&with_engine(|e| e.posted_writes = 2), &forwarding(12, 8, &[20]), vec![arrival(0, 192, 1)]);
    worked.thread(
        0,
        "0-12 compute
         // Cells 0 and 1 are submitted at 12, seen in DRAM cycle 2: ACT 2, WR 4, data 6-14; WR 12, data 14-22.
         12-190 wait dram      // two under way: until cell 0 is done, 140 + 50
         // Cell 2 is seen in cycle 19: WR 20, data 22-30.
         190-270 wait dram     // until cell 1 is done, 220 + 50
         270-350 wait dram     // join: until cell 2 is done, 300 + 50
         350-358 compute",
    );
    worked.thread(
        1,
        "0-358 wait block
         358-378 compute
         378-530 wait dram     // seen in cycle 38: RD 38, data 40-48
         530-660 wait block    // the only slot: 100 of handshake, 30 to drain a cell
         660-680 compute
         680-830 wait dram     // cycle 68, data 70-78
         830-960 wait block
         960-980 compute
         980-1130 wait dram    // cycle 98, data 100-108",
    );
    assert_eq!(worked.left_at, [1130 + 130]);
    assert_eq!(worked.counts.latency.max(), 1260);
    // DRAM: 6 accesses of 8 cycles; only the first waited for its row, 2 to 6; every later one that found the bus at rest
    // waited 2 for its first data.
    assert_eq!(worked.counts.dram.data_cycles, [24, 24]);
    assert_eq!(worked.counts.dram.activates, 1);
    assert_eq!(worked.counts.dram.row_wait_cycles + worked.counts.dram.turnaround_cycles, 4 + 2 + 2 + 2);
    assert_eq!(worked.counts.cells_in_use, 3.0 * (1130.0 - 12.0) / 1260.0);
    assert_eq!(worked.counts.packets_inside, 1.0);
}

#[test]
fn without_posted_writes_every_cell_is_waited_for() {
    let worked = work(&small(), &forwarding(12, 8, &[20]), vec![arrival(0, 192, 1)]);
    worked.thread(
        0,
        "0-12 compute
         12-190 wait dram      // cycle 2: ACT 2, WR 4, data 6-14
         190-340 wait dram     // cycle 19, data 21-29
         340-490 wait dram     // cycle 34, data 36-44; join has nothing left to wait for
         490-498 compute",
    );
}

#[test]
fn blocks_leave_in_order_though_their_cells_arrive_out_of_order() {
    let mut config = with_engine(|e| e.output_engines = 2);
    config.output.slots = 2;
    // Output thread 1 is slow, output thread 2 is fast; both serve the port.
    let worked = work(&config, &forwarding(12, 8, &[200, 20]), vec![arrival(0, 192, 1)]);
    worked.thread(
        1,
        "0-498 wait block
         498-698 compute       // block 0
         698-850 wait dram     // cycle 70, data 72-80
         850-980 wait block    // both slots are taken
         980-1180 compute      // block 2
         1180-1330 wait dram   // cycle 118, data 120-128",
    );
    worked.thread(
        2,
        "0-498 wait block
         498-518 compute       // block 1
         518-670 wait dram     // cycle 52, data 54-62; its slot waits for block 0 until 850",
    );
    assert_eq!(worked.left_at, [1330 + 130]);
}

#[test]
fn a_block_of_several_cells_reads_them_together_and_drains_them_all() {
    let mut config = small();
    config.output.block_cells = 2;
    let worked = work(&config, &forwarding(12, 8, &[20]), vec![arrival(0, 192, 1)]);
    worked.thread(
        1,
        "0-498 wait block
         498-518 compute
         518-750 wait dram     // cells 0 and 1 in cycle 52: data 54-62 and 62-70
         750-910 wait block    // 100 and twice 30
         910-930 compute
         930-1080 wait dram    // the last block has one cell: cycle 93, data 95-103",
    );
    assert_eq!(worked.left_at, [1080 + 130]);
}

#[test]
fn the_two_halves_of_a_header_cell_are_two_accesses_and_one_wait() {
    let program = Scripted::new(
        0,
        |ctx, _| {
            Box::pin(async move {
                let packet = ctx.receive().await;
                ctx.admit(0).await;
                assert!(ctx.allocate(packet, 0).await);
                ctx.write_cell(packet, 0, Source::HeaderAndReceiveBuffer).await;
                ctx.enqueue(packet, 0).await;
                rest(ctx).await;
            })
        },
        |ctx, _| Box::pin(send(ctx, 20)),
    );
    let worked = work(&small(), &program, vec![arrival(0, 60, 1)]);
    // Cycle 0: ACT 0, WR 2, data 4-8; the other 28 bytes 8-12.
    worked.thread(0, "0-170 wait dram");
    assert_eq!(worked.counts.dram.accesses, [1, 2]);
    assert_eq!(worked.counts.dram.bytes, [60, 60]);
}

#[test]
fn an_input_thread_waits_for_room_in_the_queue() {
    let mut config = small();
    config.output.queue_packets = 1;
    let worked = work(&config, &forwarding(10, 0, &[20]), vec![arrival(0, 64, 1), arrival(0, 64, 2)]);
    worked.thread(
        0,
        "0-10 compute
         10-180 wait dram      // cycle 1: ACT 1, WR 3, data 5-13
         180-190 compute       // the second packet
         190-480 wait queue room
         480-630 wait dram     // the same buffer and row: cycle 48, data 50-58",
    );
    worked.thread(
        1,
        "0-180 wait block
         180-200 compute
         200-350 wait dram     // cycle 20, data 22-30; the slot is free and the packet gone at 480
         350-630 wait block
         630-650 compute
         650-800 wait dram     // cycle 65, data 67-75",
    );
    assert_eq!(worked.left_at, [480, 930]);
}

#[test]
fn an_input_thread_waits_for_a_buffer() {
    let mut config = small();
    config.memory.allocator.cells = 32; // one buffer
    let worked = work(&config, &forwarding(10, 0, &[20]), vec![arrival(0, 64, 1), arrival(0, 64, 2)]);
    worked.thread(
        0,
        "0-10 compute
         10-180 wait dram
         180-190 compute
         190-350 wait buffer space     // until the first packet has been read, not until it has left
         350-500 wait dram             // cycle 35, data 37-45",
    );
    assert_eq!(worked.left_at, [480, 500 + 20 + 150 + 130]);
}

#[test]
fn a_receive_buffer_that_is_full_drops_what_comes() {
    let mut config = small();
    config.receive = ReceiveConfig { mode: ReceiveMode::Paced { buffer_cells: 3 }, ..config.receive };
    // The thread takes the first packet at once and is busy until 30 + 180. Cells in the buffer after each arrival:
    // 0 (taken), 2, 2 (2 more do not fit), 3.
    let arrivals = vec![arrival(30, 64, 1), arrival(31, 128, 2), arrival(32, 65, 3), arrival(33, 1, 4)];
    let worked = work(&config, &forwarding(10, 0, &[20]), arrivals);
    assert_eq!(worked.counts.drops[DropReason::ReceiveBufferFull as usize], 1);
    assert_eq!((worked.counts.packets_in, worked.counts.packets_out), (4, 3));
    assert_eq!(worked.counts.bytes_out, 64 + 128 + 1);
    worked.thread(
        0,
        "0-30 wait packet
         30-40 compute
         40-210 wait dram      // cycle 4: ACT 4, WR 6, data 8-16
         210-220 compute       // the packet of two cells
         220-370 wait dram
         370-530 wait dram     // the output side reads in between: cycle 37, but the bus is busy until 40; data 40-48
         530-540 compute       // the packet of one byte; the one before it was dropped
         540-620 wait dram",
    );
}

/// The bus between MACs and chip takes 40 for a cell, whichever way it goes.
#[test]
fn cells_cross_the_bus_one_after_another() {
    let program = input_only(0, |ctx, _| async move {
        loop {
            let packet = ctx.receive().await;
            ctx.compute(10);
            ctx.depart(packet).await;
        }
    });
    let mut config = with_engine(|e| e.threads = 2);
    let mode = ReceiveMode::Paced { buffer_cells: 8 };
    config.receive = ReceiveConfig { ports: 2, bus_cell_ps: 40_000, mode, ..config.receive };
    let mut arrivals = vec![arrival(0, 128, 1), arrival(10, 64, 2)];
    arrivals[1].flow_hash = 1;
    let worked = work(&config, &program, arrivals);
    // Two cells until 80, then the other thread's one until 120.
    worked
        .thread(0, "0-80 wait fifo\n80-90 compute")
        .thread(1, "0-10 wait packet\n10-120 wait fifo\n120-130 compute");
    assert_eq!((worked.left_at, worked.counts.bus), (vec![90, 130], 120));
}

#[test]
fn a_fast_port_gets_ten_times_the_traffic() {
    let program = input_only(0, |ctx, thread| async move {
        loop {
            let packet = ctx.receive().await;
            assert_eq!(thread, if ctx.head().source < 3 { ctx.head().source } else { 3 });
            ctx.depart(packet).await;
        }
    });
    let mut config = with_engine(|e| e.threads = 4);
    let mode = ReceiveMode::Paced { buffer_cells: 8 };
    config.receive = ReceiveConfig { ports: 4, fast_ports: 1, mode, ..config.receive };
    let flow = |share: u32| Arrival { flow_hash: share, ..arrival(u64::from(share) * 100, 64, share) };
    let worked = work(&config, &program, (0..13).map(flow).collect());
    assert_eq!(worked.counts.packets_out, 13);
}

// ---- the wide path ----

/// Blocks of 2 cells, room for 2 blocks in each cache, 20 to move a cell.
fn wide() -> MachineConfig {
    let base = small();
    let allocator = AllocatorConfig { kind: AllocatorKind::PerQueue, ..base.memory.allocator.clone() };
    let path = BufferPath::Wide { block_cells: 2, blocks: 2, cell_ps: 20_000 };
    MachineConfig { memory: MemoryConfig { allocator, path, ..base.memory.clone() }, ..base }
}

#[test]
fn a_full_block_goes_through_dram_in_one_access_each_way() {
    let worked = work(&wide(), &forwarding(10, 0, &[20]), vec![arrival(0, 128, 1)]);
    worked.thread(
        0,
        "0-10 compute
         10-30 wait dram       // cell 0 into the cache
         30-50 wait dram       // cell 1; the block is full: cycle 3, ACT 3, WR 5, data 7-23",
    );
    worked.thread(
        1,
        "0-50 wait block
         50-70 compute
         70-230 wait dram      // the block has been written: it looks again, in vain
         230-410 wait dram     // read back from cycle 23 on, data 25-41
         410-430 wait dram     // cell 0 from the cache
         430-560 wait block
         560-580 compute
         580-600 wait dram     // cell 1 is in the output cache already",
    );
    assert_eq!(worked.left_at, [600 + 130]);
    assert_eq!(worked.counts.dram.accesses, [1, 1]);
    assert_eq!(worked.counts.dram.bytes, [128, 128]);
    assert_eq!(worked.counts.wide_blocks, Some((0, 1)));
}

#[test]
fn a_block_that_nothing_will_fill_is_handed_over_inside_the_chip() {
    let worked = work(&wide(), &forwarding(10, 0, &[20]), vec![arrival(0, 64, 1)]);
    worked.thread(0, "0-10 compute\n10-30 wait dram");
    worked.thread(
        1,
        "0-30 wait block
         30-50 compute
         50-70 wait dram       // the cell moves from cache to cache, without DRAM",
    );
    assert_eq!(worked.left_at, [70 + 130]);
    assert_eq!(worked.counts.wide_blocks, Some((1, 0)));
    assert_eq!(worked.counts.dram.accesses, [0, 0]);
}

#[test]
fn the_output_side_takes_its_ports_in_turn() {
    // One output thread, two ports; both have two packets of one cell before it begins to send.
    let mut config = small();
    config.output = OutputConfig { ports: 2, slots: 2, ..config.output };
    async fn by_number(ctx: Ctx) {
        loop {
            let packet = ctx.receive().await;
            let queue = (ctx.head().source / 2) as u16;
            ctx.admit(queue).await;
            assert!(ctx.allocate(packet, queue).await);
            ctx.write_cell(packet, 0, Source::ReceiveBuffer).await;
            ctx.enqueue(packet, queue).await;
        }
    }
    let program = Scripted::new(0, |ctx, _| Box::pin(by_number(ctx)), |ctx, _| Box::pin(send(ctx, 2000)));
    let arrivals = (0..4).map(|n| arrival(0, 64, n)).collect();
    let mut machine = Machine::new(&config, &program, traffic(arrivals), Steps::default()).unwrap();
    let left = departures(&mut machine);
    assert_eq!(machine.run(TO_THE_END, &mut on), Outcome::TrafficEnded);
    let order: Vec<(u16, u32)> = left.borrow().iter().map(|d| (d.output_port, d.head.source)).collect();
    assert_eq!(order, [(0, 0), (1, 2), (0, 1), (1, 3)]);
}
