// The queuing cache of Kumar and Crowley (2006): enqueue and dequeue as one command each.
//
// Queues are linked lists in memory. A descriptor is two words, the head and the tail pointer; every queue keeps one node in
// front of its packets, the last one that left, to which the head points. An enqueue writes the packet's address into the
// link of the tail's node and moves the tail; a dequeue reads the link of the head's node, answers it and moves the head. A
// link of all ones is the end of a list: the dequeue answers that the queue is empty. Whoever enqueues a packet has cleared
// its link before, and may use a node again when the next packet of its queue has left.
//
// Requests are accepted in order; the requests of a queue are carried out in that order, those of different queues in any.
// The memory port takes references in order, and each takes effect in that order; what comes back may come in any.
module queuing_cache #(
    parameter SLOTS = 32,
    parameter LOG_SLOTS = 5,
    parameter ENGINES = 32,
    parameter LOG_ENGINES = 5,
    parameter ENTRIES = 32,
    parameter LOG_ENTRIES = 5,
    parameter QUEUE_BITS = 16,
    parameter PACKET_BITS = 32,
    parameter THREAD_BITS = 5
) (
    input  logic                   clk,
    input  logic                   rst,
    // Commands.
    input  logic                   request_valid,
    output logic                   request_ready,
    input  logic                   request_dequeue,
    input  logic [QUEUE_BITS-1:0]  request_queue,
    input  logic [PACKET_BITS-1:0] request_packet,
    input  logic [THREAD_BITS-1:0] request_thread,
    // Answers; a packet only for a dequeue that is not empty.
    output logic                   response_valid,
    input  logic                   response_ready,
    output logic [THREAD_BITS-1:0] response_thread,
    output logic                   response_empty,
    output logic [PACKET_BITS-1:0] response_packet,
    // References: to a link by node, or to a descriptor word by queue and end (0 head, 1 tail). Nothing comes back for a
    // posted write.
    output logic                   memory_valid,
    input  logic                   memory_ready,
    output logic                   memory_write,
    output logic                   memory_posted,
    output logic                   memory_link,
    output logic [PACKET_BITS-1:0] memory_address,
    output logic [PACKET_BITS-1:0] memory_data,
    output logic [LOG_ENGINES-1:0] memory_engine,
    input  logic                   back_valid,
    input  logic [LOG_ENGINES-1:0] back_engine,
    input  logic [PACKET_BITS-1:0] back_data
);
    localparam TAG_BITS = QUEUE_BITS + 1;
    localparam PAD_BITS = PACKET_BITS - TAG_BITS;

    logic [LOG_SLOTS-1:0] tail;
    logic [SLOTS-1:0] valid;
    logic [SLOTS-1:0] in_service;
    logic [SLOTS-1:0] dequeues;
    logic [SLOTS*QUEUE_BITS-1:0] queues;
    logic [SLOTS*PACKET_BITS-1:0] packets;
    logic [SLOTS*THREAD_BITS-1:0] threads;

    logic any, idle_at_token, take, take_dequeue, hit, victim_dirty, evict;
    logic [LOG_SLOTS-1:0] take_slot;
    logic [QUEUE_BITS-1:0] take_queue;
    logic [LOG_ENTRIES-1:0] take_entry;
    logic [TAG_BITS-1:0] victim_tag;
    logic [PACKET_BITS-1:0] take_pointer;

    logic ask, ask_load, ask_dequeue, granted;
    logic [LOG_ENGINES-1:0] ask_engine;
    logic [LOG_SLOTS-1:0] ask_slot;
    logic [LOG_ENTRIES-1:0] ask_entry;
    logic [QUEUE_BITS-1:0] ask_queue;
    logic [PACKET_BITS-1:0] ask_packet, ask_pointer;

    logic back_link, back_dequeue, back_nil, update;
    logic [LOG_SLOTS-1:0] back_slot;
    logic [LOG_ENTRIES-1:0] back_entry;
    logic [PACKET_BITS-1:0] back_packet, update_packet;

    logic answer_dequeue, answered;
    logic [LOG_SLOTS-1:0] answer_slot;
    logic [LOG_ENTRIES-1:0] answer_entry;
    logic [PACKET_BITS-1:0] answer_pointer;
    logic answer_empty;

    logic [ENTRIES*PACKET_BITS-1:0] pointers;

    // A request is taken when the token is at an idle engine and, should a changed pointer have to leave, memory takes it.
    assign evict = any & idle_at_token & ~hit & victim_dirty;
    assign take = any & idle_at_token & (~evict | memory_ready);

    // The memory port: an eviction goes first, then the engine whose turn it is.
    assign granted = memory_ready & ~evict;
    assign memory_valid = evict | ask;
    assign memory_posted = evict;
    assign memory_write = evict | (~ask_load & ~ask_dequeue);
    assign memory_link = ~evict & ~ask_load;
    assign memory_engine = ask_engine;
    assign memory_data = evict ? take_pointer : ask_packet;
    assign memory_address = evict ? {{PAD_BITS{1'b0}}, victim_tag}
                          : ask_load ? {{PAD_BITS{1'b0}}, ask_queue, ~ask_dequeue}
                          : ask_pointer;

    // What comes back: a pointer that was loaded, the link behind the head, or that a link was written.
    assign back_nil = back_link & back_dequeue & (&back_data);
    assign update = back_valid & ~back_nil;
    assign update_packet = (back_link & ~back_dequeue) ? back_packet : back_data;

    assign answered = response_ready;
    assign response_empty = answer_dequeue & answer_empty;
    assign response_packet = answer_pointer;

    request_register_array #(
        .N(SLOTS),
        .LOG_N(LOG_SLOTS),
        .QUEUE_BITS(QUEUE_BITS),
        .PACKET_BITS(PACKET_BITS),
        .THREAD_BITS(THREAD_BITS)
    ) requests (
        .clk(clk),
        .rst(rst),
        .in_valid(request_valid),
        .in_ready(request_ready),
        .in_dequeue(request_dequeue),
        .in_queue(request_queue),
        .in_packet(request_packet),
        .in_thread(request_thread),
        .leave(response_valid & response_ready),
        .leave_slot(answer_slot),
        .tail(tail),
        .valid(valid),
        .dequeues(dequeues),
        .queues(queues),
        .packets(packets),
        .threads(threads)
    );

    contention_network #(
        .N(SLOTS),
        .LOG_N(LOG_SLOTS),
        .QUEUE_BITS(QUEUE_BITS)
    ) contention (
        .valid(valid),
        .in_service(in_service),
        .tail(tail),
        .queues(queues),
        .any(any),
        .chosen(take_slot)
    );

    queuing_engine_array #(
        .K(ENGINES),
        .LOG_K(LOG_ENGINES),
        .LOG_N(LOG_SLOTS),
        .LOG_E(LOG_ENTRIES),
        .N(SLOTS)
    ) engines (
        .clk(clk),
        .rst(rst),
        .idle_at_token(idle_at_token),
        .take(take),
        .take_slot(take_slot),
        .take_entry(take_entry),
        .take_hit(hit),
        .in_service(in_service),
        .ask(ask),
        .ask_load(ask_load),
        .ask_engine(ask_engine),
        .ask_slot(ask_slot),
        .ask_entry(ask_entry),
        .granted(granted),
        .back(back_valid),
        .back_engine(back_engine),
        .back_nil(back_nil),
        .back_link(back_link),
        .back_slot(back_slot),
        .back_entry(back_entry),
        .answer(response_valid),
        .answer_empty(answer_empty),
        .answer_slot(answer_slot),
        .answer_entry(answer_entry),
        .answered(answered)
    );

    cache_array #(
        .E(ENTRIES),
        .LOG_E(LOG_ENTRIES),
        .TAG_BITS(TAG_BITS),
        .PACKET_BITS(PACKET_BITS)
    ) cache (
        .clk(clk),
        .rst(rst),
        .tag({take_queue, ~take_dequeue}),
        .take(take),
        .hit(hit),
        .entry(take_entry),
        .victim_dirty(victim_dirty),
        .victim_tag(victim_tag),
        .update(update),
        .update_entry(back_entry),
        .update_dirty(back_link),
        .update_packet(update_packet),
        .release_entry(response_valid & response_ready),
        .released(answer_entry),
        .pointers(pointers)
    );

    request_cross_connect #(
        .N(SLOTS),
        .LOG_N(LOG_SLOTS),
        .QUEUE_BITS(QUEUE_BITS),
        .PACKET_BITS(PACKET_BITS),
        .THREAD_BITS(THREAD_BITS)
    ) request_connect (
        .dequeues(dequeues),
        .queues(queues),
        .packets(packets),
        .threads(threads),
        .take_slot(take_slot),
        .take_queue(take_queue),
        .take_dequeue(take_dequeue),
        .ask_slot(ask_slot),
        .ask_queue(ask_queue),
        .ask_dequeue(ask_dequeue),
        .ask_packet(ask_packet),
        .back_slot(back_slot),
        .back_dequeue(back_dequeue),
        .back_packet(back_packet),
        .answer_slot(answer_slot),
        .answer_dequeue(answer_dequeue),
        .answer_thread(response_thread)
    );

    cache_cross_connect #(
        .E(ENTRIES),
        .LOG_E(LOG_ENTRIES),
        .PACKET_BITS(PACKET_BITS)
    ) cache_connect (
        .pointers(pointers),
        .take_entry(take_entry),
        .take_pointer(take_pointer),
        .ask_entry(ask_entry),
        .ask_pointer(ask_pointer),
        .answer_entry(answer_entry),
        .answer_pointer(answer_pointer)
    );
endmodule
