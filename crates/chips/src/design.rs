//! A chip's file as a whole: parts are named, bound to each other, and checked; the result is plain data.

use super::bind::Binder;
use super::cluster::{self, NamedCluster, NamedInbox, Route};
use super::executed::{Executable, ExecutionCosts};
use super::kind::{kind_of, not_another_kind, preset_name};
use super::listed::listed;
use super::named_places::{self, Named, Places};
use super::native;
use super::port::{self, Ports};
use super::program::{LISTED, ReadProgram, Reading, Roles, called, executed, program, runs_by_step};
use super::scheduler::class_names;
use super::traffic::{PacketsFrom, TrafficPlan, traffic};
use super::units::Clocks;
use super::vrp;
use crate::request::{Program, RunRequest};
use linecard_chip::ChipConfig;
use linecard_chip::config::ClusterConfig;
use linecard_config::{Document, Request, Row, Section, Under, nearest};
use linecard_files::preset::{find, in_folder, load, names_of};
use linecard_files::{ConfigProblem, Error};
use linecard_queueing::{Kind, Q_ARRAY_THREADS};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The number of a program that could not be read.
const UNREAD: usize = usize::MAX;

/// Tables whose members are named: `--set packets.part=hbm2` finds `[memory.packets]`.
const COMPONENTS: &[&str] = &["cluster", "memory", "unit", "link", "buffer", "inbox", "ring", "port"];

/// A chip that has been read, with everything that a run needs.
pub(crate) struct Design {
    pub title: String,
    pub extends: Vec<String>,
    pub config: ChipConfig,
    pub(super) programs: Vec<ReadProgram>,
    pub(super) rings: Vec<Option<(usize, u16)>>,
    pub(super) traffic: TrafficPlan,
    pub(super) places: Vec<Named>,
    pub(super) clusters: Vec<NamedCluster>,
    pub(super) links: Vec<Named>,
    pub(super) routes: Vec<Route>,
    pub(super) roles: Vec<(String, String)>,
    pub rows: Vec<Row>,
    pub app: String,
    pub hash: String,
}

impl Design {
    /// Reads a chip with changes; `app` names a program instead of the chip's own.
    ///
    /// # Errors
    /// All problems at once.
    pub fn load(preset: &str, overrides: &[String], app: Option<&str>, seed: u64) -> Result<Self, Error> {
        Self::read(preset, overrides, app, None, PacketsFrom::Either, seed, false)
    }

    /// Returns the chip with a listed program, or one to execute, instead of its own.
    ///
    /// # Errors
    /// All problems at once.
    pub fn with_program(
        preset: &str,
        overrides: &[String],
        listed: Option<&str>,
        executed: Option<&Executable>,
    ) -> Result<Self, Error> {
        Self::read(preset, overrides, listed, executed, PacketsFrom::Either, 1, false)
    }

    /// Returns the chip of a run that executes `executable`.
    ///
    /// # Errors
    /// All problems at once.
    pub fn of(request: &RunRequest, executable: Option<&Executable>) -> Result<Self, Error> {
        let from = PacketsFrom::run(request.trace.as_deref());
        let app = match &request.program {
            Some(Program::Listed(name)) => Some(name.as_str()),
            Some(Program::Executed(_)) | None => None,
        };
        Self::read(&request.chip, &request.overrides, app, executable, from, request.seed, true)
    }

