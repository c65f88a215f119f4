//! A chip's file as a whole: parts are named, bound to each other, and checked; the result is plain data.

use super::board::{self, Board};
use super::cluster::{self, NamedCluster, NamedInbox, Route};
use super::executed::{Executable, ExecutionCosts};
use super::native;
use super::places::{self, Named, Places};
use super::port::{self, Moves, Ports};
use super::program::{
    LISTED, ReadProgram, Reading, Roles, called, describe_program, executed, program, runs_by_step,
};
use super::traffic::{TrafficPlan, traffic};
use super::units::Clocks;
use crate::describe::{Derived, Described, Description, row};
use crate::error::{ConfigProblem, Error};
use crate::preset::{find, in_folder, list_of, load, names_of, text_of};
use linecard_buffers::{AllocatorConfig, AllocatorKind, PoolOrder};
use linecard_chip::ChipConfig;
use linecard_chip::config::{
    ClusterConfig, PacketMemoryConfig, PlaceKind, PlacementRule, TargetConfig, WideConfig,
};
use linecard_config::nearest;
use linecard_config::{Document, IntervalEnd, Problem, Row, Section, Under, beside, read_at};
use linecard_program::CELL_BYTES;
use linecard_queueing::{Kind, Q_ARRAY_THREADS};
use serde::Serialize;
use sha2::{Digest, Sha256};
use toml::de::DeTable;

/// Tables whose members are named: `--set packets.part=hbm2` finds `[memory.packets]`.
const COMPONENTS: &[&str] = &["cluster", "memory", "unit", "link", "buffer", "inbox", "ring", "port"];

/// A chip that has been read: everything that a run needs.
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
    /// What stands above the engines, where the file says.
    pub board: Option<Board>,
}

/// A name as the finder of files takes it: a chip before a core of the same name.
pub(super) fn preset_name(preset: &str) -> String {
    let platform = in_folder("platforms", preset);
    if load(&platform).is_ok() { platform } else { preset.to_owned() }
}

/// What a file says it is, or what the files that it extends say; empty if none does. Only the keys before the first table
/// are looked at.
fn kind_of(preset: &str, depth: u32) -> String {
    let Ok((place, text)) = load(preset) else { return String::new() };
    let header = text.split("\n[").next().unwrap_or("");
    let Ok(table) = DeTable::parse(header) else { return String::new() };
    let kind = text_of(table.get_ref(), "kind");
    if !kind.is_empty() || depth == 0 {
        return kind;
    }
    let bases = list_of(table.get_ref(), "extends");
    let of_base = |base: &String| {
        let beside = beside(&place, base).filter(|path| load(path).is_ok());
        kind_of(beside.as_ref().unwrap_or(base), depth - 1)
    };
    let kind = bases.iter().map(of_base).find(|kind| !kind.is_empty()).unwrap_or_default();
    // With its base missing, a file still shows by its tables what it was to be.
    let tables = ["\n[cluster.", "\n[memory.", "\n[port.", "\n[[program.step]]"];
    if kind.is_empty() && tables.iter().any(|table| text.contains(table)) { "chip".to_owned() } else { kind }
}

/// No chip extends others more deeply.
const MOST_EXTENDED: u32 = 16;
/// Room for packets, at most: what allocators keep of its cells takes up to a sixth of it.
const MOST_POOL_BYTES: u64 = 1 << 31;

/// Whether a preset is a chip.
pub(crate) fn is_chip(preset: &str) -> bool {
    kind_of(&preset_name(preset), MOST_EXTENDED) == "chip"
}

/// Whether a preset is a program.
pub(crate) fn is_program(preset: &str) -> bool {
    kind_of(&in_folder("programs", preset), MOST_EXTENDED) == "program"
}

fn problems(list: Vec<Problem>) -> Error {
    let problem = |p: Problem| ConfigProblem { place: p.place, key: p.key, message: p.message };
    Error::Config { problems: list.into_iter().map(problem).collect() }
}

impl Design {
    /// Read a chip with changes; `app` names another program than its own.
    ///
    /// # Errors
    /// All problems at once.
    pub fn load(preset: &str, overrides: &[String], app: Option<&str>, seed: u64) -> Result<Self, Error> {
        Self::load_with(preset, overrides, app, None, IntervalEnd::Stated, seed)
    }

