// The request buffer: a circular buffer of commands (Kumar 2006, section 5.6).
//
// A command enters at the tail and leaves its place when it is answered, so places become free out of order; the buffer
// is full when the place at the tail is taken. From the tail on, around, places stand from old to young.
module request_register_array #(
    parameter N = 32,
    parameter LOG_N = 5,
    parameter QUEUE_BITS = 16,
    parameter PACKET_BITS = 32,
    parameter THREAD_BITS = 5
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic                     in_valid,
    output logic                     in_ready,
    input  logic                     in_dequeue,
    input  logic [QUEUE_BITS-1:0]    in_queue,
    input  logic [PACKET_BITS-1:0]   in_packet,
    input  logic [THREAD_BITS-1:0]   in_thread,
    input  logic                     leave,
    input  logic [LOG_N-1:0]         leave_slot,
    output logic [LOG_N-1:0]         tail,
    output logic [N-1:0]             valid,
    output logic [N-1:0]             dequeues,
    output logic [N*QUEUE_BITS-1:0]  queues,
    output logic [N*PACKET_BITS-1:0] packets,
    output logic [N*THREAD_BITS-1:0] threads
);
    assign in_ready = ~valid[tail];

    always_ff @(posedge clk) begin
        if (rst) tail <= {LOG_N{1'b0}};
        else if (in_valid && in_ready) tail <= tail + 1'b1;
    end

    genvar g;
    generate
        for (g = 0; g < N; g = g + 1) begin : place
            localparam [LOG_N-1:0] HERE = g[LOG_N-1:0];
            wire enter = in_valid & in_ready & (tail == HERE);

            always_ff @(posedge clk) begin
                if (rst) valid[g] <= 1'b0;
                else if (enter) valid[g] <= 1'b1;
                else if (leave && leave_slot == HERE) valid[g] <= 1'b0;
            end
            always_ff @(posedge clk) begin
                if (enter) begin
                    dequeues[g] <= in_dequeue;
                    queues[g*QUEUE_BITS+:QUEUE_BITS] <= in_queue;
                    packets[g*PACKET_BITS+:PACKET_BITS] <= in_packet;
                    threads[g*THREAD_BITS+:THREAD_BITS] <= in_thread;
                end
            end
        end
    endgenerate
endmodule
