//! The schemas of everything that is handed over, from which the classes of Python's results are written (`make docs`).

use linecard_flowcache::TrafficView;
use linecard_platform::{
    CachedTrace, ChipCheck, ChipDrawing, CoreReport, Declared, Description, ExploreReport, FiringView,
    HierarchyReport, Lift, MemoryReport, Metric, NetView, PresetInfo, ProgramReport, RowsReport, RunReport,
    ShotNoiseReport, SimulateReport, SolveReport, XdpReport,
};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Reports by the package of Python that they belong to. What several hold belongs to the first.
macro_rules! reports {
    ($($package:literal: $($report:ty),+;)+) => {
        /// The definitions of each package by their names, what they are made of among them.
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