    /// The same, at one end of its intervals; `executable` is executed on the packets.
    ///
    /// # Errors
    /// All problems at once.
    pub fn load_with(
        preset: &str,
        overrides: &[String],
        app: Option<&str>,
        executable: Option<&Executable>,
        bound: IntervalEnd,
        seed: u64,
    ) -> Result<Self, Error> {
        let name = preset_name(preset);
        if let Err(message) = find(&name) {
            // Of a file that is not there nothing else can be said.
            let missing = ConfigProblem { place: "preset".to_owned(), key: String::new(), message };
            return Err(Error::Config { problems: vec![missing] });
        }
        not_another_kind(preset, &name)?;
        let read = |under: Option<Under<'_>>| read_at(&name, under, overrides, COMPONENTS, bound, &find);
        let mut document = read(None);
        let own = own_program(&document.root());
        let laid = laid_program(&document.root(), own.as_deref(), app, executable.is_some());
        if let Some(program) = &laid {
            let instead_of = if app.is_some_and(|app| own.as_deref() != Some(app)) { LISTED } else { &[] };
            document =
                read(Some(Under { key: "program", file: &in_folder("programs", program), instead_of }));
        }
        let runs = app.map(str::to_owned).or(own);
        document.choose("for", runs.as_deref().unwrap_or_default(), &program_names());
        let mut design = assemble(&document, app, laid.as_deref().map(called), executable, seed);
        (design.title, design.extends) = (document.title().to_owned(), document.extends().to_vec());
        design.rows = document.finish().map_err(problems)?;
        let mut hasher = Sha256::new();
        hasher.update(format!("program={}\n", design.app));
        for row in &design.rows {
            hasher.update(format!("{}={}\n", row.key, row.value));
        }
        design.hash = hasher.finalize().iter().map(|b| format!("{b:02x}")).collect();
        Ok(design)
    }
}

/// The program of steps whose file lies under `[program]`, so that its keys are keys of the chip: the one that `app` names, or
/// else the chip's own.
fn laid_program(
    root: &Section<'_>,
    own: Option<&str>,
    app: Option<&str>,
    is_executed: bool,
) -> Option<String> {
    let name = app.or(own.filter(|_| !is_executed))?;
    let file = in_folder("programs", name);
    let is_list = native::reader(name).is_none() && find(&file).is_ok();
    let kind = kind_of(&file, MOST_EXTENDED);
    // The chip's own list beside the name of another is a mistake, which is said where programs are read.
    let lists_itself = app.is_none() && root.section("program").is_some_and(|own| own.has("step"));
    let laid = is_list && ["", "program"].contains(&kind.as_str()) && !lists_itself;
    laid.then(|| name.to_owned())
}

/// Names of all programs that come with the project.
fn program_names() -> Vec<String> {
    native::names().into_iter().chain(names_of("programs")).map(str::to_owned).collect()
}

/// That a preset is no part of another kind, which cannot run.
fn not_another_kind(preset: &str, name: &str) -> Result<(), Error> {
    let Ok((place, _)) = load(name) else { return Ok(()) };
    let message = match place.split('/').next().unwrap_or("") {
        "policies" => {
            format!("a policy of a memory controller: `linecard dram run --policy {preset}` runs it")
        }
        "dram" => format!("a DRAM part: `linecard dram run --device {preset}` runs it"),
        "standards" => {
            "a standard that DRAM parts extend; `linecard presets` lists what can be run".to_owned()
        }
        "programs" => format!("a program: `linecard run CHIP --app {preset}` runs it on a chip"),
        "cores" => "a core; `linecard core` and `linecard program` look at cores".to_owned(),
        "traffic" => "a kind of traffic; `linecard program --traffic` takes it".to_owned(),
        _ => return Ok(()),
    };
    let message = format!("`{preset}` is no chip but {message}");
    Err(Error::Config {
        problems: vec![ConfigProblem { place: "preset".to_owned(), key: String::new(), message }],
    })
}

