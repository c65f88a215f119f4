//! `scheduler`, `[[port.NAME.class]]` and `[[port.NAME.group]]`: the classes of a port, and which of them sends next.

use linecard_chip::SchedulerRule;
use linecard_chip::config::{ClassConfig, GroupConfig, Member, SchedulerConfig, ShaperConfig, ShareConfig};
use linecard_config::{Section, nearest};

/// The most levels of rules.
const MOST_LEVELS: usize = 8;

/// The default bytes of a turn and of a burst: the largest frame.
const USUAL_BYTES: u64 = 1518;

/// Why a quantum has no effect under a rule that counts no bytes.
const NO_TURNS: &str = "only the rule deficit counts the bytes of a turn; set scheduler = \"deficit\"";

const NAMED: &str = "name of the class or group in programs and results";

/// A group as the file names it, and its rule's number among the levels.
struct Group {
    level: usize,
    config: GroupConfig,
}

/// The classes of a port as its file lists or counts them.
pub(super) struct Classes<'d> {
    rows: Vec<Section<'d>>,
    count: usize,
}

impl<'d> Classes<'d> {
    pub fn read(section: &Section<'d>) -> Self {
        let rows = section.list("class");
        let usual = rows.len().clamp(1, 256) as u64;
        let count =
            section.integer_or("classes", usual, 1..=256, "number of classes, each with a separate queue");
        let count = count as usize;
        if !rows.is_empty() && count != rows.len() {
            let (listed, path) = (rows.len(), section.path());
            section.fail(
                "classes",
                format!("found {count}, but [[{path}.class]] lists {listed} classes; omit this key"),
            );
            return Self { count: listed, rows };
        }
        Self { rows, count }
    }

    /// Returns the scheduler of these classes.
    pub fn scheduler(&self, section: &Section<'_>) -> SchedulerConfig {
        let Some(rules) = levels(section) else {
            section.pass_over(&["quantum_bytes", "group"]);
            let mut flat = SchedulerConfig::flat(SchedulerRule::RoundRobin, &vec![1; self.count]);
            for (class, row) in flat.classes.iter_mut().zip(&self.rows) {
                class.name = row.text("name", NAMED);
                row.pass_over(&["group", "quantum_bytes", "rate_gbps", "burst_bytes"]);
            }
            return flat;
        };
        let inner = rules[rules.len() - 1];
        let quanta = quanta(section, inner, self.count);
        if self.rows.is_empty() {
            section
                .without_effect(&["group"], "groups require classes that are listed as [[port.NAME.class]]");
            if rules.len() > 1 {
                let what = "a scheduler of several levels requires the name and group of each class";
                section.lacks("class", what);
            }
            return SchedulerConfig::flat(inner, &quanta);
        }
        let mut groups = groups(section, &rules);
        let mut classes: Vec<ClassConfig> = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let name = name(row, classes.iter().map(|class| class.name.as_str()));
            let at = group_of(row, &groups, &rules);
            groups[at].config.members.push(Member::Class(number));
            classes.push(ClassConfig { name, share: share(section, row, inner, u64::from(quanta[number])) });
        }
        for group in groups.iter().skip(1).filter(|group| group.config.members.is_empty()) {
            let name = &group.config.name;
            let message =
                format!("the group `{name}` is empty; assign a class to the group, or omit the group");
            section.fail("group", message);
        }
        SchedulerConfig { classes, groups: groups.into_iter().map(|group| group.config).collect() }
    }
}

/// Returns the rules from the outermost level to the innermost; `None` if they are wrong, which is reported.
fn levels(section: &Section<'_>) -> Option<Vec<SchedulerRule>> {
    let rules: Vec<_> = SchedulerRule::ALL.iter().map(|rule| (rule.name(), *rule)).collect();
    let meaning = "rule that selects the next class, or a list with one rule per level, from the outermost groups to \
                   the classes";
    let Some(count) = section.items("scheduler") else {
        return Some(vec![section.choice_or("scheduler", "round_robin", &rules, meaning)]);
    };
    if count == 0 || count > MOST_LEVELS {
        let message =
            format!("found {count} levels; expected 1 to {MOST_LEVELS}, such as [\"strict\", \"deficit\"]");
        section.fail("scheduler", message);
    }
    let levels = section.choices("scheduler", &rules, meaning);
    (levels.len() == count && (1..=MOST_LEVELS).contains(&count)).then_some(levels)
}

