// One of the two cross connects (Kumar 2006, Table 6): from the cache array to where pointers are used.
//
// Pointers of the entries that are evicted, that a link reference needs and that answer a dequeue.
module cache_cross_connect #(
    parameter E = 32,
    parameter LOG_E = 5,
    parameter PACKET_BITS = 32
) (
    input  logic [E*PACKET_BITS-1:0] pointers,
    input  logic [LOG_E-1:0]         take_entry,
    output logic [PACKET_BITS-1:0]   take_pointer,
    input  logic [LOG_E-1:0]         ask_entry,
    output logic [PACKET_BITS-1:0]   ask_pointer,
    input  logic [LOG_E-1:0]         answer_entry,
    output logic [PACKET_BITS-1:0]   answer_pointer
);
    assign take_pointer   = pointers[take_entry*PACKET_BITS+:PACKET_BITS];
    assign ask_pointer    = pointers[ask_entry*PACKET_BITS+:PACKET_BITS];
    assign answer_pointer = pointers[answer_entry*PACKET_BITS+:PACKET_BITS];
endmodule