/// Everything of the file, as far as it can be read; problems stay in the document.
fn assemble(
    document: &Document,
    app: Option<&str>,
    laid: Option<&str>,
    executable: Option<&Executable>,
    seed: u64,
) -> Design {
    let root = document.root();
    let clocks = Clocks::read(&root);
    let (clusters, mut configs) = cluster::clusters(&root, &clocks);
    let instances = |name: &str| clusters.iter().find(|c| c.name == name).map(|c| c.count);
    let (mut places, behind) = Places::read(document, &clocks, &instances, seed);
    places.connect(document, behind);
    cluster::data_caches(&root, &mut configs, &places.named);
    let (links, link_configs) = places::links(&root, &clocks, &instances);
    let routes = cluster::routes(&root, &clusters, &places.named, &links);
    let (inboxes, inbox_configs) = cluster::inboxes(&root);
    let names: Vec<String> = inboxes.iter().map(|inbox| inbox.name.clone()).collect();
    let ports = Ports::read(&root, &names, link_configs.iter().map(|link| link.name.clone()).collect());
    let order = port::order(&root);
    let transmit = port::transmit_buffer(&root);
    let board = board::board(&root);
    let senders = ports.ports.iter().filter(|port| port.transmit.is_some()).count() as u16;
    let mut roles = Roles::default();
    let queue_manager = places::queue_manager_of(&root);
    let threads: u64 = configs.iter().map(|c| u64::from(c.engines) * u64::from(c.threads)).sum();
    let keeps = transmit.is_some_and(|transmit| transmit.watermarks.is_some());
    let mut reading = Reading {
        roles: &mut roles,
        inboxes: &inboxes,
        ports: senders,
        seed,
        threads,
        keeps,
        results: places::has_results(&root),
        queue_manager,
        bind: root.section("bind"),
        executable,
        costs: ExecutionCosts::plain(),
        is_executed: false,
        sends_blocks: configs.iter().any(|config| config.block_cells.is_some()),
        laid: laid.map(str::to_owned),
    };
    if queue_manager == Some(Kind::QArray) && threads > u64::from(Q_ARRAY_THREADS) {
        let message = format!(
            "a Q_array keeps its tags in one engine's CAM, for {Q_ARRAY_THREADS} threads; this chip has {threads}: give it fewer \
             engines or threads, or take sqc"
        );
        document.report(root.place(), "queues.manager", message);
    }
    let programs = programs(document, &clusters, &mut configs, &names, app, &mut reading);
    let rings = inboxes.iter().map(|inbox| ring(inbox, &mut roles)).collect();
    let mut binder = Binder {
        document,
        clusters: &clusters,
        places: &places,
        links: &links,
        routes: &routes,
        senders: senders.into(),
    };
    let bound = binder.bind(&mut roles, &programs, &configs, &ports.moves, seed);
    let line_gbps: f64 = ports
        .ports
        .iter()
        .filter_map(|p| p.receive.as_ref())
        .map(|r| match r.bits_per_second {
            0 => f64::INFINITY,
            bits => bits as f64 / 1e9,
        })
        .sum();
    let overhead = ports.ports.first().map_or(20, |port| port.overhead_bytes);
    let traffic = traffic(&root, line_gbps, overhead);
    let saturated = traffic.arrivals.is_none();
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
        board,
    }
}

/// The program that a chip's file names.
fn own_program(root: &Section<'_>) -> Option<String> {
    root.section("program")?.text_if("run", "program: a preset of presets/programs, or a file")
}

fn ring(inbox: &NamedInbox, roles: &mut Roles) -> Option<(usize, u16)> {
    inbox.ring.as_ref().map(|ring| (roles.number(&ring.memory, &ring.place), ring.bytes))
}

