//! Schedules an XDP program in rows, for engines that execute several instructions per cycle; with the feature
//! `rows`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program to be scheduled in rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsRequest {
    /// The object file, and its name in messages and the report.
    pub object: String,
    /// See `object`.
    pub name: String,
    /// Function or section, if there are several programs.
    pub program: Option<String>,
    /// The most instructions of a row.
    pub lanes: u32,
    /// Whether helpers keep the contents of r1 to r5.
    pub kept_arguments: bool,
    /// Whether the end of the program is copied for each path that fixes the action.
    pub path_exits: bool,
}

/// The schedule of a program for a given number of lanes: the number of rows, and the instructions per row.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct LaneRows {
    /// Number of lanes, which is the maximum number of instructions in one row.
    pub lanes: u32,
    /// Number of rows in the program.
    pub rows: u32,
    /// Instructions per row.
    pub instructions_per_row: f64,
}

/// The rows and the instructions of one basic block, and the origin of the action with which the block exits.
///
/// `exit` is the origin of this action: `constant` or `register`, or `None` if the program does not end in this
/// block.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "BlockRows")]
pub struct BlockReport {
    /// Beginning.
    pub place: String,
    /// Rows.
    pub rows: u32,
    /// Number of instructions in the block, without the instructions that the scheduler removes.
    pub instructions: u32,
    /// Origin of the action with which the program exits: `constant` or `register`; `None` if the program does not
    /// end in this block.
    pub exit: Option<&'static str>,
}

/// The schedule of an XDP program: all instructions of a row execute in the same cycle.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RowsReport {
    /// The name of the program, as given in the request.
    pub name: String,
    /// Name of the program's function in the object file.
    pub program: String,
    /// Number of instructions; a 64-bit constant counts as one instruction.
    pub instructions: u32,
    /// Number of rows for each number of lanes, starting with one lane.
    pub lanes: Vec<LaneRows>,
    /// Basic blocks in program order, scheduled with the requested number of lanes.
    pub blocks: Vec<BlockReport>,
}

/// Returns why this build schedules no rows: it lacks the feature `rows`.
pub fn rows_left_out() -> Option<&'static str> {
    let why = "this build does not include the row scheduler; build with the feature `rows`";
    (!cfg!(feature = "rows")).then_some(why)
}

#[cfg(feature = "rows")]
mod kept {
    use super::super::{XdpLoad, load_xdp, request::config};
    use super::{BlockReport, LaneRows, RowsReport, RowsRequest};
    use linecard_ebpf::{BlockRows, ExitAction, MOST_LANES, Machine, Options, Rows, Rules};
    use linecard_files::Error;

    /// Schedules a program for every number of lanes from one to the requested number.
    ///
    /// # Errors
    /// If the object cannot be used, or the number of lanes is out of range.
    pub fn rows_of_xdp(request: &RowsRequest) -> Result<RowsReport, Error> {
        if !(1..=MOST_LANES).contains(&request.lanes) {
            let message = format!("found {}, expected 1 to {MOST_LANES}", request.lanes);
            return Err(config("lanes", message));
        }
        let machine = load_xdp(&XdpLoad {
            object: &request.object,
            name: &request.name,
            program: request.program.as_deref(),
            maps: &[],
            routes: None,
            options: Options::default(),
        })?;
        let rules = Rules {
            kept_arguments: request.kept_arguments,
            path_exits: request.path_exits,
            ..Rules::default()
        };
        let all: Vec<Rows> = (1..=request.lanes)
            .map(|lanes| Rows::new(machine.code(), machine.starts(), lanes, rules))
            .collect();
        let lanes = (1..).zip(&all).map(|(lanes, rows)| LaneRows {
            lanes,
            rows: rows.total,
            instructions_per_row: f64::from(rows.operations) / f64::from(rows.total.max(1)),
        });
        Ok(RowsReport {
            name: request.name.clone(),
            program: machine.program().to_owned(),
            instructions: all.last().map_or(0, |rows| rows.operations),
            lanes: lanes.collect(),
            blocks: all.last().map_or_else(Vec::new, |rows| blocks(&machine, rows)),
        })
    }

    fn blocks(machine: &Machine, rows: &Rows) -> Vec<BlockReport> {
        let report = |block: &BlockRows| BlockReport {
            place: machine
                .line(block.first)
                .map_or_else(|| machine.place(block.first), |line| line.to_string()),
            rows: block.rows,
            instructions: block.instructions,
            exit: block.exit.map(|exit| match exit {
                ExitAction::Constant => "constant",
                ExitAction::Register => "register",
            }),
        };
        rows.blocks.iter().filter(|block| block.rows > 0).map(report).collect()
    }
}

#[cfg(not(feature = "rows"))]
mod kept {
    use super::super::request::config;
    use super::{RowsReport, RowsRequest, rows_left_out};
    use linecard_files::Error;

    /// Returns an error, because this build has no scheduler.
    ///
    /// # Errors
    /// Always.
    pub fn rows_of_xdp(request: &RowsRequest) -> Result<RowsReport, Error> {
        let why = rows_left_out().unwrap_or_default();
        Err(config(&request.name, format!("found {} lanes: {why}", request.lanes)))
    }
}

pub use kept::rows_of_xdp;
