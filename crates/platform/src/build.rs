//! From a resolved preset to a machine and its application.

use crate::error::{ConfigProblem, Error};
use crate::files::{Files, PresetKind, Shelf};
use crate::preset::{Resolved, Setting, Value, problem, resolve};
use crate::schema::nearest;
use linecard_apps::{
    Firewall, FirewallConfig, IoCosts, L3Forward, Loops, Nat, NatConfig, Probe, Probed, ResultCacheUse,
    Route, RouteTable, Step, VanillaConfig, VanillaCosts, VanillaIp,
};
use linecard_buffers::{AllocatorConfig, AllocatorKind, PoolOrder};
use linecard_dram::packet_buffer::{BatchBreak, Policy, Precharge, Queues};
use linecard_dram::{Command, Constraint, Edge, Level, Organization, RowMap, Timing};
use linecard_flowcache::{Digester, FlowCache, FlowCacheError, Geometry, Hash, Key};
use linecard_np::{
    BranchConfig, BufferPath, EngineConfig, MachineConfig, MemoryConfig, OutputConfig, PathsConfig,
    QueueManagerConfig, ReceiveConfig, ReceiveMode, ResultCacheConfig, UnitConfig,
};
use linecard_program::{Application, CELL_BYTES, Path, Unit};
use linecard_queueing::{Kind, Q_ARRAY_THREADS, Settings};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A preset with its application chosen: one value for every parameter.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    pub app: String,
    settings: BTreeMap<String, Setting>,
    resolved: Resolved,
}

impl Configuration {
    /// Read a preset, choose the application (`app`, or the preset's own) and build the machine once, so that all
    /// problems come at once.
    pub fn load(preset: &str, overrides: &[String], app: Option<&str>) -> Result<Self, Error> {
        Self::of(&Files::read(preset, &Shelf::default()), overrides, app)
    }

    /// [`Configuration::load`] of files that have been read.
    pub fn of(files: &Files<'_>, overrides: &[String], app: Option<&str>) -> Result<Self, Error> {
        let preset = files.preset();
        let refused = match files.kind() {
            Some(PresetKind::Policy) => Some(("a policy of a memory controller", "--policy")),
            Some(PresetKind::Memory) => Some(("a DRAM part", "--device")),
            _ => None,
        };
        if let Some((what, option)) = refused {
            let message =
                format!("`{preset}` is {what}, no machine: `linecard dram run {option} {preset}` runs it");
            return Err(Error::Config { problems: vec![problem("preset".into(), "", message)] });
        }
        let (resolved, mut problems) = resolve(files, overrides);
        let configuration = Self::choose(resolved, app, &mut problems);
        let built = configuration.as_ref().map(|c| c.machine(1).map(drop));
        if let Some(Err(Error::Config { problems: more })) = built {
            problems.extend(more);
        }
        match configuration {
            Some(configuration) if problems.is_empty() => Ok(configuration),
            _ => Err(Error::Config { problems }),
        }
    }

    /// One value for every parameter, if there are any at all.
    fn choose(resolved: Resolved, app: Option<&str>, problems: &mut Vec<ConfigProblem>) -> Option<Self> {
        if resolved.settings.is_empty() {
            if problems.is_empty() {
                let message = "sets no parameter of a machine: say what it extends, or give every parameter";
                problems.push(problem("preset".into(), "", message.to_owned()));
            }
            return None;
        }
        if resolved.is_part() {
            let title = &resolved.title;
            let message = format!(
                "this is a part (\"{title}\") that platforms extend; `linecard presets` lists what can be run"
            );
            problems.push(problem("preset".into(), "", message));
            return None;
        }
        let own = &resolved.settings["app.name"];
        let app = match app {
            None => own.value.to_string(),
            Some(app) => {
                if own.place.starts_with("--set") && own.value.to_string() != app {
                    let message = format!("`{}` contradicts --app {app}; give one of the two", own.value);
                    problems.push(problem(own.place.clone(), "app.name", message));
                }
                app.to_owned()
            }
        };
        let apps = resolved.schema.apps;
        if !apps.contains(&app.as_str()) {
            let near = nearest(&app, apps.iter().copied());
            let message = format!(
                "no application of this machine is called `{app}`{near} (there are {})",
                apps.join(", ")
            );
            problems.push(problem("--app".into(), "", message));
        }
        let mut settings = resolved.settings.clone();
        for ((for_app, key), setting) in &resolved.for_app {
            if *for_app == app {
                settings.insert(key.clone(), setting.clone());
            }
        }
        let missing: Vec<_> =
            resolved.schema.parameters.iter().filter(|p| !settings.contains_key(p.key)).collect();
        problems.extend(
            missing.iter().map(|p| problem("preset".into(), p.key, format!("missing ({})", p.meaning))),
        );
        missing.is_empty().then_some(Self { app, settings, resolved })
    }

