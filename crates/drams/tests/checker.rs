//! Does any part, under any policy and any pattern, ever violate its table?
//!
//! The command log of each run is replayed by a checker that shares nothing with the device or the controllers: it
//! reads the table from the output of `describe`, and remembers the last commands of each row and each part of the
//! memory.

use crate::kit;

use kit::{columns, part_names, pattern_request, policy_names, run_logged};
use linecard_drams::describe;
use linecard_files::Description;
use std::collections::HashMap;

/// A row of the table, as printed.
struct Row {
    name: String,
    before: Vec<String>,
    after: Vec<String>,
    level: String,
    from: String,
    window: usize,
    clocks: i64,
}

/// A part, as printed.
struct Table {
    rows: Vec<Row>,
    read_latency: i64,
    write_latency: i64,
    burst: i64,
    interval: i64,
}

/// Returns a part's value for a key.
fn value(part: &Description, key: &str) -> f64 {
    let found = part.parameters.iter().find(|p| p.key == key);
    found.unwrap_or_else(|| panic!("no {key}")).value.to_string().parse().unwrap()
}

/// Returns the clocks of a timing value, which its meaning states.
fn clocks(part: &Description, name: &str) -> i64 {
    let found = part.parameters.iter().find(|p| p.key == format!("timing.{name}")).unwrap();
    found.meaning.trim_end_matches(" clocks").parse::<f64>().unwrap().ceil() as i64
}

/// Parses `ACT/RD to PRE, other ranks, from data end, window of 4: formula`.
fn row(name: &str, text: &str, clocks: i64) -> Row {
    let (head, _formula) = text.split_once(": ").unwrap();
    let mut parts = head.split(", ");
    let (before, after) = parts.next().unwrap().split_once(" to ").unwrap();
    let commands = |list: &str| list.split('/').map(str::to_owned).collect();
    let mut row = Row {
        name: name.to_owned(),
        before: commands(before),
        after: commands(after),
        level: parts.next().unwrap().to_owned(),
        from: "issue".to_owned(),
        window: 1,
        clocks,
    };
    for part in parts {
        match part.split_once("from ") {
            Some((_, from)) => row.from = from.to_owned(),
            None => row.window = part.trim_start_matches("window of ").parse().unwrap(),
        }
    }
    row
}

fn table(name: &str) -> Table {
    let part = describe(name, &[]).unwrap().unwrap();
    let rows = part.parameters.iter().filter_map(|p| {
        let name = p.key.strip_prefix("constraint.")?;
        Some(row(name, &p.meaning, p.value.to_string().parse().ok()?))
    });
    let rows: Vec<Row> = rows.collect();
    let per_clock = value(&part, "organization.bus_bytes") * value(&part, "organization.beats_per_clock");
    Table {
        rows,
        read_latency: clocks(&part, "RL"),
        write_latency: clocks(&part, "WL"),
        burst: (value(&part, "organization.access_bytes") / per_clock).ceil() as i64,
        interval: clocks(&part, "tREFI"),
    }
}

/// One command of the log.
#[derive(Clone, Debug)]
struct Command {
    at: i64,
    /// As in tables: RDA counts as RD, WRA as WR.
    kind: &'static str,
    auto: bool,
    place: [i64; 4],
    row: i64,
}

fn commands(log: &str) -> Vec<Command> {
    let names = ["cycle", "cmd", "channel", "rank", "bankgroup", "bank", "row"];
    let mut commands: Vec<Command> = columns(log, names)
        .into_iter()
        .map(|[at, name, channel, rank, group, bank, row]| {
            let kinds = ["ACT", "PRE", "RD", "WR", "REFB", "REF"];
            let kind = kinds.into_iter().find(|k| name == *k || name == format!("{k}A")).unwrap();
            let number = |text: &String| text.parse::<i64>().unwrap();
            let place = [number(&channel), number(&rank), number(&group), number(&bank)];
            Command { at: number(&at), kind, auto: name.ends_with('A'), place, row: number(&row) }
        })
        .collect();
    // The sort is stable: commands of one clock stay in the order in which they were decided.
    commands.sort_by_key(|c| c.at);
    commands
}

/// Returns the part of the memory within which a row of the table considers a command.
fn scope(level: &str, place: [i64; 4]) -> Vec<i64> {
    match level {
        "rank" | "other ranks" => place[..2].to_vec(),
        "group" => place[..3].to_vec(),
        "bank" => place.to_vec(),
        other => panic!("level {other}"),
    }
}