    fn read(
        preset: &str,
        overrides: &[String],
        app: Option<&str>,
        executable: Option<&Executable>,
        from: PacketsFrom,
        seed: u64,
        brief: bool,
    ) -> Result<Self, Error> {
        let name = preset_name(preset);
        if let Err(message) = load(&name) {
            // A missing file has no further problems.
            let missing = ConfigProblem { place: "chip".to_owned(), key: String::new(), message };
            return Err(Error::Config { problems: vec![missing] });
        }
        not_another_kind(preset, &name)?;
        let read = |under: Option<Under<'_>>| {
            Request {
                under,
                overrides,
                components: COMPONENTS,
                named_rows: &["route"],
                brief,
                ..Request::of(&name, &find)
            }
            .read()
        };
        let mut document = read(None);
        let own = own_program(&document.root());
        let mut laid = laid_program(&document.root(), own.as_deref(), app);
        if let Some(program) = &laid {
            let instead_of = if app.is_some_and(|app| own.as_deref() != Some(app)) { LISTED } else { &[] };
            let file = &in_folder("programs", program);
            let with = read(Some(Under { key: "program", file, instead_of }));
            // An executed program replaces the chip's own list, unless the list states where the program is executed.
            match executable.is_some() && !runs_by_step(&with.root()) {
                true => laid = None,
                false => document = with,
            }
        }
        document.expect_kind("chip");
        let runs = app.map(str::to_owned).or(own);
        document.choose("for", runs.as_deref().unwrap_or_default(), &applications());
        let mut design = assemble(&document, app, laid.as_deref().map(called), executable, from, seed);
        (design.title, design.extends) = (document.title().to_owned(), document.extends().to_vec());
        design.rows = document.finish()?;
        let mut hasher = Sha256::new();
        let mut line = format!("program={}\n", design.app);
        hasher.update(&line);
        for row in &design.rows {
            line.clear();
            let _ = writeln!(line, "{}={}", row.key, row.value);
            hasher.update(&line);
        }
        design.hash = hasher.finalize().iter().map(|b| format!("{b:02x}")).collect();
        Ok(design)
    }
}

/// Returns the program of steps whose file is merged under `[program]`, so that its keys are keys of the chip: the
/// program `app`, or else the chip's own.
fn laid_program(root: &Section<'_>, own: Option<&str>, app: Option<&str>) -> Option<String> {
    let name = app.or(own)?;
    let file = in_folder("programs", name);
    let is_list = native::reader(name).is_none() && load(&file).is_ok();
    let kind = kind_of(&file);
    // A chip with its own list and the name of another is an error; the reader of programs reports it.
    let lists_itself = app.is_none() && root.section("program").is_some_and(|own| own.has("step"));
    let laid = is_list && ["", "program"].contains(&kind.as_str()) && !lists_itself;
    laid.then(|| name.to_owned())
}

/// Returns the names of the shipped applications of chips: programs in Rust and lists of steps.
pub fn applications() -> Vec<String> {
    native::names().into_iter().chain(names_of("programs")).map(str::to_owned).collect()
}