/// Reads the program of each cluster, and numbers what clusters take from.
fn programs(
    document: &Document,
    clusters: &[NamedCluster],
    configs: &mut [ClusterConfig],
    inboxes: &[String],
    app: Option<&str>,
    reading: &mut Reading<'_>,
) -> Vec<ReadProgram> {
    let mut programs = Vec::new();
    if let Some(app) = app
        && !clusters.is_empty()
        && clusters.iter().all(|named| named.program.is_some())
    {
        let message = format!("`{app}` has no effect: every cluster names its own program");
        document.report("--app", "", message);
    }
    let own = own_program(&document.root());
    // Programs that come with the project take their costs from the file of the chip, whichever of them runs.
    let root = document.root();
    let natives = |app: &str| own.is_some() && native::is_costed(app, &root);
    let finds_no_costs = app.is_some_and(|app| !natives(app)) && reading.laid.is_none();
    if finds_no_costs || clusters.iter().all(|named| named.program.is_some()) {
        // Another program runs; the file's own may stay for the next time.
        document.root().leave(&["program"]);
    }
    // An executed program takes the place of the file's own, unless that says by a step where it is executed.
    let replaces = reading.executable.is_some() && app.is_none() && !runs_by_step(&root);
    if replaces {
        root.leave(&["program"]);
    }
    let runs = app.map(str::to_owned).or(own.clone()).filter(|_| !replaces).unwrap_or_default();
    document.root().leave(&native::sections_of_others(&runs));
    for named in clusters {
        reading.costs = named.costs.clone();
        let blocks = configs[named.first].block_cells.is_some();
        if blocks && named.program.is_none() {
            // They send what the program of the others stores.
            configs[named.first..named.first + named.count].iter_mut().for_each(|config| config.program = 0);
            continue;
        }
        let own = named
            .program
            .as_deref()
            .map(|name| (name, (named.place.clone(), format!("cluster.{}.program", named.name))));
        let app_file = app.filter(|_| reading.laid.is_none());
        let name = own.or(app_file.map(|app| (app, ("--app".to_owned(), String::new()))));
        let name = name.filter(|(name, _)| !natives(name) || named.program.is_some());
        let read = match reading.executable.filter(|_| replaces && named.program.is_none()) {
            Some(executable) => Some(executed(executable, document, &named.place, reading)),
            None => program(document, name, app.filter(|app| natives(app)), reading),
        };
        let number = match read {
            Some(program) => {
                programs.push(program);
                programs.len() - 1
            }
            None => 0,
        };
        let mut takes = Vec::new();
        for wanted in &named.takes {
            match inboxes.iter().position(|inbox| inbox == wanted) {
                Some(inbox) => takes.push(inbox),
                None => {
                    let near = nearest(wanted, inboxes.iter().map(String::as_str));
                    let message = format!("no inbox or ring is called `{wanted}`{near}");
                    document.report(named.place.clone(), &format!("cluster.{}.takes", named.name), message);
                }
            }
        }
        if blocks {
            if !named.takes.is_empty() {
                let key = format!("cluster.{}.takes", named.name);
                let message = "has no effect: its threads move blocks (block_cells) and take no packets";
                document.report(named.place.clone(), &key, message);
            }
        } else if named.takes.is_empty() {
            match inboxes.len() {
                1 => takes.push(0),
                _ => document.report(
                    named.place.clone(),
                    &format!("cluster.{}.takes", named.name),
                    "missing: say which inboxes its threads take packets from",
                ),
            }
        }
        for config in &mut configs[named.first..named.first + named.count] {
            (config.program, config.takes) = (number, takes.clone());
        }
    }
    if let Some(executable) = reading.executable.filter(|_| !reading.is_executed) {
        let message = format!(
            "`{}` is executed nowhere: programs of clusters, and what --app names, say where by a step with op = \"run\"",
            executable.name()
        );
        document.report("--program", "", message);
    }
    for (number, inbox) in inboxes.iter().enumerate() {
        if !configs.iter().any(|cluster| cluster.takes.contains(&number)) {
            document.report(document.root().place(), &format!("inbox.{inbox}"), "no cluster takes from it");
        }
    }
    programs
}

/// What binding gives.
struct Bound {
    targets: Vec<Vec<Option<TargetConfig>>>,
    packets: Option<PacketMemoryConfig>,
    /// Place of each role, by name.
    names: Vec<String>,
}

/// Whether a letter is wrong, missing or exchanged. `packets` is another role than `packet`.
fn is_misspelt(name: &str, meant: &str) -> bool {
    let plural = name.strip_suffix('s') == Some(meant) || meant.strip_suffix('s') == Some(name);
    !plural && strsim::damerau_levenshtein(name, meant) == 1
}

/// Binds roles to places, for every cluster that uses them.
struct Binder<'a> {
    document: &'a Document,
    clusters: &'a [NamedCluster],
    places: &'a Places,
    links: &'a [Named],
    routes: &'a [Route],
    /// Ports that send.
    senders: u32,
}

