//! Do solution and simulation return the numbers of closed forms and of other programs?

use insta::assert_snapshot;
use linecard_files::Error;
use linecard_nets::{
    ExploreReport, NetSource, SimulateReport, SimulateRequest, SolveReport, explore_net, simulate_net,
    solve_net,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn file(path: &str) -> NetSource {
    NetSource { path: path.to_owned(), ..NetSource::default() }
}

fn explore_file(path: &str, most: u64) -> Result<ExploreReport, Error> {
    explore_net(&file(path), most, true, 2, &mut |_| ControlFlow::Continue(()))
}

fn solve_file(path: &str, most: u64) -> Result<SolveReport, Error> {
    solve_net(&file(path), most, &mut |_| ControlFlow::Continue(()))
}

fn simulate_file(request: &SimulateRequest) -> Result<SimulateReport, Error> {
    simulate_net(request, &|_, _| false)
}

fn golden() -> Vec<(PathBuf, toml::Table)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/petri/gspn");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: the golden nets are not there");
        return Vec::new();
    };
    let mut nets: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    nets.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    nets.sort();
    let read = |path: PathBuf| {
        let table = std::fs::read_to_string(&path).unwrap().parse::<toml::Table>().unwrap();
        (path, table["expected"].as_table().unwrap().clone())
    };
    nets.into_iter().map(read).collect()
}

fn number(value: &toml::Value) -> f64 {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64)).unwrap()
}

fn expected<'a>(table: &'a toml::Table, what: &str) -> Vec<(&'a String, f64)> {
    table[what].as_table().unwrap().iter().map(|(name, value)| (name, number(value))).collect()
}

#[test]
fn what_has_a_chain_is_solved_to_a_millionth() {
    for (path, table) in golden() {
        if !table["method"].as_str().unwrap().starts_with("ctmc") {
            continue;
        }
        let file = path.to_string_lossy().into_owned();
        let solved = solve_file(&file, 1_000_000).unwrap();
        assert_eq!(
            solved.tangible_markings as i64,
            table["tangible_markings"].as_integer().unwrap(),
            "{file}"
        );
        for (name, value) in expected(&table, "throughput") {
            let found = solved.numbers.throughput[name];
            assert!((found - value).abs() < 1e-6 * value.abs().max(1.0), "{file} {name}: {found}, {value}");
        }
        for (name, value) in expected(&table, "mean_tokens") {
            let found = solved.numbers.mean_tokens[name];
            assert!((found - value).abs() < 1e-6 * value.abs().max(1.0), "{file} {name}: {found}, {value}");
        }
    }
}

#[test]
fn every_net_is_simulated_within_twice_its_interval() {
    for (path, table) in golden() {
        let request = SimulateRequest {
            net: file(&path.to_string_lossy()),
            accuracy: None,
            of: Vec::new(),
            warmup: 500.0,
            time: 20_000.0,
            replications: 10,
            seed: 1,
            threads: 0,
        };
        let found = simulate_file(&request).unwrap();
        assert_eq!((found.replications, found.dead_replications), (10, 0));
        for (name, value) in expected(&table, "throughput") {
            let (mean, width) = (found.numbers.throughput[name], found.throughput_half_width[name].unwrap());
            assert!((mean - value).abs() <= 2.0 * width, "{path:?} {name}: {mean} +- {width}, {value}");
        }
        for (name, value) in expected(&table, "mean_tokens") {
            let (mean, width) =
                (found.numbers.mean_tokens[name], found.mean_tokens_half_width[name].unwrap());
            assert!((mean - value).abs() <= 2.0 * width, "{path:?} {name}: {mean} +- {width}, {value}");
        }
    }
}

