//! The presets of `presets/cores`: every value with its unit, its range and its meaning.

use linecard_config::{Request, Section};
use linecard_files::Error;
use linecard_files::preset::{ReadPreset, find, read};
use linecard_malleable::{Adaptation, AreaModel, LINE_BYTES, Pipeline};

/// A chip whose cores are all alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    pub cores: u32,
    pub threads: u32,
    pub cache: u32,
}

/// A chip whose cores split their area between threads and cache, as the deployment requires.
#[derive(Clone, Copy, Debug)]
pub(super) struct Malleable {
    pub cores: u32,
    pub area: u32,
    pub cache_lines: u32,
    pub cache_latency: u32,
    pub cache_ways: u32,
    pub slower_percent: u32,
    pub adaptation: Adaptation,
}

/// The stages of cores: the cost of each instruction, and the events at which cores switch threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stages {
    pub pipeline: Pipeline,
    pub switch_cycles: u32,
    pub cache_ways: u32,
    pub cache_latency_cycles: u32,
}

pub(super) fn area() -> Result<AreaModel, Error> {
    of("cores/area_130nm", read_area)
}

pub(super) fn stages() -> Result<Stages, Error> {
    of("cores/pipeline", read_stages)
}

pub(super) fn malleable() -> Result<Malleable, Error> {
    of("cores/malleable", read_malleable)
}

pub(super) fn fixed(name: &str) -> Result<Fixed, Error> {
    of(&format!("cores/{name}"), read_fixed)
}

/// Reads a preset of cores of any kind, for `describe`.
pub fn core_preset(preset: &str) -> Result<ReadPreset<()>, Error> {
    read(Request::of(preset, &find).read(), |document| {
        let root = document.root();
        let keys = root.keys();
        let has = |key: &str| keys.iter().any(|each| each == key);
        if has("area") {
            read_area(&root).map(drop)
        } else if has("pipeline") {
            read_stages(&root).map(drop)
        } else if has("adaptation") {
            read_malleable(&root).map(drop)
        } else {
            read_fixed(&root).map(drop)
        }
    })
}

fn of<T>(preset: &str, values: impl Fn(&Section<'_>) -> Option<T>) -> Result<T, Error> {
    read(Request::of(preset, &find).read(), |document| values(&document.root())).map(|read| read.value)
}

fn whole(table: &Section<'_>, key: &str, unit: &'static str, most: u64, meaning: &str) -> u32 {
    table.in_unit(unit).integer(key, 0..=most, meaning) as u32
}

fn read_area(root: &Section<'_>) -> Option<AreaModel> {
    let area = root.needed_section("area", "area of threads, caches and cores")?;
    let thread_equivalents = |key, most, meaning| whole(&area, key, "th-eq", most, meaning);
    let lines = |key, meaning| whole(&area, key, "lines", 1_000_000, meaning);
    Some(AreaModel {
        thread_equivalent_mm2: area.in_unit("mm2").number(
            "thread_equivalent_mm2",
            1e-6..=1e3,
            "area of the registers, status words and program counter of one thread",
        ),
        first_lines: lines(
            "first_lines",
            "number of cache lines per thread-equivalent in the first part of the cache (`first_thread_equivalents`)",
        ),
        first_thread_equivalents: thread_equivalents(
            "first_thread_equivalents",
            1000,
            "number of thread-equivalents with `first_lines` cache lines each",
        ),
        further_lines: lines(
            "further_lines",
            "number of cache lines in each thread-equivalent after the first `first_thread_equivalents`",
        ),
        most_lines: lines("most_lines", "maximum number of cache lines, regardless of the cache's area"),
        core_thread_equivalents: thread_equivalents(
            "core_thread_equivalents",
            10_000,
            "area of a core without a cache, excluding its threads",
        ),
        cached_core_thread_equivalents: area.in_unit("th-eq").number(
            "cached_core_thread_equivalents",
            0.0..=1e4,
            "additional area of a core with a data cache, independent of the number of threads",
        ),
        chip_thread_equivalents: thread_equivalents(
            "chip_thread_equivalents",
            1_000_000,
            "chip area that is available for cores",
        ),
    })
}

fn read_stages(root: &Section<'_>) -> Option<Stages> {
    let pipeline = root.needed_section("pipeline", "costs of instructions")?;
    let core = root.needed_section("core", "costs of threads and the data cache")?;
    let cycles =
        |key, least, most, meaning| pipeline.in_unit("cycles").integer(key, least..=most, meaning) as u32;
    Some(Stages {
        pipeline: Pipeline {
            taken_cycles: cycles("taken", 0, 100, "cycles lost at each taken branch"),
            multiply_cycles: cycles("multiply", 1, 100, "cycles of a multiplication"),
            divide_cycles: cycles("divide", 1, 1000, "cycles of a division"),
        },
        switch_cycles: whole(&core, "switch", "cycles", 1000, "cycles lost when a core switches threads"),
        cache_ways: whole(&core, "cache_ways", "ways", 8, "ways of the data cache"),
        cache_latency_cycles: whole(&core, "cache_latency", "cycles", 4, "cycles of a data cache hit"),
    })
}

fn read_fixed(root: &Section<'_>) -> Option<Fixed> {
    let processor = root.needed_section("processor", "the cores of the chip")?;
    Some(Fixed {
        cores: whole(&processor, "cores", "cores", 1024, "number of cores of the chip"),
        threads: whole(&processor, "threads", "threads", 64, "hardware threads of each core"),
        cache: whole(
            &processor,
            "cache",
            "th-eq",
            1024,
            "area of the data cache of each core, in thread-equivalents",
        ),
    })
}

fn read_malleable(root: &Section<'_>) -> Option<Malleable> {
    let processor = root.needed_section("processor", "the cores of the chip")?;
    let adaptation = root.needed_section(
        "adaptation",
        "parameters of the search for the best split between \
         threads and cache",
    )?;
    let area = whole(
        &processor,
        "malleable",
        "th-eq",
        64,
        "area of each core, in thread-equivalents; threads and cache share this area",
    );
    let cache_kb = whole(&processor, "cache_kb", "KB", 1024, "cache capacity of a malleable core");
    let packets = |key, meaning| u64::from(whole(&adaptation, key, "packets", 1_000_000_000, meaning));
    Some(Malleable {
        cores: whole(&processor, "cores", "cores", 1024, "number of cores of the chip"),
        area,
        cache_lines: cache_kb * 1024 / LINE_BYTES,
        cache_latency: whole(
            &processor,
            "cache_latency",
            "cycles",
            4,
            "cycles of a cache hit in a malleable core",
        ),
        cache_ways: whole(&processor, "cache_ways", "ways", 8, "cache ways of a malleable core"),
        slower_percent: whole(
            &processor,
            "slower",
            "%",
            1000,
            "relative slowdown of a malleable core's clock",
        ),
        adaptation: Adaptation {
            period_packets: packets("period", "number of packets between two searches for the best split"),
            trial_packets: packets("trial", "number of packets for which each split is tried"),
            most_threads: area,
        },
    })
}
