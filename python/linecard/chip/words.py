"""What people call things, on screens and on pages alike."""

# Where the time of the DRAM's data bus goes, by field of `DramTime`.
DRAM_WORDS = {
    "data": "moving data",
    "row_miss": "opening rows",
    "turnaround": "turning the bus",
    "refresh": "refreshing",
    "spacing": "between columns",
    "idle": "idle",
}
