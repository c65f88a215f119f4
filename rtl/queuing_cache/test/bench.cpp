// Replays vectors of the Rust model on the queuing cache and compares every answer.
//
//   bench VECTORS SEED RESPONSE_STALL MEMORY_STALL LATENCY
//
// VECTORS holds little-endian words: the number of queues, the number of nodes, then two for each operation: queue x 2, and
// one more for a dequeue; the packet that is enqueued, or the answer that a dequeue must give, all ones when the queue is
// empty. Stalls are in percent of clocks in which the port takes nothing; LATENCY is the most clocks that memory takes, each
// reference drawing its own, so that what comes back comes in any order. Commands are held back in the same way.
//
// Memory takes references in order and each takes effect at once, as the block asks. Ends with status 1 at the first answer
// that differs, and when nothing moves any more.
#include "Vqueuing_cache.h"
#include "verilated.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

namespace {

constexpr uint32_t NIL = 0xffffffffu;
constexpr int THREADS = 32;

uint64_t state;
uint32_t draw() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<uint32_t>(state >> 32);
}
bool percent(unsigned share) { return draw() % 100 < share; }

struct Pending {
    uint64_t at;
    uint32_t engine, data;
};

[[noreturn]] void fail(const char* what, uint64_t clock, uint64_t operation, uint32_t found, uint32_t expected) {
    std::printf("FAILED: %s at clock %llu, operation %llu: found %08x, expected %08x\n", what,
                static_cast<unsigned long long>(clock), static_cast<unsigned long long>(operation), found, expected);
    std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: bench VECTORS SEED RESPONSE_STALL MEMORY_STALL LATENCY\n");
        return 2;
    }
    std::vector<uint32_t> words;
    if (FILE* file = std::fopen(argv[1], "rb")) {
        uint32_t word;
        while (std::fread(&word, 4, 1, file) == 1) words.push_back(word);
        std::fclose(file);
    }
    if (words.size() < 4 || words.size() % 2) {
        std::fprintf(stderr, "%s: found %zu words, expected vectors\n", argv[1], words.size());
        return 2;
    }
    state = 0x9e3779b97f4a7c15ull ^ std::strtoull(argv[2], nullptr, 10);
    const unsigned response_stall = std::strtoul(argv[3], nullptr, 10);
    const unsigned memory_stall = std::strtoul(argv[4], nullptr, 10);
    const unsigned latency = std::strtoul(argv[5], nullptr, 10);
    const uint32_t queues = words[0], nodes = words[1];
    const uint64_t operations = words.size() / 2 - 1;

    // Every queue begins with a node of its own in front, and no packet behind it.
    std::vector<uint32_t> descriptors(queues * 2), links(nodes, NIL);
    for (uint32_t word = 0; word < queues * 2; ++word) descriptors[word] = word / 2;

    Vqueuing_cache dut;
    std::vector<Pending> pending;
    std::vector<int64_t> operation_of(THREADS, -1);
    uint64_t next = 0, done = 0, clock = 0, last_move = 0, posted = 0, references = 0;
    std::vector<uint64_t> since(THREADS, 0);
    uint64_t shortest = ~0ull;

    dut.rst = 1;
    dut.clk = 0;
    dut.request_valid = dut.response_ready = dut.memory_ready = dut.back_valid = 0;
    for (int edge = 0; edge < 4; ++edge) {
        dut.clk = !dut.clk;
        dut.eval();
    }
    dut.rst = 0;

    int offered = -1;
    while (done < operations) {
        dut.clk = 0;
        if (offered < 0 && next < operations && !percent(response_stall / 2)) {
            for (int thread = 0; thread < THREADS && offered < 0; ++thread) {
                if (operation_of[thread] < 0) offered = thread;
            }
        }
        const uint32_t word = next < operations ? words[2 + next * 2] : 0;
        const uint32_t packet = next < operations ? words[3 + next * 2] : 0;
        dut.request_valid = offered >= 0;
        dut.request_dequeue = word & 1;
        dut.request_queue = word >> 1;
        dut.request_packet = (word & 1) ? draw() : packet;
        dut.request_thread = offered < 0 ? 0 : offered;
        dut.response_ready = !percent(response_stall);
        dut.memory_ready = !percent(memory_stall);
        dut.back_valid = 0;
        size_t back = pending.size();
        for (size_t at = 0; at < pending.size(); ++at) {
            if (pending[at].at <= clock && (back == pending.size() || pending[at].at < pending[back].at)) back = at;
        }
        if (back < pending.size()) {
            dut.back_valid = 1;
            dut.back_engine = pending[back].engine;
            dut.back_data = pending[back].data;
            pending[back] = pending.back();
            pending.pop_back();
        }
        dut.eval();

        // What moves at this edge.
        if (dut.request_valid && dut.request_ready) {
            if (!(word & 1)) links[packet] = NIL;  // whoever enqueues has cleared the link
            operation_of[offered] = static_cast<int64_t>(next++);
            since[offered] = clock;
            offered = -1;
            last_move = clock;
        }
        if (dut.memory_valid && dut.memory_ready) {
            const uint32_t address = dut.memory_address;
            auto& memory = dut.memory_link ? links : descriptors;
            if (address >= memory.size()) fail("address beyond memory", clock, done, address, 0);
            ++references;
            if (dut.memory_write) memory[address] = dut.memory_data;
            if (dut.memory_posted) {
                ++posted;
            } else {
                pending.push_back({clock + 1 + (latency ? draw() % latency : 0), dut.memory_engine, memory[address]});
            }
            last_move = clock;
        }
        if (dut.response_valid && dut.response_ready) {
            const int thread = dut.response_thread;
            const int64_t operation = operation_of[thread];
            if (operation < 0) fail("answer to a thread that waits for none", clock, done, thread, 0);
            const uint32_t asked = words[2 + operation * 2], expected = words[3 + operation * 2];
            if (asked & 1) {
                const uint32_t found = dut.response_empty ? NIL : dut.response_packet;
                if (found != expected) fail("packet", clock, operation, found, expected);
            } else if (dut.response_empty) {
                fail("an enqueue is answered as empty", clock, operation, 1, 0);
            }
            operation_of[thread] = -1;
            shortest = std::min(shortest, clock - since[thread]);
            ++done;
            last_move = clock;
        }
        dut.clk = 1;
        dut.eval();
        ++clock;
        if (clock - last_move > 100000) fail("nothing moves", clock, done, 0, 0);
    }
    std::printf("%llu operations, %llu clocks, %llu references of which %llu written back, shortest answer %llu clocks: "
                "no mismatch\n",
                static_cast<unsigned long long>(done), static_cast<unsigned long long>(clock),
                static_cast<unsigned long long>(references), static_cast<unsigned long long>(posted),
                static_cast<unsigned long long>(shortest));
    return 0;
}
