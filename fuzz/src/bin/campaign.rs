//! Random requests, thousands at a time: `campaign SEED COUNT FOLDER`, with `chips` behind it chips put together from nothing.
//!
//! Each case lies in FOLDER as `case` while it runs, so that one that ends the process can be found; cases that break a law
//! are kept there. The last line says how many were drawn, gave a result, were refused, and broke a law.

use linecard_fuzz::{Case, Cases, Chips, tally};
use std::path::Path;
use std::process::ExitCode;

/// Seconds of work after which a case counts as a hang: it was told to stop after one.
const LONGEST_SECONDS: f64 = 10.0;

/// Seconds that this process has worked; 0 where the system does not tell. Other work on the machine does not count.
fn worked_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    told.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some([seed, count, folder]), kind) = (arguments.get(..3), arguments.get(3)) else {
        eprintln!("expected SEED COUNT FOLDER");
        return ExitCode::from(2);
    };
    let (Ok(seed), Ok(count)) = (seed.parse::<u64>(), count.parse::<usize>()) else {
        eprintln!("found {seed} and {count}, expected two whole numbers");
        return ExitCode::from(2);
    };
    let folder = Path::new(folder);
    // The words of a broken law come with the case; a backtrace of each would hide them.
    std::panic::set_hook(Box::new(|_| {}));
    let mut broken = 0;
    let cases: Box<dyn Iterator<Item = Case>> = match kind.is_some_and(|kind| kind == "chips") {
        true => Box::new(Chips::new(seed)),
        false => Box::new(Cases::new(seed)),
    };
    for (number, case) in cases.take(count).enumerate() {
        let running = folder.join("case");
        let described = [case.target.name.as_bytes(), b"\n", &case.bytes].concat();
        std::fs::write(&running, &described).expect("room for a case");
        let before = worked_seconds();
        let ended = case.run();
        let words = match ended {
            Err(words) => words,
            Ok(()) => match worked_seconds() - before {
                seconds if seconds > LONGEST_SECONDS => format!("worked for {seconds:.1} s"),
                _ => continue,
            },
        };
        broken += 1;
        let kept = folder.join(format!("broken-{}-{seed}-{number}", case.target.name));
        std::fs::write(&kept, &case.bytes).expect("room for a case");
        println!("{}: {}", kept.display(), words.lines().next().unwrap_or(""));
    }
    let (results, refused) = tally();
    println!("{count} cases, {results} results, {refused} refused, {broken} broken laws");
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