/// Reads everything in the file that can be read; problems stay in the document.
fn assemble(
    document: &Document,
    app: Option<&str>,
    laid: Option<&str>,
    executable: Option<&Executable>,
    from: PacketsFrom,
    seed: u64,
) -> Design {
    let root = document.root();
    let clocks = Clocks::read(&root);
    let (clusters, mut configs) = cluster::clusters(&root, &clocks);
    let instances: Vec<(&str, usize)> =
        clusters.iter().map(|each| (each.name.as_str(), each.count)).collect();
    let (mut places, behind) = Places::read(document, &clocks, &instances, seed);
    places.connect(document, behind);
    cluster::data_caches(&root, &mut configs, &places.named);
    let (links, link_configs) = named_places::links(&root, &clocks, &instances);
    let routes = cluster::routes(&root, &clusters, &places.named, &links);
    let (inboxes, inbox_configs) = cluster::inboxes(&root);
    let names: Vec<String> = inboxes.iter().map(|inbox| inbox.name.clone()).collect();
    let ports = Ports::read(&root, &names, link_configs.iter().map(|link| link.name.clone()).collect());
    let order = port::order(&root);
    let transmit = port::transmit_buffer(&root);
    vrp::read(&root);
    let sending = ports.ports.iter().filter_map(|port| port.transmit.as_ref());
    let senders = sending.clone().count() as u16;
    let mut roles = Roles::default();
    let queue_manager = named_places::queue_manager_of(&root);
    let threads: u64 = configs.iter().map(|c| u64::from(c.all_threads())).sum();
    let keeps = transmit.is_some_and(|transmit| transmit.watermarks.is_some());
    let is_q_array = queue_manager.as_ref().is_some_and(|manager| manager.kind == Kind::QArray);
    if is_q_array && threads > u64::from(Q_ARRAY_THREADS) {
        let message = format!(
            "a Q_array keeps its tags in one engine's CAM, which serves at most {Q_ARRAY_THREADS} threads; this \
             chip has {threads} threads. Use fewer engines or threads, or the queue manager sqc"
        );
        document.report(root.place(), "queues.manager", message);
    }
    let mut reading = Reading {
        roles: &mut roles,
        inboxes: &inboxes,
        ports: senders,
        classes: Some(class_names(sending.map(|transmit| &transmit.scheduler))),
        seed,
        threads,
        keeps,
        results: named_places::has_results(&root),
        queue_manager,
        bind: root.section("bind"),
        executable,
        costs: ExecutionCosts::plain(),
        is_executed: false,
        sends_blocks: configs.iter().any(|config| config.block_cells.is_some()),
        laid: laid.map(str::to_owned),
    };
    let programs = programs(document, &clusters, &mut configs, &names, app, &mut reading);
    let rings = inboxes.iter().map(|inbox| ring(document, inbox, &mut roles)).collect();
    let mut binder = Binder {
        document,
        clusters: &clusters,
        places: &places,
        links: &links,
        routes: &routes,
        inboxes: &inboxes,
        senders: senders.into(),
    };
    let bound = binder.bind(&mut roles, &programs, &configs, &ports.moves, seed);
    // A chip without receiving ports is an error of its own, and no limit of the rate.
    let receiving = ports.ports.iter().filter_map(|p| p.receive.as_ref());
    let rates = receiving
        .map(|r| if r.bits_per_second == 0 { f64::INFINITY } else { r.bits_per_second as f64 / 1e9 });
    let line_gbps = rates.reduce(|sum, rate| sum + rate).unwrap_or(f64::INFINITY);
    let overhead = ports.ports.first().map_or(20, |port| port.overhead_bytes);
    let traffic = traffic(&root, line_gbps, overhead, from);
    let saturated = traffic.arrivals.is_none();
    clocks.judge_set(&root);
    let mut names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
    names.dedup();
    let app = names.join(" + ");
    Design {
        title: String::new(),
        extends: Vec::new(),
        config: ChipConfig {
            clusters: configs,
            places: places.configs,
            links: link_configs,
            roles: roles.names.clone(),
            targets: bound.targets,
            inboxes: inbox_configs,
            pools: ports.pools,
            ports: ports.ports,
            order,
            packets: bound.packets,
            transmit,
            saturated,
            seed,
        },
        programs,
        rings,
        traffic,
        roles: roles.names.iter().cloned().zip(bound.names).collect(),
        places: places.named,
        clusters,
        links,
        routes,
        rows: Vec::new(),
        app,
        hash: String::new(),
    }
}

/// Returns the program that a chip's file names.
fn own_program(root: &Section<'_>) -> Option<String> {
    root.section("program")?.text_if("run", "program: a preset of presets/programs, or a file")
}

fn ring(document: &Document, inbox: &NamedInbox, roles: &mut Roles) -> Option<(usize, u16)> {
    let ring = inbox.ring.as_ref()?;
    let number = roles.number(&ring.memory, &ring.place);
    if number > usize::from(u8::MAX) {
        document.report(ring.place.clone(), &format!("{}.memory", inbox.key), "a chip has at most 256 roles");
    }
    Some((number, ring.bytes))
}