fn write(name: &str, text: &str) -> String {
    let folder = std::env::temp_dir().join(format!("linecard-petri-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

const MM1K: &str = r#"
name = "mm1k"
[[place]]
name = "free"
tokens = 10
[[place]]
name = "busy"
[[transition]]
name = "arrive"
kind = "exp"
rate = 0.9
[[transition]]
name = "serve"
kind = "exp"
rate = 1
[[arc]]
from = "free"
to = "arrive"
[[arc]]
from = "arrive"
to = "busy"
[[arc]]
from = "busy"
to = "serve"
[[arc]]
from = "serve"
to = "free"
"#;

#[test]
fn mm1k_is_the_closed_form_however_many_threads_simulate_it() {
    let path = write("mm1k.toml", MM1K);
    let rho: f64 = 0.9;
    let empty = (1.0 - rho) / (1.0 - rho.powi(11));
    let solved = solve_file(&path, 100).unwrap();
    assert!((solved.numbers.throughput["serve"] - (1.0 - empty)).abs() < 1e-12);
    let simulated = |threads| {
        let request = SimulateRequest {
            net: file(&path),
            accuracy: None,
            of: Vec::new(),
            warmup: 10.0,
            time: 1000.0,
            replications: 5,
            seed: 7,
            threads,
        };
        serde_json::to_string(&simulate_file(&request).unwrap()).unwrap()
    };
    assert_eq!(simulated(1), simulated(4));
}

#[test]
fn what_is_no_net_is_refused_with_everything_that_is_wrong() {
    let refused = |text: &str| explore_file(&write("bad.toml", text), 10).err().unwrap().to_string();
    let bad = MM1K.replace("rate = 0.9", "rate = -1").replace("to = \"serve\"", "to = \"sreve\"");
    let error = refused(&bad);
    assert!(error.contains("transition arrive") && error.contains("above 0"), "{error}");
    assert!(error.contains("arc busy -> sreve"), "{error}");
    let found = refused(&MM1K.replace("tokens = 10", "token = 10"));
    assert!(found.ends_with(".toml:5: place free.token: no such key; did you mean `tokens`?"), "{found}");
    // Arcs of a transition with a wrong kind are not reported.
    let found = refused(&MM1K.replacen("kind = \"exp\"", "kind = \"exq\"", 1));
    let said =
        ".toml:10: transition arrive.kind: found `exq`; did you mean `exp`? expected one of exp, det, imm, ";
    assert!(found.contains(said) && found.lines().count() == 1, "{found}");
    let found = refused("name = 3");
    assert!(found.contains(".toml:1: name: found `3`; expected text"), "{found}");
    let long = format!("name = [\"\"\"a\n{}\"\"\"]", "b".repeat(200));
    let found = refused(&long);
    assert!(found.ends_with(":1: name: found a list; expected text"), "{found}");
    let found = refused(&MM1K.replacen("[[arc]]", "[[arc", 1));
    assert!(found.contains(".toml:16: not TOML: ") && found.lines().count() == 1, "{found}");
    let found = refused(&MM1K.replacen("rate = 0.9", "rate = 0.9\nservers = \"many\"", 1));
    assert!(
        found.contains("servers: in `many`, column 1: found `many`, expected")
            && found.ends_with("or \"inf\""),
        "{found}"
    );
    assert!(explore_file("no/such.toml", 10).err().unwrap().to_string().contains("cannot read"));
    let unknown = explore_file("girish2008_dramm", 10).err().unwrap().to_string();
    assert!(unknown.contains("did you mean `girish2008_dram`?"), "{unknown}");
    let xml = write(
        "bad.pnml",
        "<pnml>\n<net type='http://www.pnml.org/version-2009/grammar/ptnet'>\n<place/>\n</net></pnml>",
    );
    let error = explore_file(&xml, 10).err().unwrap().to_string();
    assert!(error.contains("line 3: found <place> without id"), "{error}");
}

#[test]
fn all_mistakes_of_a_net_come_in_the_order_of_their_lines_and_none_that_only_follows() {
    let bad = r#"name = "closed"
[[place]]
name = "think"
tokens = -5
[[place]]
name = "queue"
colour = "blue"
[[transition]]
name = "go"
kind = "exp"
rate = 0.2
servers = "inf"
[[transition]]
name = "serve"
kind = "exp"
rat = 1.0
[[transition]]
kind = "exp"
[[arc]]
from = "think"
to = "go"
[[arc]]
from = "go"
to = "thinc"
[[arc]]
from = "queue"
to = "serve"
[[arc]]
from = "serve"
weight = [1]
"#;
    let path = write("mistakes.toml", bad);
    let error = explore_file(&path, 10).err().unwrap().to_string();
    assert_snapshot!(error.replace(&path, "mistakes.toml"));
}

#[test]
fn what_is_wrong_with_a_module_stands_in_its_file_and_is_said_once() {
    let inner = write(
        "worse.toml",
        "interface = [\"in\", \"none\"]\n[parameters]\nn = { value = 1, units = \"x\" }\n[[place]]\nname = \"in\"\n\
         tokens = \"m\"\n[[transition]]\nname = \"t\"\nkind = \"det\"\ndelay = \"n\"\nrate = 2\n",
    );
    let module = |name: &str| {
        format!(
            "[[module]]\nname = \"{name}\"\nfile = \"worse.toml\"\nparameters = {{ m = 1 }}\nplaces = {{ in = \"x\" }}\n"
        )
    };
    let outer = write("outer.toml", &format!("interfaces = []\n{}{}", module("a"), module("b")));
    let error = explore_file(&outer, 10).err().unwrap().to_string();
    assert_snapshot!(error.replace(&inner, "worse.toml").replace(&outer, "outer.toml"));
}

#[test]
fn what_has_no_steady_state_says_why() {
    let solved = |text: &str| solve_file(&write("odd.toml", text), 1000).err().unwrap().to_string();
    let dead = MM1K.replace("from = \"serve\"\nto = \"free\"", "from = \"serve\"\nto = \"busy\"");
    let dead = dead.replace("from = \"busy\"\nto = \"serve\"", "from = \"free\"\nto = \"serve\"");
    assert!(solved(&dead).contains("is absorbing"), "{}", solved(&dead));
    let endless = MM1K.replace("[[arc]]\nfrom = \"free\"\nto = \"arrive\"\n", "");
    assert!(solved(&endless).contains("may be unbounded"), "{}", solved(&endless));
    let fixed = MM1K.replace("kind = \"exp\"\nrate = 1", "kind = \"det\"\ndelay = 1");
    assert!(solved(&fixed).contains("a deterministic time"), "{}", solved(&fixed));
}

#[test]
fn servers_of_an_immediate_transition_are_refused() {
    let net = |servers: &str| {
        let text = format!(
            "[[place]]\nname = \"a\"\ntokens = 1\n[[transition]]\nname = \"go\"\nkind = \"imm\"\nservers = {servers}\n\
             [[arc]]\nfrom = \"a\"\nto = \"go\"\n"
        );
        let source = NetSource { text: Some(text), ..file("net") };
        explore_net(&source, 10, false, 1, &mut |_| ControlFlow::Continue(())).map(|found| found.arcs)
    };
    assert_eq!(net("1").unwrap(), 1);
    for servers in ["2", "\"inf\""] {
        let error = net(servers).unwrap_err().to_string();
        assert!(error.contains("servers: found several servers, expected 1"), "{error}");
    }
}