/// Returns the bytes of each class in a turn, if the port states them for all.
fn quanta(section: &Section<'_>, inner: SchedulerRule, classes: usize) -> Vec<u32> {
    let key = "quantum_bytes";
    if !inner.counts_bytes() {
        section.idle(&[key], section.is_set("scheduler"), NO_TURNS);
        return vec![1; classes];
    }
    let given = section.numbers(key, 1.0..=1e6, "bytes that each class may send per turn");
    let quanta: Vec<u32> = match given.len() {
        0 => vec![USUAL_BYTES as u32; classes],
        1 => vec![given[0] as u32; classes],
        _ => given.iter().map(|&bytes| bytes as u32).collect(),
    };
    if quanta.len() != classes {
        section.fail(key, format!("{} values for {classes} classes", quanta.len()));
        return vec![1; classes];
    }
    quanta
}

/// Returns the group of the whole port, and the groups that the file lists.
fn groups(section: &Section<'_>, rules: &[SchedulerRule]) -> Vec<Group> {
    let whole = GroupConfig {
        name: String::new(),
        rule: rules[0],
        members: Vec::new(),
        share: ShareConfig::weight(1),
    };
    let mut groups = vec![Group { level: 0, config: whole }];
    if rules.len() == 1 {
        let why = "the scheduler has one level; set two levels, such as [\"strict\", \"deficit\"], or omit this key";
        section.without_effect(&["group"], why);
        return groups;
    }
    let rows = section.list("group");
    if rows.is_empty() {
        section.lacks(
            "group",
            "named groups for the scheduler's levels, with each parent listed before its members",
        );
    }
    for row in rows {
        let name = name(&row, groups.iter().map(|group| group.config.name.as_str()));
        let mut around = 0;
        if rules.len() == 2 {
            row.without_effect(
                &["group"],
                "groups can contain groups only if the scheduler has three levels or more",
            );
        } else if let Some(known) = known(&row, &groups) {
            let meaning =
                "parent group, which must be listed earlier; left out for a group on the first level";
            around = row.choice_if("group", &known, meaning).unwrap_or(0);
        }
        let mut level = groups[around].level + 1;
        if level == rules.len() {
            let message = format!(
                "the group is on level {level}, but the scheduler has {} levels, and the last level consists of \
                 the classes",
                rules.len()
            );
            row.fail("group", message);
            (around, level) = (0, 1);
        }
        let share = share(section, &row, rules[level - 1], USUAL_BYTES);
        let number = groups.len();
        groups[around].config.members.push(Member::Group(number));
        groups.push(Group {
            level,
            config: GroupConfig { name, rule: rules[level], members: Vec::new(), share },
        });
    }
    groups
}

/// Returns the number of the group of a class.
fn group_of(row: &Section<'_>, groups: &[Group], rules: &[SchedulerRule]) -> usize {
    let innermost = rules.len() - 1;
    if innermost == 0 {
        let why =
            "the scheduler of the port has one level; set two levels, such as [\"strict\", \"deficit\"]";
        row.without_effect(&["group"], why);
        return 0;
    }
    let number = known(row, groups).map_or(0, |known| row.choice("group", &known, "its group"));
    let Group { level, config } = &groups[number];
    if number > 0 && *level != innermost {
        let message = format!(
            "`{}` is a group on level {level}; expected a group on level {innermost}, directly above the classes",
            config.name
        );
        row.fail("group", message);
    }
    number
}

