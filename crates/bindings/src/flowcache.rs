//! `linecard.flowcache`: simulates flow caches with the digests of a capture, of a digest file or of an array.
//!
//! All problems of the request are reported at once, before a packet is read ([`Plan::new`]). The caches run on
//! separate threads, so that the calling thread can check for Ctrl-C; the rows do not depend on the number of threads.

use crate::capture::each_packet;
use crate::errors::FlowCacheFailure;
use crate::watched::Ticker;
use flate2::read::MultiGzDecoder;
use linecard_flowcache::{
    CacheCost, Configuration, Digester, FalseHits, FlowCache, FlowCacheError, Geometry, Hash, Key, KeyBytes,
    LruRow, MissRatioCurve, Options, Policy, PolicyKind, ReuseRow, Row, Trace, TrafficView,
    TrafficViewBuilder, digests_from_bytes, lru_all_ways, reuse_rows, simulate_until,
};
use linecard_platform::spread;
use linecard_traffic::{Compression, DamageReport, Diagnostic, Severity, TrafficError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a digest file between two checks for Ctrl-C.
const BYTES_PER_LOOK: u64 = 1 << 20;
/// Maximum number of unpacked bytes: a few megabytes of gzip can expand to more than the available memory.
const MOST_UNPACKED_BYTES: u64 = 1 << 30;

/// A request from Python, before the checks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Sizes.
    pub entries: Vec<u32>,
    /// Ways; `None` for a fully associative cache.
    pub ways: Vec<Option<u32>>,
    /// Names of policies.
    pub policies: Vec<String>,
    /// Key; `None` if the input consists of digests.
    pub key: Option<String>,
    /// Hash; `None` if the input consists of digests.
    pub hash: Option<String>,
    /// Width of a digest in bits.
    pub width_bits: u32,
    /// Bits of a result.
    pub result_bits: u32,
    /// Windows and seed.
    pub options: Options,
    /// Number of threads; 0 means one per core.
    pub threads: usize,
    /// Maximum number of packets of a capture; 0 means all.
    pub packets: u64,
    /// Stop at the first damaged record.
    pub strict: bool,
    /// Whether to count false hits.
    pub false_hits: bool,
    /// Whether to add the results of LRU caches of all sizes, and the reuse distances.
    pub curves: bool,
    /// Idle time that ends a flow; with `None`, the result has no statistics of flows.
    pub time_out_ns: Option<u64>,
}

/// The data that is read from an input.
#[derive(Default)]
struct Reading {
    digests: Vec<u32>,
    /// The flow of each packet by number; empty unless false hits are counted.
    flows: Vec<u32>,
    traffic: Option<TrafficView>,
}

/// A request that can be run.
pub struct Plan {
    configurations: Vec<(Configuration, CacheCost)>,
    hashing: Option<Hashing>,
    request: Request,
}

/// The parts that compute the digests of packets.
struct Hashing {
    key: Key,
    hash: Hash,
    digester: Digester,
}

/// Returns the value of a success; adds the problem of a failure to the list.
fn good<T>(result: Result<T, FlowCacheError>, problems: &mut Vec<FlowCacheError>) -> Option<T> {
    result.map_err(|problem| problems.push(problem)).ok()
}

impl Plan {
    /// Checks a request.
    ///
    /// # Errors
    /// All problems of the request.
    pub fn new(request: Request) -> Result<Self, Vec<FlowCacheError>> {
        let mut problems = Vec::new();
        let names = request.policies.iter();
        let policies: Vec<_> = names.filter_map(|name| good(Policy::parse(name), &mut problems)).collect();
        let width = request.width_bits;
        let hash = request.hash.as_deref().and_then(|name| good(Hash::parse(name), &mut problems));
        let key = request.key.as_deref().and_then(|text| good(Key::parse(text), &mut problems));
        // Ready-made digests have a width, too.
        let digester =
            good(Digester::new(hash.unwrap_or(Hash::Crc32c), width, request.options.seed), &mut problems);
        let mut configurations: Vec<(Configuration, CacheCost)> = Vec::new();
        for &entries in &request.entries {
            for ways in &request.ways {
                let geometry = Geometry::new(entries, ways.unwrap_or(entries));
                let Some(geometry) = good(geometry, &mut problems) else { continue };
                if digester.is_none() {
                    continue; // a wrong width is reported once
                }
                // The cost of an entry is the same under every policy.
                let cost = CacheCost::new(geometry, Policy::new(PolicyKind::Lru), width, request.result_bits);
                let Some(cost) = good(cost, &mut problems) else { continue };
                for &policy in &policies {
                    let configuration = Configuration::new(geometry, policy);
                    // An oracle fits every geometry. A policy that does not fit is reported before the input is read.
                    let fits = policy.is_oracle()
                        || good(FlowCache::new(&configuration, request.options.seed), &mut problems)
                            .is_some();
                    let there = configurations.iter().any(|(other, _)| *other == configuration);
                    if fits && !there {
                        configurations.push((configuration, cost));
                    }
                }
            }
        }
        problems.dedup();
        if !problems.is_empty() {
            return Err(problems);
        }
        let hashing = match (key, hash, digester) {
            (Some(key), Some(hash), Some(digester)) => Some(Hashing { key, hash, digester }),
            _ => None,
        };
        Ok(Self { configurations, hashing, request })
    }