impl Binder<'_> {
    fn bind(
        &mut self,
        roles: &mut Roles,
        programs: &[ReadProgram],
        configs: &[ClusterConfig],
        moves: &Moves,
        seed: u64,
    ) -> Bound {
        let packet_role = self.packet_role(roles, programs, moves);
        let names = self.names(roles);
        let blocks = configs.iter().any(|config| config.block_cells.is_some());
        let packets =
            packet_role.and_then(|role| self.packet_memory(role, &names[role], moves, seed, blocks));
        if programs.is_empty() {
            // What is wrong with the program has been said; whether it keeps packets there cannot be.
            for memory in self.document.root().sections("memory") {
                memory.pass_over(&["allocator", "page_bytes", "pool_bytes", "pools", "order", "caches"]);
            }
        }
        let caches = packets.as_ref().is_some_and(|packets| packets.wide.is_some());
        for program in programs.iter().filter(|program| caches && !program.allocates) {
            let message = format!(
                "{} moves packets by single instructions, not through caches of queues: choose another allocator than \
                 per_queue_linear",
                program.name
            );
            self.document.report(self.document.root().place(), "program.run", message);
        }
        let bases = self.bases(roles, &names, packets.as_ref());
        let mut targets = Vec::new();
        for (number, config) in configs.iter().enumerate() {
            let Some(named) = self.clusters.iter().find(|c| (c.first..c.first + c.count).contains(&number))
            else {
                continue;
            };
            let row = (0..roles.names.len()).map(|role| {
                let mut used =
                    programs.get(config.program).is_some_and(|program| program.roles.contains(&role));
                used |= packet_role == Some(role) || roles.places[role].is_empty();
                // Rings are reached by whoever may put or take.
                used |= programs.iter().all(|program| !program.roles.contains(&role));
                let first_instance = number == named.first;
                used.then(|| {
                    let (called, name, base) = (&roles.names[role], &names[role], bases[role]);
                    self.target(named, number - named.first, called, name, base, first_instance)
                })
                .flatten()
            });
            targets.push(row.collect());
        }
        Bound { targets, packets, names }
    }

    /// The place of each role: what `[bind]` says, or the memory or unit of the role's own name.
    fn names(&self, roles: &Roles) -> Vec<String> {
        let root = self.document.root();
        let section = root.section("bind");
        let mut bound = Vec::new();
        if let Some(section) = &section {
            for key in section.keys() {
                let name = section.text(&key, "memory or unit that programs call so");
                if self.places.find(&name).is_none() {
                    let near = nearest(&name, self.places.named.iter().map(|n| n.name.as_str()));
                    section.fail(&key, format!("no memory or unit is called `{name}`{near}"));
                }
                let meant = |region: &&String| is_misspelt(&key, region);
                let unused = !roles.names.contains(&key);
                if let Some(meant) = roles.regions.iter().filter(|_| unused).find(meant) {
                    section
                        .fail(&key, format!("the program has nothing of this name; did you mean `{meant}`?"));
                }
                bound.push((key, name));
            }
        }
        let name_of = |(role, place): (&String, &String)| {
            if let Some((_, name)) = bound.iter().find(|(key, _)| key == role) {
                return name.clone();
            }
            if self.places.find(role).is_none() {
                let known = bound.iter().map(|(key, _)| key.as_str());
                let near = nearest(role, known.chain(self.places.named.iter().map(|n| n.name.as_str())));
                let message = format!(
                    "`{role}` is bound to nothing{near}; say which memory or unit it is: {role} = \"NAME\" in [bind]"
                );
                self.document.report(place.clone(), &format!("bind.{role}"), message);
            }
            role.clone()
        };
        roles.names.iter().zip(&roles.places).map(name_of).collect()
    }

    /// The role of the memory that packets are kept in, if they are.
    fn packet_role(&self, roles: &mut Roles, programs: &[ReadProgram], moves: &Moves) -> Option<usize> {
        let mut found: Option<usize> = None;
        let both = [moves.receive_to.as_ref(), moves.send_from.as_ref()];
        for (name, place) in both.into_iter().flatten() {
            let number = roles.number(name, place);
            if found.is_some_and(|other| other != number) {
                let message = format!(
                    "packets are written to `{}` and read from `{name}`: name one memory",
                    roles.names[found.unwrap_or(0)]
                );
                self.document.report(place.clone(), "send_from", message);
            }
            found = Some(number);
        }
        if found.is_none() && programs.iter().any(|program| program.moves_cells) {
            let root = self.document.root();
            found = Some(roles.number("packets", &root.place()));
        }
        found
    }

    /// How packets are placed in their memory.
    fn packet_memory(
        &self,
        role: usize,
        name: &str,
        moves: &Moves,
        seed: u64,
        placed_by_programs: bool,
    ) -> Option<PacketMemoryConfig> {
        let queues = if placed_by_programs { self.senders } else { 1 };
        let root = self.document.root();
        let section = root.sections("memory").into_iter().find(|section| section.name() == name)?;
        let kind_of_place = self.places.find(name).map(|named| &self.places.configs[named.first].kind);
        if matches!(kind_of_place, Some(PlaceKind::Slots(_))) {
            section.leave(&["page_bytes", "pool_bytes", "pools", "order", "caches"]);
            return Some(PacketMemoryConfig {
                role,
                placement: PlacementRule::RandomBank,
                placed_by_programs: false,
                wide: None,
                received_by_ports: moves.receive_to.is_some(),
                sent_by_ports: moves.send_from.is_some(),
            });
        }
        let kinds = AllocatorKind::ALL.map(|kind| (kind.name(), kind));
        let kind = section.choice_or("allocator", "fixed", &kinds, "where packets are placed");
        let page =
            section.integer_or("page_bytes", 2048, 64..=4_194_240, "buffer or page of the allocator") as u32;
        let capacity = self.places.find(name).and_then(|named| named.capacity_bytes);
        let usual = match kind_of_place {
            // All of it is the packet buffer.
            Some(PlaceKind::PacketBuffer(_)) => capacity.unwrap_or(4 << 20),
            _ => 4 << 20,
        };
        let pool = section.integer_or("pool_bytes", usual, 64..=MOST_POOL_BYTES, "room for packets");
        if pool > MOST_POOL_BYTES {
            let message = format!(
                "{name} holds {pool} bytes, all for packets; expected at most {MOST_POOL_BYTES}: say how many"
            );
            section.fail("pool_bytes", message);
            return None;
        }
        let pools = section.integer_or("pools", 1, 1..=2, "pools that are drawn from in turn") as u32;
        let orders = [("lifo", PoolOrder::Lifo), ("fifo", PoolOrder::Fifo)];
        let order =
            section.choice_or("order", "lifo", &orders, "which freed buffer or page comes first again");
        if !page.is_multiple_of(CELL_BYTES) {
            section.fail("page_bytes", format!("{page} bytes are not whole cells of {CELL_BYTES} bytes"));
        }
        let allocator = AllocatorConfig {
            kind,
            cells: (pool / u64::from(CELL_BYTES)) as u32,
            page_cells: page / CELL_BYTES,
            pools,
            order,
            queues,
            seed,
        };
        let wide = wide(&section, kind, queues);
        if let Err(message) = linecard_buffers::Allocator::new(&allocator) {
            section.fail("pool_bytes", message);
        }
        Some(PacketMemoryConfig {
            role,
            placement: PlacementRule::Allocator(allocator),
            placed_by_programs,
            wide,
            received_by_ports: moves.receive_to.is_some(),
            sent_by_ports: moves.send_from.is_some(),
        })
    }

    /// First byte of each role's data in its place; what does not fit is said.
    fn bases(&self, roles: &Roles, names: &[String], packets: Option<&PacketMemoryConfig>) -> Vec<u64> {
        let mut bases = vec![0; names.len()];
        for named in &self.places.named {
            let mut used = 0;
            let mut parts = Vec::new();
            for role in (0..names.len()).filter(|&role| names[role] == named.name) {
                let room = packets.filter(|p| p.role == role);
                let bytes = match room.map(|packets| &packets.placement) {
                    None => roles.bytes[role],
                    Some(PlacementRule::Allocator(a)) => u64::from(a.cells) * u64::from(CELL_BYTES),
                    Some(PlacementRule::RandomBank) => 0,
                };
                // Regions begin with a line of any cache.
                bases[role] = u64::next_multiple_of(used, 4096);
                used = bases[role] + bytes;
                if bytes > 0 {
                    parts.push(format!("{} {bytes}", roles.names[role]));
                }
            }
            if let Some(capacity) = named.capacity_bytes
                && used > capacity
            {
                let message = format!(
                    "holds {capacity} bytes, and {used} are placed in it ({}): bind some of it elsewhere, or raise capacity_bytes",
                    parts.join(", ")
                );
                self.document.report(named.place.clone(), &format!("memory.{}", named.name), message);
            }
        }
        bases
    }

    /// How instance `number` of a cluster reaches a place.
    fn target(
        &self,
        cluster: &NamedCluster,
        number: usize,
        role: &str,
        name: &str,
        base: u64,
        report: bool,
    ) -> Option<TargetConfig> {
        let place = self.places.find(name)?;
        let own = place.per.as_deref() == Some(cluster.name.as_str());
        if place.per.is_some() && !own {
            if report {
                let whose = place.per.as_deref().unwrap_or("");
                let message = format!(
                    "`{name}` is there for each `{whose}`, and `{}` reaches none of them",
                    cluster.name
                );
                self.document.report(cluster.place.clone(), &format!("cluster.{}", cluster.name), message);
            }
            return None;
        }
        let mine = |route: &&Route| route.from.contains(&cluster.name);
        let leads = |route: &&Route| mine(route) && route.to.iter().any(|to| to == name);
        let of_role = self.routes.iter().filter(leads).find(|route| route.roles.iter().any(|r| r == role));
        let route = of_role.or(self.routes.iter().filter(leads).find(|route| route.roles.is_empty()));
        let others = || self.routes.iter().any(|route| mine(&route) && route.roles.is_empty());
        if route.is_none() && !own && others() && report {
            let message =
                format!("no [[route]] leads from `{}` to `{name}`, which its program uses", cluster.name);
            self.document.report(cluster.place.clone(), &format!("cluster.{}", cluster.name), message);
        }
        let link = |name: &String| {
            let link = self.links.iter().find(|link| link.name == *name)?;
            Some(link.first + if link.per.as_deref() == Some(&cluster.name) { number } else { 0 })
        };
        Some(TargetConfig {
            place: place.first + if own { number } else { 0 },
            base,
            issue_ps: route.map_or(0, |r| r.issue_ps),
            back_ps: route.map_or(0, |r| r.back_ps),
            links: route.map_or_else(Vec::new, |r| r.links.iter().filter_map(link).collect()),
        })
    }
}