    pub fn setting(&self, key: &str) -> &Setting {
        // Every key of the schema has a value: `new` has seen to it.
        &self.settings[key]
    }

    pub fn constraints(&self) -> &[crate::preset::ConstraintRow] {
        &self.resolved.constraints
    }

    pub fn integer(&self, key: &str) -> u64 {
        match self.setting(key).value {
            Value::Integer(i) => i as u64,
            ref other => unreachable!("{key} was checked to be a whole number, not {other}"),
        }
    }

    pub fn small(&self, key: &str) -> u32 {
        self.integer(key) as u32
    }

    pub fn number(&self, key: &str) -> f64 {
        match self.setting(key).value {
            Value::Integer(i) => i as f64,
            Value::Number(n) => n,
            ref other => unreachable!("{key} was checked to be a number, not {other}"),
        }
    }

    fn switch(&self, key: &str) -> bool {
        self.setting(key).value == Value::Switch(true)
    }

    pub fn text(&self, key: &str) -> String {
        self.setting(key).value.to_string()
    }

    pub fn hertz(&self, key: &str) -> u64 {
        (self.number(key) * 1e6).round() as u64
    }

    pub fn picoseconds(&self, key: &str) -> u64 {
        (self.number(key) * 1e3).round() as u64
    }

    /// SHA-256 over every value and constraint, in order of key.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(format!("app={}\n", self.app));
        for p in self.resolved.schema.parameters {
            hasher.update(format!("{}={}\n", p.key, self.setting(p.key).value));
        }
        for c in &self.resolved.constraints {
            hasher.update(format!(
                "{}:{}:{:?}:{:?}:{}:{}:{}\n",
                c.name, c.level, c.before, c.after, c.cycles, c.from, c.window
            ));
        }
        hasher.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }

    /// The machine, or everything that does not fit together.
    pub fn machine(&self, seed: u64) -> Result<MachineConfig, Error> {
        let mut problems = Vec::new();
        let organization = self.organization(&mut problems);
        let timing = self.timing(&mut problems);
        let capacity_cells = (self.integer("dram.capacity_mib") << 20) / u64::from(CELL_BYTES);
        let cells = u32::try_from(capacity_cells).unwrap_or(u32::MAX);
        let page_bytes = self.small("buffer.page_bytes");
        if !page_bytes.is_multiple_of(CELL_BYTES) {
            let message = format!("{page_bytes} bytes are not whole cells of {CELL_BYTES} bytes");
            problems.push(self.problem("buffer.page_bytes", message));
        }
        let queues = self.small("output.ports");
        let allocator = AllocatorConfig {
            kind: pick(&self.text("buffer.allocator"), AllocatorKind::ALL.map(|k| (k.name(), k))),
            cells,
            page_cells: page_bytes / CELL_BYTES,
            pools: self.small("buffer.pools"),
            order: pick(&self.text("buffer.order"), [("lifo", PoolOrder::Lifo), ("fifo", PoolOrder::Fifo)]),
            queues,
            seed,
        };
        let path = self.path(queues, &allocator, &mut problems);
        let result_cache = self.result_cache(seed, &mut problems);
        let queue_manager = self.queue_manager(&mut problems);
        let paged = matches!(allocator.kind, AllocatorKind::Fixed | AllocatorKind::Piecewise);
        let bytes = self.small("traffic.packet_bytes");
        if self.text("traffic.kind") == "fixed" && paged && bytes > page_bytes {
            let message =
                format!("packets of {bytes} bytes fit no buffer of {page_bytes} bytes (buffer.page_bytes)");
            problems.push(self.problem("traffic.packet_bytes", message));
        }
        if !problems.is_empty() {
            return Err(Error::Config { problems });
        }
        let unit = |name: &str| UnitConfig {
            latency_ps: self.picoseconds(&format!("{name}.latency_ns")),
            word_ps: self.picoseconds(&format!("{name}.word_ns")),
            access_ps: self.picoseconds(&format!("{name}.access_ns")),
            transit_ps: self.picoseconds(&format!("{name}.transit_ns")),
        };
        Ok(MachineConfig {
            engine: EngineConfig {
                clock_hz: self.hertz("engine.clock_mhz"),
                input_engines: self.small("engine.input_engines"),
                output_engines: self.small("engine.output_engines"),
                threads: self.small("engine.threads"),
                switch_cycles: self.small("engine.switch_cycles"),
                branch: BranchConfig {
                    share: self.number("engine.branch_share"),
                    lost_cycles: self.small("engine.branch_lost_cycles"),
                    seed,
                },
                posted_writes: self.small("engine.posted_writes"),
            },
            units: [unit("sram"), unit("scratch"), unit("hash"), unit("cache")],
            paths: self.paths(),
            result_cache,
            queue_manager,
            memory: MemoryConfig {
                clock_hz: self.hertz("dram.clock_mhz"),
                organization,
                timing,
                row_map: pick(&self.text("controller.row_map"), RowMap::ALL.map(|m| (m.name(), m))),
                policy: self.policy(),
                halves_apart: self.text("controller.halves") == "apart",
                allocator,
                latency_ps: self.picoseconds("buffer.latency_ns"),
                path,
            },
            receive: ReceiveConfig {
                ports: self.small("receive.ports"),
                fast_ports: self.small("receive.fast_ports"),
                bus_cell_ps: match self.number("receive.bus_gbps") {
                    limit if limit > 0.0 => (f64::from(CELL_BYTES) * 8e3 / limit).round() as u64,
                    _ => 0,
                },
                mode: match self.paced() {
                    false => ReceiveMode::Ready,
                    true => ReceiveMode::Paced { buffer_cells: self.small("receive.buffer_cells") },
                },
            },
            output: OutputConfig {
                ports: queues,
                block_cells: self.small("output.block_cells"),
                slots: self.small("output.slots"),
                handshake_ps: self.picoseconds("output.handshake_ns"),
                drain_cell_ps: self.picoseconds("output.drain_cell_ns"),
                fast_ports: self.small("output.fast_ports"),
                fast_drain_cell_ps: self.picoseconds("output.fast_drain_cell_ns"),
                queue_packets: self.small("output.queue_packets"),
            },
        })
    }

    /// Transfers of one instruction each.
    fn paths(&self) -> PathsConfig {
        let ps = |name: &str| self.picoseconds(&format!("paths.{name}_ns"));
        let cycle_ps = 1e6 / self.number("dram.clock_mhz");
        let bytes = self.integer("dram.bus_bytes") * self.integer("dram.beats_per_cycle");
        PathsConfig {
            issue_ps: ps("issue"),
            return_ps: ps("return"),
            pull_engine_ps: ps("pull_engine"),
            push_engine_ps: ps("push_engine"),
            pull_fifo_ps: ps("pull_fifo"),
            push_fifo_ps: ps("push_fifo"),
            fifo_ps: ps("fifo"),
            dram_access_ps: (self.number("paths.dram_access_cycles") * cycle_ps).round() as u64,
            dram_bytes_per_second: self.hertz("dram.clock_mhz") * bytes,
        }
    }

    /// The result cache, if there is one.
    fn result_cache(&self, seed: u64, problems: &mut Vec<ConfigProblem>) -> Option<ResultCacheConfig> {
        let entries = self.small("cache.entries");
        if entries == 0 {
            return None;
        }
        if self.app == "nat" {
            let message =
                "nat keeps its translations in its own table; a result cache serves l3fwd16 and firewall";
            problems.push(self.problem("cache.entries", message.to_owned()));
        }
        let mut good = |key: &str, error: FlowCacheError| {
            problems.push(self.problem(key, error.to_string()));
        };
        let geometry = Geometry::new(entries, self.small("cache.ways")).map_err(|e| good("cache.entries", e));
        let policy = linecard_flowcache::Policy::parse(&self.text("cache.policy"))
            .map_err(|e| good("cache.policy", e));
        let key = Key::parse(&self.text("cache.key")).map_err(|e| good("cache.key", e));
        let digester = Digester::new(Hash::Crc32c, self.small("cache.digest_bits"), seed)
            .map_err(|e| good("cache.digest_bits", e));
        let (Ok(geometry), Ok(policy), Ok(key), Ok(digester)) = (geometry, policy, key, digester) else {
            return None;
        };
        let configuration = linecard_flowcache::Configuration::new(geometry, policy);
        if let Err(error) = FlowCache::new(&configuration, seed) {
            good("cache.policy", error);
        }
        Some(ResultCacheConfig { configuration, key, digester, seed })
    }

    /// What programs do with the result cache, if there is one.
    fn result_cache_use(&self) -> Option<ResultCacheUse> {
        (self.integer("cache.entries") > 0).then(|| ResultCacheUse { hashes: self.small("cache.hashes") })
    }

    /// Which queue manager there is, if any.
    fn queue_manager_kind(&self) -> Option<Kind> {
        // "none" is the one name of the schema that is no manager's.
        Kind::parse(&self.text("queues.manager")).ok()
    }

    /// The queue manager, if there is one.
    fn queue_manager(&self, problems: &mut Vec<ConfigProblem>) -> Option<QueueManagerConfig> {
        let kind = self.queue_manager_kind()?;
        if ["vanilla_ip", "probe"].contains(&self.app.as_str()) {
            let message = format!(
                "a queue manager serves l3fwd16, nat and firewall; what {} does to a queue is instructions of its own",
                self.app
            );
            problems.push(self.problem("queues.manager", message));
        }
        let engines = self.small("engine.input_engines") + self.small("engine.output_engines");
        let threads = engines * self.small("engine.threads");
        if kind == Kind::QArray && threads > Q_ARRAY_THREADS {
            let message = format!(
                "a Q_array keeps its tags in one engine's CAM, for {Q_ARRAY_THREADS} threads; this machine has \
                 {threads}: lower engine.input_engines, engine.output_engines or engine.threads, or take sqc"
            );
            problems.push(self.problem("queues.manager", message));
        }
        let settings = Settings {
            entries: self.small("queues.entries"),
            engines: self.small("queues.engines"),
            interconnect_ps: self.picoseconds("queues.interconnect_ns"),
            memory_ps: self.picoseconds("queues.memory_ns"),
            // Instructions are the programs': engines carry them out.
            instruction_ps: Default::default(),
            ..Settings::default()
        };
        Some(QueueManagerConfig { kind, settings })
    }

    /// Whether packets arrive at their own times.
    pub fn paced(&self) -> bool {
        self.text("receive.mode") == "paced"
    }

    /// The forwarding table.
    pub fn routes(&self, seed: u64) -> Result<Vec<Route>, Error> {
        crate::routes::routes(&self.text("app.routes"), self.small("output.ports") as u16, seed)
            .map_err(|m| Error::Config { problems: vec![self.problem("app.routes", m)] })
    }

    /// The application.
    pub fn application(&self, seed: u64) -> Result<Rc<dyn Application>, Error> {
        let costs = IoCosts {
            input_first_cell_cycles: self.small("app.input_first_cell_cycles"),
            input_later_cell_cycles: self.small("app.input_later_cell_cycles"),
            input_cell_scratch: self.small("app.input_cell_scratch"),
            enqueue_cycles: self.small("app.enqueue_cycles"),
            enqueue_scratch: self.small("app.enqueue_scratch"),
            output_first_block_scratch: self.small("app.output_first_block_scratch"),
            output_later_block_scratch: self.small("app.output_later_block_scratch"),
            output_first_block_cycles: self.small("app.output_first_block_cycles"),
            output_later_block_cycles: self.small("app.output_later_block_cycles"),
            output_blocked_cell_cycles: self.small("app.output_blocked_cell_cycles"),
            queue_manager_cycles: self
                .queue_manager_kind()
                .map(|kind| Settings::default().instruction_cycles(kind) as u32),
        };
        let ports = self.small("output.ports") as u16;
        match self.app.as_str() {
            "nat" => {
                let buckets = self.small("nat.buckets");
                if !buckets.is_power_of_two() {
                    let message = format!("{buckets} is not a power of two");
                    return Err(Error::Config { problems: vec![self.problem("nat.buckets", message)] });
                }
                Ok(Rc::new(Nat::new(
                    costs,
                    NatConfig {
                        buckets,
                        entries: self.small("nat.entries"),
                        ports,
                        translate_cycles: self.small("nat.translate_cycles"),
                        update_cycles: self.small("nat.update_cycles"),
                        // 198.18.0.0/15, set aside for benchmarking network devices (RFC 2544).
                        address: 0xc612_0000,
                    },
                )))
            }
            "firewall" => Ok(Rc::new(Firewall::new(
                costs,
                FirewallConfig {
                    templates: crate::rules::templates(&self.text("firewall.rules"))
                        .map_err(|m| Error::Config { problems: vec![self.problem("firewall.rules", m)] })?,
                    ports,
                    extract_cycles: self.small("firewall.extract_cycles"),
                    template_cycles: self.small("firewall.template_cycles"),
                },
                self.result_cache_use(),
            ))),
            "vanilla_ip" => {
                let extension = crate::extension::parse(&self.text("vanilla.extension"))
                    .map_err(|m| Error::Config { problems: vec![self.problem("vanilla.extension", m)] })?;
                let config = VanillaConfig {
                    costs: self.vanilla_costs(),
                    real_ports: self.text("vanilla.ports") == "real",
                    loops: pick(
                        &self.text("vanilla.loops"),
                        [("both", Loops::Both), ("input", Loops::Input), ("output", Loops::Output)],
                    ),
                    extension,
                };
                Ok(Rc::new(VanillaIp::new(config, RouteTable::new(&self.routes(seed)?))))
            }
            "probe" => {
                let name = self.text("probe.transfer");
                let path = Path::ALL.into_iter().find(|path| path.name() == name).map(Probed::Path);
                let unit = || Unit::ALL.into_iter().find(|unit| unit.name() == name).map(Probed::Unit);
                let what = path.or_else(unit).expect("checked against the schema");
                Ok(Rc::new(Probe::new(what, self.small("probe.bytes"))))
            }
            _ => {
                let table = RouteTable::new(&self.routes(seed)?);
                Ok(Rc::new(L3Forward::new(costs, table, self.result_cache_use())))
            }
        }
    }

    /// The steps of Spalink 2000, Figure 5.
    fn vanilla_costs(&self) -> VanillaCosts {
        let scratch = |name: &str| {
            let key = format!("vanilla.{name}_scratch");
            if self.settings.contains_key(&key) { self.small(&key) } else { 0 }
        };
        let step = |name: &str| Step {
            cycles: self.small(&format!("vanilla.{name}_cycles")),
            scratch: scratch(name),
        };
        VanillaCosts {
            until_ready_receive: step("until_ready_receive"),
            fifo_to_dram: step("fifo_to_dram"),
            header_to_registers: step("header_to_registers"),
            hash: step("hash"),
            entry_to_registers: step("entry_to_registers"),
            function: step("function"),
            end_of_packet: step("end_of_packet"),
            enqueue: step("enqueue"),
            until_ready_send: step("until_ready_send"),
            start_of_packet: step("start_of_packet"),
            dequeue: step("dequeue"),
            dram_to_fifo: step("dram_to_fifo"),
            start_transfer: step("start_transfer"),
        }
    }

    pub fn problem(&self, key: &str, message: String) -> ConfigProblem {
        problem(self.setting(key).place.clone(), key, message)
    }

    fn organization(&self, problems: &mut Vec<ConfigProblem>) -> Organization {
        for key in ["dram.row_bytes", "dram.banks", "dram.bank_groups", "dram.bus_bytes"] {
            if !self.integer(key).is_power_of_two() {
                problems.push(self.problem(key, format!("{} is not a power of two", self.integer(key))));
            }
        }
        let (banks, row_bytes) = (self.small("dram.banks"), self.small("dram.row_bytes"));
        let rows = (self.integer("dram.capacity_mib") << 20) / u64::from(banks) / u64::from(row_bytes);
        if rows == 0 {
            let message =
                format!("{banks} banks with rows of {row_bytes} bytes do not fit into the capacity");
            problems.push(self.problem("dram.capacity_mib", message));
        }
        if self.small("dram.bank_groups") > banks {
            let message = format!("more groups than the {banks} banks");
            problems.push(self.problem("dram.bank_groups", message));
        }
        if self.text("controller.row_map") == "halves" && banks < 2 {
            problems.push(
                self.problem(
                    "controller.row_map",
                    "`halves` needs odd and even banks: dram.banks >= 2".into(),
                ),
            );
        }
        Organization {
            ranks: 1,
            groups: self.small("dram.bank_groups"),
            banks,
            row_bytes,
            rows: rows as u32,
            beat_bytes: self.small("dram.bus_bytes"),
            beats_per_cycle: self.small("dram.beats_per_cycle"),
        }
    }

    fn timing(&self, problems: &mut Vec<ConfigProblem>) -> Timing {
        let place = &self.resolved.constraints_place;
        let mut commands = |row: &str, names: &[String]| -> Vec<Command> {
            let known = |n: &String| Command::ALL.into_iter().find(|c| c.name() == n);
            for unknown in names.iter().filter(|n| known(n).is_none()) {
                let expected = Command::ALL.map(Command::name).join(", ");
                let message =
                    format!("constraint {row}: no command is called `{unknown}`; expected {expected}");
                problems.push(problem(place.clone(), "dram.constraint", message));
            }
            names.iter().filter_map(known).collect()
        };
        let mut constraints = Vec::new();
        let mut wrong = Vec::new();
        for c in &self.resolved.constraints {
            let level = match c.level.as_str() {
                "rank" => Level::Rank,
                "group" => Level::Group,
                "bank" => Level::Bank,
                other => {
                    wrong.push(format!(
                        "constraint {}: level `{other}`; expected rank, group or bank",
                        c.name
                    ));
                    continue;
                }
            };
            let from = match c.from.as_str() {
                "issue" => Edge::Issue,
                "column_end" => Edge::ColumnEnd,
                "data_end" => Edge::DataEnd,
                other => {
                    wrong.push(format!(
                        "constraint {}: from `{other}`; expected issue, column_end or data_end",
                        c.name
                    ));
                    continue;
                }
            };
            if c.source.trim().is_empty() || !(1..=16).contains(&c.window) {
                wrong.push(format!("constraint {}: needs a source and a window from 1 to 16", c.name));
            }
            constraints.push(Constraint {
                name: c.name.clone(),
                level,
                before: commands(&c.name, &c.before),
                after: commands(&c.name, &c.after),
                cycles: c.cycles,
                from,
                window: c.window,
            });
        }
        problems.extend(wrong.into_iter().map(|m| problem(place.clone(), "dram.constraint", m)));
        Timing {
            read_latency: self.integer("dram.read_latency_cycles"),
            write_latency: self.integer("dram.write_latency_cycles"),
            constraints,
        }
    }

    fn policy(&self) -> Policy {
        Policy {
            queues: pick(
                &self.text("controller.queues"),
                [("odd_even", Queues::OddEven), ("read_write", Queues::ReadWrite)],
            ),
            precharge: pick(
                &self.text("controller.precharge"),
                [("eager", Precharge::Eager), ("lazy", Precharge::Lazy)],
            ),
            batch: self.small("controller.batch_k"),
            batch_break: pick(
                &self.text("controller.batch_break"),
                [("same_bank_miss", BatchBreak::SameBankMiss), ("any_miss", BatchBreak::AnyMiss)],
            ),
            prefetch: self.switch("controller.prefetch"),
            ideal: self.switch("controller.ideal"),
        }
    }

    fn path(
        &self,
        queues: u32,
        allocator: &AllocatorConfig,
        problems: &mut Vec<ConfigProblem>,
    ) -> BufferPath {
        if self.text("buffer.path") == "direct" {
            return BufferPath::Direct;
        }
        if self.app == "vanilla_ip" {
            let message = "vanilla_ip moves packets by single instructions, not through caches of queues: set it to direct";
            problems.push(self.problem("buffer.path", message.to_owned()));
        }
        if allocator.kind != AllocatorKind::PerQueue {
            let message = format!(
                "`wide` moves blocks of one queue's cells, which `{}` does not keep together: set \
                 buffer.allocator=per_queue_linear",
                allocator.kind.name()
            );
            problems.push(self.problem("buffer.path", message));
        }
        let block_cells = self.small("wide.block_cells");
        let blocks = self.small("wide.cache_cells") / queues / block_cells;
        if blocks == 0 {
            let message =
                format!("room for less than one block of {block_cells} cells for each of {queues} queues");
            problems.push(self.problem("wide.cache_cells", message));
        }
        BufferPath::Wide { block_cells, blocks, cell_ps: self.picoseconds("wide.cell_ns") }
    }
}

/// The type of a name that the schema has checked.
pub(crate) fn pick<T: Copy, const N: usize>(name: &str, types: [(&str, T); N]) -> T {
    match types.iter().find(|(n, _)| *n == name) {
        Some((_, t)) => *t,
        None => unreachable!("`{name}` was checked against the schema"),
    }
}