/// Reads the program of each cluster, and numbers the inboxes from which clusters take packets.
fn programs(
    document: &Document,
    clusters: &[NamedCluster],
    configs: &mut [ClusterConfig],
    inboxes: &[String],
    app: Option<&str>,
    reading: &mut Reading<'_>,
) -> Vec<ReadProgram> {
    let mut programs = Vec::new();
    // Of two inboxes with one name, the first counts.
    let numbers: HashMap<&str, usize> =
        inboxes.iter().enumerate().rev().map(|(number, name)| (name.as_str(), number)).collect();
    if let Some(app) = app
        && !clusters.is_empty()
        && clusters.iter().all(NamedCluster::has_program)
    {
        let message = format!("`{app}` has no effect: every cluster names its own program");
        document.report("--program", "", message);
    }
    let own = own_program(&document.root());
    // Shipped programs take their costs from the chip's file, whichever program runs.
    let root = document.root();
    let natives = |app: &str| own.is_some() && native::is_costed(app, &root);
    let finds_no_costs = app.is_some_and(|app| !natives(app)) && reading.laid.is_none();
    if finds_no_costs || clusters.iter().all(NamedCluster::has_program) {
        // Another program runs; the file's own may stay in the file unused.
        document.root().leave(&["program"]);
    }
    // An executed program replaces the file's own, unless a step of that states where it is executed.
    let replaces = reading.executable.is_some() && !runs_by_step(&root);
    if replaces {
        root.leave(&["program"]);
    }
    let runs = app.map(str::to_owned).or(own.clone()).filter(|_| !replaces).unwrap_or_default();
    document.root().leave(&native::sections_of_others(&runs));
    for named in clusters {
        reading.costs = named.costs.clone();
        let blocks = configs[named.first].block_cells.is_some();
        if blocks && !named.has_program() {
            // These clusters send what the program of the other clusters stores.
            configs[named.first..named.first + named.count].iter_mut().for_each(|config| config.program = 0);
            continue;
        }
        let own = named
            .program
            .as_deref()
            .map(|name| (name, (named.program_at.clone(), format!("cluster.{}.program", named.name))));
        let app_file = app.filter(|_| reading.laid.is_none());
        let name = own.or(app_file.map(|app| (app, ("--program".to_owned(), String::new()))));
        let name = name.filter(|(name, _)| !natives(name) || named.has_program());
        let own_steps = root.section("cluster").and_then(|all| all.section(&named.name));
        let read = match reading.executable.filter(|_| replaces && !named.has_program()) {
            Some(executable) => Some(executed(executable, document, &named.place, reading)),
            None if named.lists => own_steps.and_then(|section| {
                if named.program.is_some() {
                    section.fail(
                        "program",
                        "this key names a program, but the file also lists steps; omit one of them",
                    );
                }
                listed(&section, &named.name, reading)
            }),
            None => program(document, name, app.filter(|app| natives(app)), reading),
        };
        let number = match read {
            Some(program) => {
                programs.push(program);
                programs.len() - 1
            }
            None => UNREAD,
        };
        let mut takes = Vec::new();
        for wanted in &named.takes {
            match numbers.get(wanted.as_str()) {
                Some(&inbox) => takes.push(inbox),
                None => {
                    let near = nearest(wanted, inboxes.iter().map(String::as_str));
                    let message = format!("no inbox or ring is called `{wanted}`{near}");
                    document.report(
                        named.takes_at.clone(),
                        &format!("cluster.{}.takes", named.name),
                        message,
                    );
                }
            }
        }
        if blocks {
            if !named.takes.is_empty() {
                let key = format!("cluster.{}.takes", named.name);
                let message = "has no effect: the threads of this cluster move blocks (block_cells) and take no \
                               packets from inboxes";
                document.report(named.takes_at.clone(), &key, message);
            }
        } else if named.takes.is_empty() {
            match inboxes.len() {
                1 => takes.push(0),
                _ => {
                    let own = root.section("cluster").and_then(|all| all.section(&named.name));
                    if let Some(section) = own {
                        section.lacks(
                            "takes",
                            "set the inboxes from which the threads of this cluster take packets",
                        );
                    }
                }
            }
        }
        for config in &mut configs[named.first..named.first + named.count] {
            (config.program, config.takes) = (number, takes.clone());
        }
    }
    if let Some(executable) = reading.executable.filter(|_| !reading.is_executed) {
        let message = format!(
            "no cluster executes `{}`; add a step with op = \"run\" to the program of a cluster",
            executable.name()
        );
        document.report("--program", "", message);
    }
    // If a name matches no inbox, any unused inbox may be the one that it means.
    let all_known =
        clusters.iter().flat_map(|named| &named.takes).all(|name| numbers.contains_key(name.as_str()));
    let taken: HashSet<usize> = configs.iter().flat_map(|cluster| &cluster.takes).copied().collect();
    for (number, inbox) in reading.inboxes.iter().enumerate().filter(|_| all_known) {
        if !taken.contains(&number) {
            let message = format!(
                "no cluster takes packets from `{name}`; add `{name}` to the key `takes` of a cluster",
                name = inbox.name
            );
            document.report(inbox.place.clone(), &inbox.key, message);
        }
    }
    programs
}