    /// Simulates the caches with digests in memory.
    pub fn over_digests(&self, digests: &[u32], ticker: &Ticker) -> Result<Outcome, FlowCacheFailure> {
        let input = Input { name: "array".to_owned(), format: "array", ..Input::default() };
        self.run(input, digests, &[], None, ticker)
    }

    /// Simulates the caches with a file of digests if the request has no hash, otherwise with a capture or a link
    /// profile.
    pub fn over_file(&self, path: &str, ticker: &Ticker) -> Result<Outcome, FlowCacheFailure> {
        let (input, reading) = match &self.hashing {
            Some(hashing) => self.read_capture(path, hashing, ticker)?,
            None => read_digests(path, ticker)?,
        };
        self.run(input, &reading.digests, &reading.flows, reading.traffic, ticker)
    }

    fn read_capture(
        &self,
        path: &str,
        hashing: &Hashing,
        ticker: &Ticker,
    ) -> Result<(Input, Reading), FlowCacheFailure> {
        let Request { packets, strict, false_hits, time_out_ns, .. } = self.request;
        let (mut digests, mut flows) = (Vec::new(), Vec::new());
        let mut numbers: HashMap<KeyBytes, u32> = HashMap::new();
        let mut view = time_out_ns.map(TrafficViewBuilder::new);
        let read = each_packet(path, packets, strict, ticker, |packet| {
            if let Some(key) = hashing.key.of(packet) {
                digests.push(hashing.digester.digest(&key));
                if let Some(view) = &mut view {
                    view.add(packet.time_ns, key);
                }
                if false_hits {
                    let next = numbers.len() as u32;
                    flows.push(*numbers.entry(key).or_insert(next));
                }
            }
            Ok::<_, FlowCacheFailure>(())
        })?;
        let ControlFlow::Continue((read, packets)) = read else { return Err(FlowCacheFailure::Stopped) };
        let report = read.report();
        let input = Input {
            name: path.to_owned(),
            format: read.format(),
            compression: read.compression(),
            packets_without_flow: packets - digests.len() as u64,
            damaged_records: report.map_or(0, |report| report.total(Severity::Damage)),
            damage: report.map(findings).unwrap_or_default(),
            diagnostics: report.map_or(&[][..], DamageReport::diagnostics).to_vec(),
        };
        Ok((input, Reading { digests, flows, traffic: view.map(TrafficViewBuilder::finish) }))
    }

    fn run(
        &self,
        input: Input,
        digests: &[u32],
        flows: &[u32],
        traffic: Option<TrafficView>,
        ticker: &Ticker,
    ) -> Result<Outcome, FlowCacheFailure> {
        // Digests of a capture have their width already.
        let width = self.request.width_bits;
        let cut: Vec<u32>;
        let digests = if self.hashing.is_none() && width < u32::BITS {
            cut = digests.iter().map(|digest| digest & ((1 << width) - 1)).collect();
            &cut
        } else {
            digests
        };
        let unusable = |problem| FlowCacheFailure::Input { name: input.name.clone(), problem };
        let trace = Trace::new(digests).map_err(unusable)?;
        let rows = self.sweep(&trace, flows, ticker)?;
        let curves = self.request.curves.then(|| Curves::of(&trace));
        Ok(Outcome {
            rows,
            curves,
            time_out_ns: traffic.is_some().then_some(self.request.time_out_ns).flatten(),
            traffic,
            packets: digests.len() as u64,
            key: self.hashing.as_ref().map(|hashing| hashing.key.to_string()),
            hash: self.hashing.as_ref().map(|hashing| hashing.hash.name()),
            width_bits: width,
            result_bits: self.request.result_bits,
            cold_window_packets: self.request.options.cold_window_packets,
            foresight_packets: self.request.options.foresight_packets,
            seed: self.request.options.seed,
            input,
        })
    }