/// Reads the caches of output queues in front of the packet memory, which keep space apart by queue asks for.
fn wide(section: &Section<'_>, kind: AllocatorKind, queues: u32) -> Option<WideConfig> {
    if kind != AllocatorKind::PerQueue {
        section.leave(&["caches"]);
        return None;
    }
    let Some(caches) = section.section("caches") else {
        section.fail(
            "caches",
            "missing: space kept apart by queue is given back in the order of the queue, which caches of the queues see to",
        );
        return None;
    };
    let block_cells = caches.integer("block_cells", 1..=32, "cells of a wide access") as u32;
    let cells =
        caches.integer("cache_cells", 1..=1_000_000, "cells of each of the two caches, all queues together")
            as u32;
    let blocks = cells / queues.max(1) / block_cells.max(1);
    if blocks == 0 {
        let message =
            format!("room for less than one block of {block_cells} cells for each of {queues} queues");
        caches.fail("cache_cells", message);
    }
    let cell_ps =
        (caches.number("cell_ns", 0.0..=1e9, "to move a cell between a thread and a cache") * 1e3).round();
    Some(WideConfig { block_cells, blocks, cell_ps: cell_ps as u64 })
}

/// A chip or a program as `linecard describe` shows it.
///
/// # Errors
/// All problems at once.
pub(crate) fn describe(preset: &str, overrides: &[String]) -> Result<Description, Error> {
    let (title, extends, rows, derived) = match is_program(preset) {
        true => {
            let (title, extends, rows) = describe_program(preset).map_err(problems)?;
            (title, extends, rows, Vec::new())
        }
        false => {
            let design = Design::load(preset, overrides, None, 1)?;
            let derived = derived(&design.config);
            let mut rows = design.rows;
            // What the other programs cost that the file has costs of, too.
            for name in native::names().into_iter().filter(|&name| name != design.app) {
                let Ok(other) = Design::load(preset, overrides, Some(name), 1) else { continue };
                let section = format!("{}.", native::section(name));
                let own = |row: &Row| section.len() > 1 && row.key.starts_with(&section);
                rows.extend(other.rows.into_iter().filter(own));
            }
            (design.title, design.extends, rows, derived)
        }
    };
    let described = |row: Row| Described {
        key: row.key,
        value: row.value,
        unit: row.unit,
        meaning: row.meaning,
        allowed: row.allowed,
        source: row.source,
        interval: row.interval,
    };
    let parameters = rows.into_iter().map(described).collect();
    Ok(Description { preset: preset.to_owned(), title, extends, parameters, derived })
}

