// One of the two cross connects (Kumar 2006, Table 6): from the request buffer to where requests are used.
//
// Fields of the requests that are taken, that use the memory port, that come back from memory and that are answered.
module request_cross_connect #(
    parameter N = 32,
    parameter LOG_N = 5,
    parameter QUEUE_BITS = 16,
    parameter PACKET_BITS = 32,
    parameter THREAD_BITS = 5
) (
    input  logic [N-1:0]             dequeues,
    input  logic [N*QUEUE_BITS-1:0]  queues,
    input  logic [N*PACKET_BITS-1:0] packets,
    input  logic [N*THREAD_BITS-1:0] threads,
    input  logic [LOG_N-1:0]         take_slot,
    output logic [QUEUE_BITS-1:0]    take_queue,
    output logic                     take_dequeue,
    input  logic [LOG_N-1:0]         ask_slot,
    output logic [QUEUE_BITS-1:0]    ask_queue,
    output logic                     ask_dequeue,
    output logic [PACKET_BITS-1:0]   ask_packet,
    input  logic [LOG_N-1:0]         back_slot,
    output logic                     back_dequeue,
    output logic [PACKET_BITS-1:0]   back_packet,
    input  logic [LOG_N-1:0]         answer_slot,
    output logic                     answer_dequeue,
    output logic [THREAD_BITS-1:0]   answer_thread
);
    assign take_queue     = queues[take_slot*QUEUE_BITS+:QUEUE_BITS];
    assign take_dequeue   = dequeues[take_slot];
    assign ask_queue      = queues[ask_slot*QUEUE_BITS+:QUEUE_BITS];
    assign ask_dequeue    = dequeues[ask_slot];
    assign ask_packet     = packets[ask_slot*PACKET_BITS+:PACKET_BITS];
    assign back_dequeue   = dequeues[back_slot];
    assign back_packet    = packets[back_slot*PACKET_BITS+:PACKET_BITS];
    assign answer_dequeue = dequeues[answer_slot];
    assign answer_thread  = threads[answer_slot*THREAD_BITS+:THREAD_BITS];
endmodule
