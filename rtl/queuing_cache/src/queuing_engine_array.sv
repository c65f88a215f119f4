// The engines: each carries one request through its steps (Kumar 2006, section 5.6).
//
// A token is at one engine every clock; an idle engine that has it takes the request that the contention network offers.
// On a miss the engine reads the pointer into its entry; the eviction left in the clock in which the request was taken. It
// then does the link reference, and asks for the response port. One engine uses the memory port in a clock, and one the
// response port.
module queuing_engine_array #(
    parameter K = 32,
    parameter LOG_K = 5,
    parameter LOG_N = 5,
    parameter LOG_E = 5,
    parameter N = 32
) (
    input  logic             clk,
    input  logic             rst,
    // Taking a request.
    output logic             idle_at_token,
    input  logic             take,
    input  logic [LOG_N-1:0] take_slot,
    input  logic [LOG_E-1:0] take_entry,
    input  logic             take_hit,
    // Requests in service, by place of the buffer.
    output logic [N-1:0]     in_service,
    // The memory port.
    output logic             ask,
    output logic             ask_load,
    output logic [LOG_K-1:0] ask_engine,
    output logic [LOG_N-1:0] ask_slot,
    output logic [LOG_E-1:0] ask_entry,
    input  logic             granted,
    // What comes back from memory.
    input  logic             back,
    input  logic [LOG_K-1:0] back_engine,
    input  logic             back_nil,
    output logic             back_link,
    output logic [LOG_N-1:0] back_slot,
    output logic [LOG_E-1:0] back_entry,
    // The response port.
    output logic             answer,
    output logic             answer_empty,
    output logic [LOG_N-1:0] answer_slot,
    output logic [LOG_E-1:0] answer_entry,
    input  logic             answered
);
    localparam [2:0] IDLE = 3'd0;
    localparam [2:0] LOAD = 3'd1;
    localparam [2:0] LOADING = 3'd2;
    localparam [2:0] LINK = 3'd3;
    localparam [2:0] LINKING = 3'd4;
    localparam [2:0] ANSWER = 3'd5;

    logic [LOG_K-1:0] token;
    logic [LOG_K-1:0] ask_from;
    logic [LOG_K-1:0] answer_from;
    logic [LOG_K-1:0] answer_engine;

    logic [3*K-1:0] states;
    logic [LOG_N*K-1:0] slots;
    logic [LOG_E*K-1:0] entries;
    logic [K-1:0] empties;
    logic [K-1:0] wants_memory;
    logic [K-1:0] wants_answer;

    assign idle_at_token = states[token*3+:3] == IDLE;

    rotating_pick #(
        .N(K),
        .LOG_N(LOG_K)
    ) memory_turn (
        .request(wants_memory),
        .from(ask_from),
        .any(ask),
        .index(ask_engine)
    );
    rotating_pick #(
        .N(K),
        .LOG_N(LOG_K)
    ) answer_turn (
        .request(wants_answer),
        .from(answer_from),
        .any(answer),
        .index(answer_engine)
    );

    assign ask_load     = states[ask_engine*3+:3] == LOAD;
    assign ask_slot     = slots[ask_engine*LOG_N+:LOG_N];
    assign ask_entry    = entries[ask_engine*LOG_E+:LOG_E];
    assign back_link    = states[back_engine*3+:3] == LINKING;
    assign back_slot    = slots[back_engine*LOG_N+:LOG_N];
    assign back_entry   = entries[back_engine*LOG_E+:LOG_E];
    assign answer_empty = empties[answer_engine];
    assign answer_slot  = slots[answer_engine*LOG_N+:LOG_N];
    assign answer_entry = entries[answer_engine*LOG_E+:LOG_E];

    always_ff @(posedge clk) begin
        if (rst) begin
            token <= {LOG_K{1'b0}};
            ask_from <= {LOG_K{1'b0}};
            answer_from <= {LOG_K{1'b0}};
            in_service <= {N{1'b0}};
        end else begin
            token <= token + 1'b1;
            if (ask && granted) ask_from <= ask_engine + 1'b1;
            if (answer && answered) answer_from <= answer_engine + 1'b1;
            in_service <= (in_service | (take ? {{(N - 1) {1'b0}}, 1'b1} << take_slot : {N{1'b0}}))
                        & ~(answer && answered ? {{(N - 1) {1'b0}}, 1'b1} << answer_slot : {N{1'b0}});
        end
    end

    genvar g;
    generate
        for (g = 0; g < K; g = g + 1) begin : engine
            localparam [LOG_K-1:0] HERE = g[LOG_K-1:0];
            wire [2:0] state = states[g*3+:3];
            wire taking = take & (token == HERE);

            assign wants_memory[g] = (state == LOAD) | (state == LINK);
            assign wants_answer[g] = state == ANSWER;

            always_ff @(posedge clk) begin
                if (rst) states[g*3+:3] <= IDLE;
                else if (taking) states[g*3+:3] <= take_hit ? LINK : LOAD;
                else if (wants_memory[g] && granted && ask_engine == HERE)
                    states[g*3+:3] <= (state == LOAD) ? LOADING : LINKING;
                else if (back && back_engine == HERE) states[g*3+:3] <= (state == LOADING) ? LINK : ANSWER;
                else if (wants_answer[g] && answered && answer_engine == HERE) states[g*3+:3] <= IDLE;
            end
            always_ff @(posedge clk) begin
                if (taking) begin
                    slots[g*LOG_N+:LOG_N] <= take_slot;
                    entries[g*LOG_E+:LOG_E] <= take_entry;
                end
                if (back && back_engine == HERE) empties[g] <= back_nil;
            end
        end
    endgenerate
endmodule