/// What follows from a chip's parameters.
fn derived(config: &ChipConfig) -> Vec<Derived> {
    let each = |of: fn(&ClusterConfig) -> f64| config.clusters.iter().map(of).sum::<f64>();
    let engines = |c: &ClusterConfig| f64::from(c.engines);
    let mut rows = vec![
        row(
            "hardware threads",
            each(|c| f64::from(c.engines) * f64::from(c.threads)),
            "threads",
            "engines x threads",
        ),
        row(
            "engine cycles",
            config.clusters.iter().map(|c| engines(c) * c.clock_hz as f64 / 1e6).sum(),
            "Mcycles/s",
            "engines x clock",
        ),
    ];
    for place in &config.places {
        let PlaceKind::PacketBuffer(buffer) = &place.kind else { continue };
        let organization = buffer.device.organization();
        let per_cycle = f64::from(organization.beat_bytes * organization.beats_per_cycle * 8);
        let peak = per_cycle * buffer.clock_hz as f64 / 1e9 * f64::from(buffer.channels);
        let closed = buffer.device.open_cycles() + buffer.device.timing().read_latency;
        let effective = |bytes: f64| {
            let data = bytes * 8.0 / per_cycle;
            peak * data / (data + closed as f64)
        };
        let mut add = |what: &str, value: f64, formula: &str| {
            rows.push(row(&format!("{}: {what}", place.name), value, "Gbit/s", formula));
        };
        add("peak bandwidth", peak, "bus bytes x beats x clock");
        add("peak packet throughput", peak / 2.0, "each packet is written and read once");
        let (small, cell) = (effective(8.0), effective(64.0));
        add("8-byte accesses to closed rows", small, "8 B in tRCD + read latency + data");
        add("64-byte accesses to closed rows", cell, "64 B in tRCD + read latency + data");
    }
    rows
}

