// Chooses the first request at or after a position, around the end.
module rotating_pick #(
    parameter N = 32,
    parameter LOG_N = 5
) (
    input  logic [N-1:0]     request,
    input  logic [LOG_N-1:0] from,
    output logic             any,
    output logic [LOG_N-1:0] index
);
    logic [N-1:0] ahead;
    logic [N-1:0] chosen;
    logic [N-1:0] first;

    assign any    = |request;
    assign ahead  = request & ({N{1'b1}} << from);
    assign chosen = (|ahead) ? ahead : request;
    assign first  = chosen & (~chosen + {{(N - 1) {1'b0}}, 1'b1});

    integer i;
    always_comb begin
        index = {LOG_N{1'b0}};
        for (i = 0; i < N; i = i + 1) begin
            if (first[i]) index = index | i[LOG_N-1:0];
        end
    end
endmodule
