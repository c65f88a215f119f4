//! Chips from files: reading, assembly, runs, reports, and checks of a chip without a run.
#![forbid(unsafe_code)]

mod arrivals;
mod bind;
mod breakdown;
mod check;
mod cluster;
mod copies;
mod describe;
mod design;
mod drawing;
mod executed;
mod from_counts;
mod hierarchy;
mod hot_channels;
mod kind;
mod lifts;
mod limits;
mod listed;
mod memory_use;
mod named_places;
mod native;
mod not_ip;
mod pace;
mod packet_starts;
mod packets_out;
mod place;
mod port;
mod program;
mod read_program;
mod reading;
mod report;
mod request;
mod routes;
mod rules;
mod run;
mod scheduler;
mod shot_noise;
mod simulate;
mod summary;
mod template;
mod timeline;
mod totals;
mod traffic;
mod trial;
mod units;
mod vrp;

pub use check::{ChipCheck, MemoryCheck, check, check_chip};
pub use describe::describe;
pub use design::applications;
pub use drawing::{ChipDrawing, DrawnCluster, DrawnLink, DrawnPlace, DrawnPort, DrawnRoute, drawing};
pub use hierarchy::{HierarchyReport, HierarchyRequest, hierarchy};
pub use kind::{is_chip, is_program};
pub use lifts::{Lift, lifts};
pub use report::{
    Bottleneck, DramTime, DropCount, ExecutedProgram, Interval, Intervals, LatencyNs, Metric, PacketTime,
    PartReport, ProgramResult, ResourceUse, RunReport, SourceLine, Summary, WhatIf,
};
pub use request::{CheckRequest, Program, ProgramFile, ProgramOptions, Progress, RunQuestion, RunRequest};
pub use run::{run, run_without_verdict};
pub use shot_noise::{ShotNoiseReport, ShotNoiseRequest, shot_noise_windows};
pub use template::chip_template;
