//! The schemas of all reports; from these schemas, `make docs` writes the classes of Python's results.

use linecard_flowcache::TrafficView;
use linecard_platform::{
    CachedTrace, ChipCheck, ChipDrawing, CoreReport, Declared, Description, ExploreReport, FiringView,
    HierarchyReport, Lift, MemoryReport, Metric, NetView, PresetInfo, ProgramReport, RowsReport, RunReport,
    ShotNoiseReport, SimulateReport, SolveReport, XdpReport,
};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Lists the reports of each Python package. A type that several packages use belongs to the first of them.
macro_rules! reports {
    ($($package:literal: $($report:ty),+;)+) => {
        /// Returns the definitions of each package by name, including the types of their fields.
        pub fn schemas() -> Vec<(&'static str, Map<String, Value>)> {
            vec![$({
                let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
                $(generator.subschema_for::<$report>();)+
                ($package, generator.take_definitions(true))
            }),+]
        }
    };
}

reports! {
    "": Metric, PresetInfo, Description, Declared;
    "traffic": crate::flows::CaptureStatistics, TrafficView, ShotNoiseReport;
    "executed": ProgramReport, XdpReport, RowsReport, CachedTrace, linecard_platform::ExecutedProgram;
    "chip": RunReport, ChipDrawing;
    "dram": MemoryReport;
    "malleable": CoreReport;
    "flowcache": crate::flowcache::Outcome;
    "queueing": crate::queueing::Outcome, crate::queueing::DesignOutcome, crate::queueing::Setting;
    "petri": ExploreReport, SolveReport, SimulateReport, NetView, FiringView;
    "explore": ChipCheck, Lift;
    "vrp": HierarchyReport;
}