    /// Simulates every cache on several threads; the rows are in the order of the caches.
    fn sweep(
        &self,
        trace: &Trace,
        flows: &[u32],
        ticker: &Ticker,
    ) -> Result<Vec<CacheRow>, FlowCacheFailure> {
        let total = self.configurations.len() as u64 * trace.digests().len() as u64;
        let done = AtomicU64::new(0);
        let mut look = |_| ticker.tick(done.load(Ordering::Relaxed), total);
        let rows = spread(&self.configurations, self.request.threads, &mut look, |plan, stop| {
            self.simulate(trace, flows, plan, |packets| {
                done.fetch_add(packets as u64, Ordering::Relaxed);
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        // A simulation lacks a row only if the caller stopped the whole sweep.
        let rows = rows.ok_or(FlowCacheFailure::Stopped)?.into_iter().filter_map(Result::transpose);
        rows.collect::<Result<_, _>>().map_err(|problem| FlowCacheFailure::Request(vec![problem]))
    }

    fn simulate(
        &self,
        trace: &Trace,
        flows: &[u32],
        (configuration, cost): &(Configuration, CacheCost),
        count: impl Fn(usize) -> ControlFlow<()>,
    ) -> Result<Option<CacheRow>, FlowCacheError> {
        let mut false_hits = FalseHits::default();
        // Without flows there are no false hits: each digest counts as one flow.
        let mut packets = flows.iter().zip(trace.digests());
        let mut hash = Sha256::new();
        let mut bytes = Vec::new();
        let row = simulate_until(trace, configuration, &self.request.options, |hits| {
            bytes.clear();
            bytes.extend(hits.iter().map(|&hit| u8::from(hit)));
            hash.update(&bytes);
            for (&hit, (&flow, &digest)) in hits.iter().zip(packets.by_ref()) {
                false_hits.see(flow, digest, hit);
            }
            count(hits.len())
        })?;
        let Some(row) = row else { return Ok(None) };
        let counted = false_hits.row(configuration.geometry, self.request.width_bits);
        let counted = (!flows.is_empty()).then_some(counted);
        Ok(Some(CacheRow {
            oracle: configuration.policy.is_oracle(),
            row,
            hit_seq_sha256: format!("{:x}", hash.finalize()),
            entry_bits: cost.entry_bits,
            cache_bytes: cost.bytes,
            false_hits: counted.map(|counted| counted.false_hits),
            false_hit_probability: counted.map(|counted| counted.measured_probability),
            false_hit_probability_expected: counted.map(|counted| counted.expected_probability),
            false_hit_probability_expected_of_tags: counted
                .map(|counted| counted.expected_probability_of_tags),
        }))
    }
}

fn stopped(flow: ControlFlow<()>) -> Result<(), FlowCacheFailure> {
    if flow.is_break() { Err(FlowCacheFailure::Stopped) } else { Ok(()) }
}

fn findings(report: &DamageReport) -> BTreeMap<&'static str, u64> {
    report.counts().map(|(kind, count)| (kind.key(), count)).collect()
}

/// Reads the digests of a raw file, compressed with gzip if its name ends in `.gz`.
fn read_digests(path: &str, ticker: &Ticker) -> Result<(Input, Reading), FlowCacheFailure> {
    let io_error = |action| move |source| TrafficError::Io { file: path.into(), action, source };
    let file = File::open(path).map_err(io_error("open"))?;
    let metadata = file.metadata().map_err(io_error("open"))?;
    let total = if metadata.is_file() { metadata.len() } else { 0 };
    let mut position = file.try_clone().map_err(io_error("open"))?;
    let packed = path.to_ascii_lowercase().ends_with(".gz");
    let mut reader: Box<dyn Read> = match packed {
        true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, file))),
        false => Box::new(file),
    };
    let mut bytes = Vec::new();
    while reader.by_ref().take(BYTES_PER_LOOK).read_to_end(&mut bytes).map_err(io_error("read"))? > 0 {
        // A pipe has no position.
        stopped(ticker.tick(position.stream_position().unwrap_or(0), total))?;
        if packed && bytes.len() as u64 > MOST_UNPACKED_BYTES {
            let words = format!(
                "the file exceeds {} MiB after decompression; decompress the file with `gzip -d` first, because \
                 uncompressed files have no size limit",
                MOST_UNPACKED_BYTES >> 20
            );
            return Err(io_error("read")(std::io::Error::new(std::io::ErrorKind::FileTooLarge, words)).into());
        }
    }
    let digests = digests_from_bytes(&bytes)
        .map_err(|problem| FlowCacheFailure::Input { name: path.to_owned(), problem })?;
    let compression = if packed { Compression::Gzip } else { Compression::None };
    let input = Input { name: path.to_owned(), format: "u32le", compression, ..Input::default() };
    Ok((input, Reading { digests, ..Reading::default() }))
}