/// Returns the clock from which a row counts.
fn moment(table: &Table, row: &Row, c: &Command) -> i64 {
    let latency = if c.kind == "WR" { table.write_latency } else { table.read_latency };
    match row.from.as_str() {
        "issue" => c.at,
        "column end" => c.at + table.burst,
        "data end" => c.at + latency + table.burst,
        other => panic!("from {other}"),
    }
}

struct Checker<'a> {
    table: &'a Table,
    /// Whether DRAMsim3's rules of auto-precharge apply: a refresh after one does not wait for tRAS.
    early_refresh: bool,
    /// The moments of all commands, by row of the table and scope.
    moments: HashMap<(usize, Vec<i64>), Vec<i64>>,
    open: HashMap<[i64; 4], i64>,
}

impl Checker<'_> {
    /// Returns the first clock that the table permits, with the row that determines it; with `bank_only`, only rows
    /// of the bank level.
    fn earliest(&self, kind: &str, place: [i64; 4], bank_only: bool) -> (i64, &str) {
        let mut latest = (i64::MIN, "");
        for (n, row) in self.table.rows.iter().enumerate() {
            if !row.after.iter().any(|a| a == kind) || (bank_only && row.level != "bank") {
                continue;
            }
            for ((number, at), moments) in &self.moments {
                let concerned = if row.level == "other ranks" {
                    at[0] == place[0] && at[1] != place[1]
                } else {
                    *at == scope(&row.level, place)
                };
                if *number != n || !concerned {
                    continue;
                }
                // Of a window, only the command that bounds it counts; otherwise the latest one does.
                let bound = match row.window {
                    1 => moments.iter().max().copied(),
                    window => moments.len().checked_sub(window).map(|first| moments[first]),
                };
                if let Some(bound) = bound.filter(|b| b + row.clocks > latest.0) {
                    latest = (bound + row.clocks, &row.name);
                }
            }
        }
        latest
    }

    fn note(&mut self, c: &Command) {
        for (n, row) in self.table.rows.iter().enumerate() {
            if row.before.iter().any(|b| b == c.kind) {
                let moments = self.moments.entry((n, scope(&row.level, c.place))).or_default();
                moments.push(moment(self.table, row, c));
                // The last moments contain everything that a longer past could add.
                let kept = row.window.max(2);
                if moments.len() > kept {
                    let oldest = if row.window > 1 { 0 } else { usize::from(moments[0] > moments[1]) };
                    moments.remove(oldest);
                }
            }
        }
    }

    fn check(&mut self, c: &Command) -> Result<(), String> {
        let (earliest, name) = self.earliest(c.kind, c.place, false);
        if c.at < earliest {
            return Err(format!("{c:?} breaks {name}, which allows {earliest}"));
        }
        let closed = |open: &HashMap<[i64; 4], i64>| !open.keys().any(|p| p[..2] == c.place[..2]);
        let fits = match c.kind {
            "ACT" => self.open.insert(c.place, c.row).is_none(),
            "PRE" => self.open.remove(&c.place).is_some(),
            "RD" | "WR" => self.open.get(&c.place) == Some(&c.row),
            "REF" => closed(&self.open),
            _ => !self.open.contains_key(&c.place),
        };
        if !fits {
            return Err(format!("{c:?} does not fit the open rows"));
        }
        self.note(c);
        if c.auto {
            // The precharge issues as soon as the bank permits it; it is not on the command bus.
            self.open.remove(&c.place);
            let at = if self.early_refresh {
                let own = self.table.rows.iter().filter(|r| {
                    r.level == "bank"
                        && r.before.iter().any(|b| b == c.kind)
                        && r.after.contains(&"PRE".to_owned())
                });
                own.map(|r| moment(self.table, r, c) + r.clocks).max().unwrap()
            } else {
                self.earliest("PRE", c.place, true).0
            };
            self.note(&Command { at, kind: "PRE", auto: false, ..c.clone() });
        }
        Ok(())
    }
}

