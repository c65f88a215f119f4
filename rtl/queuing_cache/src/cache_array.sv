// The cache: a fully associative array of pointers with least-recently-used replacement (Kumar 2006, sections 3.4, 5.6).
//
// An entry holds one pointer of a queue, head or tail; its tag is the queue and the end. Every clock one tag is looked up
// and, on a miss, takes the least recently used entry that no engine uses. The order of use is a matrix: bit (i, j) says
// that i was used after j.
module cache_array #(
    parameter E = 32,
    parameter LOG_E = 5,
    parameter TAG_BITS = 17,
    parameter PACKET_BITS = 32
) (
    input  logic                     clk,
    input  logic                     rst,
    // Looking up; with take, the entry is in use from the next clock on.
    input  logic [TAG_BITS-1:0]      tag,
    input  logic                     take,
    output logic                     hit,
    output logic [LOG_E-1:0]         entry,
    output logic                     victim_dirty,
    output logic [TAG_BITS-1:0]      victim_tag,
    // A pointer changes; dirty says that memory does not have it.
    input  logic                     update,
    input  logic [LOG_E-1:0]         update_entry,
    input  logic                     update_dirty,
    input  logic [PACKET_BITS-1:0]   update_packet,
    // An entry is not in use any more.
    input  logic                     release_entry,
    input  logic [LOG_E-1:0]         released,
    output logic [E*PACKET_BITS-1:0] pointers
);
    logic [E*TAG_BITS-1:0] tags;
    logic [E-1:0] valid;
    logic [E-1:0] dirty;
    logic [E-1:0] in_use;
    logic [E-1:0] match;
    logic [E-1:0] oldest;
    wire [E*E-1:0] newer;

    logic [LOG_E-1:0] hit_entry;
    logic [LOG_E-1:0] victim;

    assign hit = |match;
    assign entry = hit ? hit_entry : victim;
    assign victim_dirty = dirty[victim] & valid[victim];
    assign victim_tag = tags[victim*TAG_BITS+:TAG_BITS];

    integer i;
    always_comb begin
        hit_entry = {LOG_E{1'b0}};
        victim = {LOG_E{1'b0}};
        for (i = 0; i < E; i = i + 1) begin
            if (match[i]) hit_entry = hit_entry | i[LOG_E-1:0];
            if (oldest[i]) victim = victim | i[LOG_E-1:0];
        end
    end

    genvar g, h;
    generate
        for (g = 0; g < E; g = g + 1) begin : line
            localparam [LOG_E-1:0] HERE = g[LOG_E-1:0];
            wire touched = take & (entry == HERE);
            wire updated = update & (update_entry == HERE);

            assign match[g]  = valid[g] & (tags[g*TAG_BITS+:TAG_BITS] == tag);
            // Older than every other that is not in use.
            assign oldest[g] = ~in_use[g] & (&(newer[g*E+:E] | in_use | ({{(E - 1) {1'b0}}, 1'b1} << g)));

            always_ff @(posedge clk) begin
                if (rst) begin
                    valid[g]  <= 1'b0;
                    dirty[g]  <= 1'b0;
                    in_use[g] <= 1'b0;
                end else begin
                    if (touched) valid[g] <= 1'b1;
                    if (touched && !hit) dirty[g] <= 1'b0;
                    else if (updated) dirty[g] <= update_dirty | dirty[g];
                    if (touched) in_use[g] <= 1'b1;
                    else if (release_entry && released == HERE) in_use[g] <= 1'b0;
                end
            end
            always_ff @(posedge clk) begin
                if (touched && !hit) tags[g*TAG_BITS+:TAG_BITS] <= tag;
                if (updated) pointers[g*PACKET_BITS+:PACKET_BITS] <= update_packet;
            end

            // newer[g*E + h]: h was used after g. One flip-flop for each pair.
            assign newer[g*E+g] = 1'b0;
            for (h = 0; h < g; h = h + 1) begin : pair
                logic g_after_h;
                wire touched_h = take & (entry == h[LOG_E-1:0]);
                always_ff @(posedge clk) begin
                    if (rst) g_after_h <= 1'b1;
                    else if (touched) g_after_h <= 1'b1;
                    else if (touched_h) g_after_h <= 1'b0;
                end
                assign newer[h*E+g] = g_after_h;
                assign newer[g*E+h] = ~g_after_h;
            end
        end
    endgenerate
endmodule