/// The origin of the digests, and the findings in it.
#[derive(JsonSchema, Serialize)]
struct Input {
    /// Name of the capture or of the digest file, or `array`.
    #[serde(rename = "input")]
    name: String,
    /// Format of the input: `u32le` or `array` for digests, or the file format of the capture.
    format: &'static str,
    /// Compression of the input file.
    compression: Compression,
    /// Number of packets in the capture that are ignored because they do not belong to a flow.
    packets_without_flow: u64,
    /// Number of findings in the capture, by kind; some kinds of finding do not indicate damage.
    damage: BTreeMap<&'static str, u64>,
    /// Number of findings that indicate damage.
    damaged_records: u64,
    /// Findings in the capture, with file, byte offset and packet number; of each kind, at most the first ten.
    diagnostics: Vec<Diagnostic>,
}

impl Default for Input {
    fn default() -> Self {
        Self {
            name: String::new(),
            format: "",
            compression: Compression::None,
            packets_without_flow: 0,
            damage: BTreeMap::new(),
            damaged_records: 0,
            diagnostics: Vec::new(),
        }
    }
}

/// Results of one cache for all packets of the traffic. All counts are in packets.
#[derive(Debug, JsonSchema, Serialize)]
struct CacheRow {
    #[serde(flatten)]
    row: Row,
    /// Whether the policy is an oracle, which requires knowledge of future packets and cannot be implemented in
    /// hardware.
    oracle: bool,
    /// SHA-256 hash of one byte per packet (1 for a hit, 0 for a miss). Equal hashes mean that the same packets
    /// hit.
    hit_seq_sha256: String,
    /// Size of a cache entry in bits: the number of stored digest bits plus the size of the result.
    entry_bits: u32,
    /// Total size of all cache entries in bytes, without the policy state.
    cache_bytes: u64,
    /// Number of false hits, which are packets that received another flow's result; `None` if false hits were not
    /// counted.
    false_hits: Option<u64>,
    /// Number of false hits, divided by the number of packets whose flow was not in the cache.
    false_hit_probability: Option<f64>,
    /// Expected probability of a false hit if all digest bits were compared: the number of ways, divided by 2^(digest
    /// width).
    false_hit_probability_expected: Option<f64>,
    /// Expected probability of a false hit in a full cache: the number of ways, divided by 2^(number of stored digest
    /// bits).
    false_hit_probability_expected_of_tags: Option<f64>,
}

/// Numbers of sets for which one pass computes the results of all ways.
const SET_COUNTS: [u32; 10] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// Maximum number of ways for these numbers of sets.
const MOST_WAYS: u32 = 16;
/// Sizes in powers of two up to this many entries always have a row of the fully associative cache.
const MOST_DOUBLINGS: u32 = 14;

/// Results for LRU caches of all sizes, which a single pass computes from stack distances (Mattson et al., 1970).
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "CacheCurves")]
struct Curves {
    /// Caches with 1 to 16 ways, whose numbers of sets are powers of two; fully associative caches come first.
    lru: Vec<LruRow>,
    /// Fully associative caches, each 2^(1/8) times as large as the previous cache, up to the size beyond which the
    /// number of misses is constant.
    curve: Vec<LruRow>,
    /// Histogram of reuse distances, with bins whose bounds are powers of two.
    reuse: Vec<ReuseRow>,
}

impl Curves {
    fn of(trace: &Trace) -> Self {
        let curve = MissRatioCurve::of(trace);
        let mut lru: Vec<LruRow> = (0..=MOST_DOUBLINGS).map(|doublings| curve.row(1 << doublings)).collect();
        lru.extend(lru_all_ways(trace, &SET_COUNTS, MOST_WAYS).expect("existing numbers of sets"));
        Self { lru, curve: curve.rows(), reuse: reuse_rows(trace) }
    }
}

/// Results of every cache for the same traffic, in the order of the requested sizes, ways and policies.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "FlowCacheReport")]
pub struct Outcome {
    /// One row for each cache.
    rows: Vec<CacheRow>,
    #[serde(flatten)]
    input: Input,
    /// Number of packets that were looked up.
    packets: u64,
    /// Header fields that define a flow; `None` if the input consists of digests.
    key: Option<String>,
    /// Hash function that computes the digests; `None` if the input consists of digests.
    hash: Option<&'static str>,
    /// Width of a digest in bits.
    width_bits: u32,
    /// Size of a result in bits; an entry contains one result.
    result_bits: u32,
    /// Number of preceding packets in which to search for a digest; a miss is cold if none of these packets has the digest.
    cold_window_packets: u32,
    /// Number of packets that the policy `PRED` looks ahead.
    foresight_packets: u32,
    /// Seed of random policies and of the hash function `h3`.
    seed: u64,
    /// Hit rates of LRU caches of all sizes, if requested.
    curves: Option<Curves>,
    /// Statistics of the flows, if requested.
    traffic: Option<TrafficView>,
    /// Idle time of a flow in ns after which the statistics count the flow as ended.
    time_out_ns: Option<u64>,
}