/// What a block diagram of a chip shows.
#[derive(Clone, Debug, Serialize)]
pub struct ChipDrawing {
    /// The preset.
    pub preset: String,
    /// What it is.
    pub title: String,
    /// Clusters by name.
    pub clusters: Vec<DrawnCluster>,
    /// Memories and accelerators.
    pub places: Vec<DrawnPlace>,
    /// Links.
    pub links: Vec<DrawnLink>,
    /// Ways between them.
    pub routes: Vec<DrawnRoute>,
    /// Ports.
    pub ports: Vec<DrawnPort>,
}

/// A cluster of a drawing.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnCluster {
    /// Its name.
    pub name: String,
    /// How many there are, and of what.
    pub count: usize,
    /// Engines of each.
    pub engines: u32,
    /// Threads of an engine.
    pub threads: u32,
    /// Clock.
    pub clock_mhz: f64,
}

/// A place of a drawing.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnPlace {
    /// Its name.
    pub name: String,
    /// How it serves.
    pub kind: String,
    /// Cluster that has one each.
    pub per: Option<String>,
    /// How many there are.
    pub count: usize,
    /// Roles that it plays.
    pub roles: Vec<String>,
    /// What it holds.
    pub capacity_bytes: Option<u64>,
    /// Place behind it, of a cache.
    pub behind: Option<String>,
}

/// A link of a drawing.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnLink {
    /// Its name.
    pub name: String,
    /// How many there are.
    pub count: usize,
    /// Rate, Gbit/s.
    pub rate_gbps: f64,
}

/// A route of a drawing.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnRoute {
    /// Cluster.
    pub from: String,
    /// Place.
    pub to: String,
    /// Links on the way.
    pub links: Vec<String>,
    /// There and back, nanoseconds, without waiting.
    pub nanoseconds: f64,
}

/// Ports of a drawing.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnPort {
    /// Their name.
    pub name: String,
    /// How many there are.
    pub count: usize,
    /// Rate in and out, Gbit/s.
    pub receive_gbps: Option<f64>,
    /// See `receive_gbps`.
    pub transmit_gbps: Option<f64>,
    /// Memory that they write packets to and read them from.
    pub memory: Option<String>,
}

/// What a drawing of a chip shows.
///
/// # Errors
/// All problems of the file at once.
pub fn drawing(preset: &str, overrides: &[String]) -> Result<ChipDrawing, Error> {
    let design = Design::load(preset, overrides, None, 1)?;
    let config = &design.config;
    let clusters = design.clusters.iter().map(|named| {
        let cluster = &config.clusters[named.first];
        DrawnCluster {
            name: named.name.clone(),
            count: named.count,
            engines: cluster.engines,
            threads: cluster.threads,
            clock_mhz: cluster.clock_hz as f64 / 1e6,
        }
    });
    let places = design.places.iter().map(|named| DrawnPlace {
        name: named.name.clone(),
        kind: named.kind.to_owned(),
        per: named.per.clone(),
        count: named.count,
        roles: design
            .roles
            .iter()
            .filter(|(_, place)| *place == named.name)
            .map(|(role, _)| role.clone())
            .collect(),
        capacity_bytes: named.capacity_bytes,
        behind: match &config.places[named.first].kind {
            linecard_chip::config::PlaceKind::Cached(cache) => {
                Some(config.places[cache.behind].group.clone())
            }
            _ => None,
        },
    });
    let links = design.links.iter().map(|named| DrawnLink {
        name: named.name.clone(),
        count: named.count,
        rate_gbps: 8e6 / config.links[named.first].byte_fs.max(1) as f64,
    });
    let mut routes = Vec::new();
    for route in &design.routes {
        for from in &route.from {
            routes.extend(route.to.iter().map(|to| DrawnRoute {
                from: from.clone(),
                to: to.clone(),
                links: route.links.clone(),
                nanoseconds: (route.issue_ps + route.back_ps) as f64 / 1e3,
            }));
        }
    }
    let packet_memory = config.packets.as_ref().map(|packets| design.roles[packets.role].1.clone());
    let mut ports: Vec<DrawnPort> = Vec::new();
    for port in &config.ports {
        match ports.iter_mut().find(|drawn| drawn.name == port.group) {
            Some(drawn) => drawn.count += 1,
            None => ports.push(DrawnPort {
                name: port.group.clone(),
                count: 1,
                receive_gbps: port.receive.as_ref().map(|r| r.bits_per_second as f64 / 1e9),
                transmit_gbps: port.transmit.as_ref().map(|t| t.bits_per_second as f64 / 1e9),
                memory: packet_memory.clone(),
            }),
        }
    }
    Ok(ChipDrawing {
        preset: preset.to_owned(),
        title: design.title.clone(),
        clusters: clusters.collect(),
        places: places.collect(),
        links: links.collect(),
        routes,
        ports,
    })
}
