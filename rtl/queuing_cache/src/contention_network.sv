// Which requests may start: those whose queue has no older request in the buffer (Kumar 2006, section 5.6).
//
// Every request is compared with every other. A request in service stays in the buffer until it is answered, so it keeps
// the younger ones of its queue back: each queue is served in order, one request after the other. Of those that may
// start, the oldest is chosen.
module contention_network #(
    parameter N = 32,
    parameter LOG_N = 5,
    parameter QUEUE_BITS = 16
) (
    input  logic [N-1:0]            valid,
    input  logic [N-1:0]            in_service,
    input  logic [LOG_N-1:0]        tail,
    input  logic [N*QUEUE_BITS-1:0] queues,
    output logic                    any,
    output logic [LOG_N-1:0]        chosen
);
    // Whether a place is not before the tail: those are older than all before it.
    logic [N-1:0] beyond;
    logic [N-1:0] eligible;
    wire [N*N-1:0] holds;

    genvar i, j;
    generate
        for (i = 0; i < N; i = i + 1) begin : row
            localparam [LOG_N-1:0] HERE = i[LOG_N-1:0];
            // The last place is beyond any tail: true by construction.
            /* verilator lint_off CMPCONST */
            assign beyond[i] = HERE >= tail;
            /* verilator lint_on CMPCONST */
            assign holds[i*N+i] = 1'b0;
            for (j = 0; j < i; j = j + 1) begin : column
                wire same = queues[i*QUEUE_BITS+:QUEUE_BITS] == queues[j*QUEUE_BITS+:QUEUE_BITS];
                // j stands before i, so it is the older one unless only i is beyond the tail.
                wire j_older = ~(beyond[i] & ~beyond[j]);
                assign holds[i*N+j] = same & valid[j] & j_older;
                assign holds[j*N+i] = same & valid[i] & ~j_older;
            end
            assign eligible[i] = valid[i] & ~in_service[i] & ~(|holds[i*N+:N]);
        end
    endgenerate

    rotating_pick #(
        .N(N),
        .LOG_N(LOG_N)
    ) oldest (
        .request(eligible),
        .from(tail),
        .any(any),
        .index(chosen)
    );
endmodule