/// Returns the groups that a row may name; `None` if there is none, which is reported.
fn known<'g>(row: &Section<'_>, groups: &'g [Group]) -> Option<Vec<(&'g str, usize)>> {
    let numbered = groups.iter().enumerate().skip(1);
    let known: Vec<_> = numbered.map(|(number, group)| (group.config.name.as_str(), number)).collect();
    if known.is_empty() {
        row.pass_over(&["group"]);
        return None;
    }
    Some(known)
}

/// Returns the name of a class or a group, which results use.
fn name<'n>(row: &Section<'_>, mut others: impl Iterator<Item = &'n str>) -> String {
    let name = row.text("name", NAMED);
    if is_number(&name) {
        row.fail(
            "name",
            format!(
                "found `{name}`, a number; expected a name, because a number selects a class by position"
            ),
        );
    } else if !name.is_empty() && others.any(|other| other == name) {
        row.fail("name", format!("found `{name}` twice; expected a unique name"));
    }
    name
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the share of a class or a group under the rule that selects it.
fn share(port: &Section<'_>, row: &Section<'_>, rule: SchedulerRule, usual_bytes: u64) -> ShareConfig {
    if !rule.counts_bytes() {
        row.idle(&["quantum_bytes"], port.is_set("scheduler"), NO_TURNS);
    }
    let quantum_bytes = match rule.counts_bytes() {
        true => row.integer_or(
            "quantum_bytes",
            usual_bytes,
            1..=1_000_000,
            "weight: bytes that the class or group may send per turn",
        ),
        false => 1,
    };
    let rate = row.number_if(
        "rate_gbps",
        1e-6..=1e6,
        "rate limit of a token bucket that counts only the bits of frames; no limit if left out",
    );
    let shaper = match rate {
        Some(gbps) => {
            let meaning = "burst size: capacity of the token bucket";
            let burst = row.integer_or("burst_bytes", USUAL_BYTES, 0..=1 << 30, meaning);
            Some(ShaperConfig { bits_per_second: (gbps * 1e9).round() as u64, burst_bytes: burst as u32 })
        }
        None => {
            row.without_effect(&["burst_bytes"], "the class or group has no rate limit; add rate_gbps");
            None
        }
    };
    ShareConfig { quantum_bytes: quantum_bytes as u32, shaper }
}

/// Returns the names of classes at all ports, each with its number if that is the same at each port with such a
/// class.
pub(super) fn class_names<'p>(ports: impl Iterator<Item = &'p SchedulerConfig>) -> Vec<(String, Option<u8>)> {
    let mut names: Vec<(String, Option<u8>)> = Vec::new();
    for scheduler in ports {
        for (number, class) in
            scheduler.classes.iter().enumerate().filter(|(_, class)| !is_number(&class.name))
        {
            let number = Some(number as u8);
            match names.iter_mut().find(|(name, _)| *name == class.name) {
                Some((_, known)) => *known = known.filter(|_| *known == number),
                None => names.push((class.name.clone(), number)),
            }
        }
    }
    names
}

/// Returns the class to which a step sends: its number, or one of the existing names; any name if no chip is known.
pub(super) fn class_of(step: &Section<'_>, names: Option<&[(String, Option<u8>)]>) -> u8 {
    let meaning = "class of the port's queues, identified by its number (starting at 0) or by its name";
    let all: Vec<&str> = names.unwrap_or_default().iter().map(|(name, _)| name.as_str()).collect();
    let understand = |text: &str| match (text.parse::<u8>(), all.iter().position(|&name| name == text), names)
    {
        (Ok(number), ..) => Ok(number),
        (_, Some(at), Some(names)) => names[at].1.ok_or_else(|| {
            format!("found the class `{text}`, whose number differs between ports; use a number instead")
        }),
        (_, _, Some(_)) => Err(format!("found `{text}`{}", nearest(text, all.iter().copied()))),
        (_, _, None) => Ok(0),
    };
    let named = if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) };
    let allowed = format!("a number from 0 to 255, or the name of a class{named}");
    step.understood_or("class", (0, "0"), &allowed, meaning, understand).unwrap_or(0)
}