fn check_log(
    table: &Table,
    early_refresh: bool,
    refreshes: bool,
    commands: &[Command],
) -> Result<(), String> {
    let mut checker = Checker { table, early_refresh, moments: HashMap::new(), open: HashMap::new() };
    commands.iter().try_for_each(|c| checker.check(c))?;
    // Data of one channel must not overlap.
    let mut data_end: HashMap<i64, i64> = HashMap::new();
    for c in commands.iter().filter(|c| c.kind == "RD" || c.kind == "WR") {
        let latency = if c.kind == "WR" { table.write_latency } else { table.read_latency };
        let end = data_end.entry(c.place[0]).or_insert(0);
        if c.at + latency < *end {
            return Err(format!("data of {c:?} overlap what is on the bus until {end}"));
        }
        *end = c.at + latency + table.burst;
    }
    // Refreshes are issued about as often as they are due, whatever the load.
    let end = commands.last().map_or(0, |c| c.at);
    let all_bank = commands.iter().filter(|c| c.kind == "REF").count() as i64;
    let by_bank = commands.iter().filter(|c| c.kind == "REFB").count() as i64;
    if refreshes && all_bank + by_bank + 2 < end / table.interval {
        return Err(format!("{all_bank} and {by_bank} refreshes in {end} clocks"));
    }
    Ok(())
}

#[test]
fn no_part_under_any_policy_and_pattern_breaks_its_table() {
    let policies: Vec<(String, bool, bool)> = policy_names()
        .into_iter()
        .map(|name| {
            let described = describe(&name, &[]).unwrap().unwrap();
            let is = |key: &str, value: &str| {
                described.parameters.iter().any(|p| p.key == key && p.value.to_string() == value)
            };
            let (early, refresh) = (is("policy.auto_precharge", "dramsim3"), is("policy.refresh", "true"));
            (name, early, refresh)
        })
        .collect();
    let mut checked = 0;
    for part in part_names() {
        let table = table(&part);
        for (policy, early, refresh) in &policies {
            for pattern in ["stream", "random", "bank_conflicts", "packet_cells"] {
                let (_, log) = run_logged(pattern_request(&part, policy, pattern, 250), "commands");
                let commands = commands(&log);
                assert!(commands.len() >= 150, "{part} {policy} {pattern}: {} commands", commands.len());
                if let Err(wrong) = check_log(&table, *early, *refresh, &commands) {
                    panic!("{part} under {policy}, {pattern}: {wrong}");
                }
                checked += commands.len();
            }
        }
    }
    assert!(checked > 100_000, "only {checked} commands were checked");
}

/// A run long enough for many refreshes, by rank and by bank, on ranks and channels.
#[test]
fn ranks_channels_and_refreshes_keep_the_table() {
    for (part, changes) in [
        ("ddr4_2400", &["organization.ranks=2", "map.order=row rank bank bankgroup column"][..]),
        ("hbm2", &["organization.channels=4", "map.order=row bank column bankgroup channel"]),
        ("lpddr5_6400", &[]),
        ("lpddr5_6400", &["refresh.mode=all_bank"]),
        (
            "ddr3_1600",
            &[
                "map.row=17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32",
                "map.bank=14^17,15^18,16^19",
                "map.column=6,7,8,9,10,11,12,13",
            ],
        ),
    ] {
        for policy in ["frfcfs", "frfcfs_adaptive", "split_watermark", "packet_prefetching", "fcfs_open"] {
            let mut request = pattern_request(part, policy, "random", 4000);
            request.overrides = changes.iter().map(|c| (*c).to_owned()).collect();
            let (_, log) = run_logged(request, "commands");
            let commands = commands(&log);
            let early = policy == "fcfs_open";
            if let Err(wrong) = check_log(&table(part), early, false, &commands) {
                panic!("{part} with {changes:?} under {policy}: {wrong}");
            }
        }
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let mut table = table("ddr4_2400");
    let (_, log) = run_logged(pattern_request("ddr4_2400", "frfcfs", "random", 4000), "commands");
    let commands = commands(&log);
    assert_eq!(check_log(&table, false, true, &commands), Ok(()));
    // If a row that limits such a run asks for one more clock, the checker finds a breach.
    let mut found = Vec::new();
    for n in 0..table.rows.len() {
        table.rows[n].clocks += 1;
        let name = table.rows[n].name.clone();
        if check_log(&table, false, true, &commands).is_err_and(|wrong| wrong.contains(&name)) {
            found.push(name);
        }
        table.rows[n].clocks -= 1;
    }
    for name in
        ["tRCD", "tRP", "tRRD", "tRRD_L", "tFAW", "tCCD_L", "read to write", "tWTR", "tWTR_L", "tRTP", "tWR"]
    {
        assert!(found.iter().any(|f| f == name), "{name} is never met, only {found:?}");
    }
    let mut missing = commands.clone();
    missing.remove(commands.iter().position(|c| c.kind == "ACT").unwrap());
    assert!(check_log(&table, false, true, &missing).unwrap_err().contains("open rows"));
}
