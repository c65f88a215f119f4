//! drr, against the algorithm on plain queues, and by its guarantees: order in a flow, fairness, and no packet lost.

use super::kit::{Program, UDP, flow_hash, of_flow};
use linecard_sim::{Stream, stream};
use std::collections::VecDeque;

/// Shreedhar and Varghese 1995, section 3.2.
struct Model {
    quantum: usize,
    backlog: usize,
    queues: Vec<VecDeque<(usize, u32)>>,
    deficits: Vec<usize>,
    /// Queues with packets; the first one has its turn, and `granted` is whether it has received its quantum for it.
    active: VecDeque<usize>,
    granted: bool,
    arrived: u32,
    waiting: usize,
}

impl Model {
    fn packet(&mut self, queue: usize, bytes: usize) -> u32 {
        self.arrived += 1;
        self.waiting += 1;
        self.queues[queue].push_back((bytes, self.arrived));
        if self.queues[queue].len() == 1 {
            self.active.push_back(queue);
        }
        if self.waiting > self.backlog { self.send() } else { 0 }
    }

    fn send(&mut self) -> u32 {
        loop {
            let queue = self.active[0];
            if !self.granted {
                self.granted = true;
                self.deficits[queue] += self.quantum;
            }
            let (bytes, number) = self.queues[queue][0];
            if bytes > self.deficits[queue] {
                self.granted = false;
                self.active.rotate_left(1);
                continue;
            }
            self.deficits[queue] -= bytes;
            self.queues[queue].pop_front();
            self.waiting -= 1;
            if self.queues[queue].is_empty() {
                self.deficits[queue] = 0;
                self.granted = false;
                self.active.pop_front();
            }
            return number;
        }
    }
}

#[test]
fn packets_leave_as_the_algorithm_says() {
    for round in 0..20 {
        let mut draw = stream(round, "arrivals");
        let pick = |draw: &mut Stream, of: [usize; 3]| of[draw.below(3) as usize];
        let queues = pick(&mut draw, [1, 4, 64]);
        let quantum = pick(&mut draw, [64, 500, 1500]);
        let backlog = pick(&mut draw, [0, 10, 100]);
        let control = format!("queues {queues}\nquantum {quantum}\nbacklog {backlog}\n");
        let mut program = Program::new("drr", control.as_bytes());
        let mut model = Model {
            quantum,
            backlog,
            queues: vec![VecDeque::new(); queues],
            deficits: vec![0; queues],
            active: VecDeque::new(),
            granted: false,
            arrived: 0,
            waiting: 0,
        };
        for _ in 0..3000 {
            let (src, port) = (draw.below(9), 1 + draw.below(4) as u16);
            let packet = of_flow(src, 3, UDP, (1, port), [0, 12, 100, 1472][draw.below(4) as usize]);
            let queue = flow_hash(src, 3, UDP, (1, port)) as usize % queues;
            assert_eq!(program.packet(&packet), model.packet(queue, packet.len()), "{control}");
            assert_eq!(program.locks, 2);
        }
    }
}

#[test]
fn backlogged_flows_get_equal_bytes_in_order_and_nothing_is_lost() {
    // Three flows with packets of 100, 700 and 1500 bytes, each always backlogged: the bytes that two of them have sent
    // never differ by more than a quantum and two largest packets (Lemma 2 and Theorem 1 of the paper).
    let (quantum, largest) = (1500, 1500);
    let mut program = Program::new("drr", b"queues 64\nquantum 1500\nbacklog 600\n");
    let sizes = [100, 700, 1500];
    let numbers: Vec<usize> = (0..3).map(|src| flow_hash(src, 3, UDP, (1, 2)) as usize % 64).collect();
    assert!(
        numbers[0] != numbers[1] && numbers[1] != numbers[2] && numbers[0] != numbers[2],
        "queues of their own"
    );
    let mut arrived: Vec<(usize, bool)> = vec![(0, true)];
    let mut waiting = [0u32; 3];
    let mut sent_bytes = [0i64; 3];
    let mut last_sent = [0u32; 3];
    let mut next = 0;
    for arrival in 0..20_000u32 {
        // The flow with the fewest waiting packets sends the next one, so that no flow runs dry.
        let flow = if arrival < 600 {
            next = (next + 1) % 3;
            next
        } else {
            (0..3).min_by_key(|&flow| waiting[flow]).expect("three")
        };
        arrived.push((flow, false));
        waiting[flow] += 1;
        let number = program.packet(&of_flow(flow as u32, 3, UDP, (1, 2), sizes[flow] - 28));
        assert_eq!(number == 0, arrival < 600, "one leaves for each that arrives once 600 wait");
        if number == 0 {
            continue;
        }
        let (of, gone) = &mut arrived[number as usize];
        assert!(!*gone, "packet {number} leaves once");
        *gone = true;
        assert!(number > last_sent[*of], "in the order of the flow");
        last_sent[*of] = number;
        waiting[*of] -= 1;
        sent_bytes[*of] += sizes[*of] as i64;
        assert!(waiting.iter().all(|&count| count > 0), "all stay backlogged");
        let (most, least) =
            (sent_bytes.iter().max().expect("three"), sent_bytes.iter().min().expect("three"));
        assert!(most - least <= quantum + 2 * largest, "{sent_bytes:?} after {arrival}");
    }
    let left = arrived.iter().filter(|(_, gone)| !gone).count();
    assert_eq!(left, 600, "what has not left still waits");
}
