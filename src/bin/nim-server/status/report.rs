//! The report of `nim-server status`, one fact a line. What was counted comes in the text format of
//! `OpenMetrics`, and is worded for people.

use std::time::Duration;

use anyhow::{Context, bail};
use nim::server::admin::{Recording, Status};
use nim::study::words::thousands;

use crate::values::count;

/// A metric with its samples.
#[derive(Debug, Default)]
struct Family {
    name: String,
    help: String,
    is_histogram: bool,
    samples: Vec<Sample>,
}

/// A sample of a metric: a line with a value.
#[derive(Debug)]
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    value: f64,
}

/// The report.
pub(super) fn lines(status: &Status) -> anyhow::Result<Vec<String>> {
    let families = families(&status.metrics).context("the server's metrics cannot be read")?;
    Ok(facts(status).into_iter().chain(families.iter().flat_map(Family::lines)).collect())
}

/// How the server is now.
fn facts(status: &Status) -> Vec<String> {
    let running = humantime::format_duration(Duration::from_secs(status.seconds));
    let recording = match &status.recording {
        Recording::Ok => "ok".into(),
        Recording::Off => "off: all games are lost when the server stops (--memory)".into(),
        Recording::Stopped(why) => format!("stopped: {why}"),
    };
    vec![
        format!("{}, process {}, running for {running}", status.program, status.process),
        format!("recording: {recording}"),
        format!(
            "connections: {} from {}",
            status.connections,
            count(status.addresses, "address", "addresses")
        ),
        format!("lobbies: {}", status.lobbies),
        format!("games being played: {}", status.games),
        format!(
            "new games: {}",
            if status.draining { "none; the server stops after the last game" } else { "allowed" }
        ),
        format!(
            "computations of bots and hints: {} running, {} waiting",
            status.jobs_running, status.jobs_waiting
        ),
        format!("changes that wait to be recorded: {}", status.notes_waiting),
    ]
}

fn families(text: &str) -> anyhow::Result<Vec<Family>> {
    let mut families: Vec<Family> = Vec::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').context("a name without a sentence")?;
            let (name, help) = (printed(name), label(help));
            families.push(Family { name, help, ..Family::default() });
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let family = families.last_mut().context("a type without a name")?;
            family.is_histogram = kind.ends_with(" histogram");
        } else if line == "# EOF" {
            return Ok(families);
        } else if !line.starts_with('#') {
            families.last_mut().context("a number without a name")?.samples.push(sample(line)?);
        }
    }
    bail!("it has no end")
}

fn sample(line: &str) -> anyhow::Result<Sample> {
    let (key, value) = line.rsplit_once(' ').context("a line without a number")?;
    let (name, labels) = key.split_once('{').unwrap_or((key, ""));
    let labels = labels.trim_end_matches('}').split(',').filter(|label| !label.is_empty());
    let label = |label: &str| {
        let (name, value) = label.split_once('=')?;
        Some((printed(name), printed(value.trim_matches('"')).replace('_', " ")))
    };
    Ok(Sample {
        name: printed(name),
        labels: labels.map(label).collect::<Option<_>>().context("a label without a value")?,
        value: value.parse().context("an invalid number")?,
    })
}

/// The sentence of a metric as the label of a line: without a capital and a full stop.
fn label(help: &str) -> String {
    let help = printed(help);
    let mut rest = help.trim_end_matches('.').chars();
    rest.next().map(|first| first.to_lowercase().chain(rest).collect()).unwrap_or_default()
}

/// Any program may answer, so its text is not trusted.
fn printed(text: &str) -> String {
    nim::game::notation::printable(text).collect()
}

impl Family {
    fn lines(&self) -> Vec<String> {
        if self.is_histogram {
            return vec![self.histogram()];
        }
        let total: f64 = self.samples.iter().map(|sample| sample.value).sum();
        let mut lines = vec![format!("{}: {}", self.help, grouped(total))];
        let mut parts: Vec<&Sample> =
            self.samples.iter().filter(|sample| !sample.labels.is_empty()).collect();
        parts.sort_by(|one, other| {
            other.value.total_cmp(&one.value).then_with(|| one.labels.cmp(&other.labels))
        });
        lines.extend(parts.into_iter().map(Sample::line));
        lines
    }

    fn histogram(&self) -> String {
        let count = self.samples.iter().find(|sample| sample.name.ends_with("_count"));
        let count = count.map_or(0.0, |sample| sample.value);
        let line = format!("{}: {}", self.help, grouped(count));
        if count == 0.0 {
            return line;
        }
        let within = |share: f64| self.within(share * count);
        format!("{line}, half {}, 99 of 100 {}, all {}", within(0.5), within(0.99), within(1.0))
    }

    /// The smallest bucket limit that covers this many.
    fn within(&self, count: f64) -> String {
        let limit = |sample: &Sample| {
            let (_, limit) = sample.labels.iter().find(|(name, _)| name == "le")?;
            limit.parse::<f64>().ok().filter(|_| sample.value >= count)
        };
        let limit = self.samples.iter().filter_map(limit).fold(f64::INFINITY, f64::min);
        if limit.is_infinite() {
            return "more than that".into();
        }
        if self.name.ends_with("_seconds") {
            format!("within {}", time(limit))
        } else {
            format!("at most {limit}")
        }
    }
}

impl Sample {
    fn line(&self) -> String {
        let values: Vec<&str> = self.labels.iter().map(|(_, value)| value.as_str()).collect();
        format!("  {}: {}", values.join(", "), grouped(self.value))
    }
}

/// A time in a fitting unit.
fn time(seconds: f64) -> String {
    match seconds {
        ..1e-3 => format!("{:.0} µs", seconds * 1e6),
        ..1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.1} s"),
    }
}

/// A number with thousands separators.
fn grouped(number: f64) -> String {
    thousands(&format!("{number:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_words_for_people() {
        let text = "\
# HELP nim_moves Moves made.
# TYPE nim_moves counter
nim_moves_total 1234567
# HELP nim_games Games that are over.
# TYPE nim_games counter
nim_games_total{game=\"take\",result=\"won\",cause=\"rules\"} 2
nim_games_total{game=\"tic_tac_toe\",result=\"drawn\",cause=\"rules\"} 5
# HELP nim_told_seconds Until told.
# TYPE nim_told_seconds histogram
# UNIT nim_told_seconds seconds
nim_told_seconds_sum 0.5
nim_told_seconds_count 200
nim_told_seconds_bucket{le=\"0.00002\"} 100
nim_told_seconds_bucket{le=\"0.0064\"} 199
nim_told_seconds_bucket{le=\"+Inf\"} 200
# HELP nim_batches Changes recorded at once.
# TYPE nim_batches histogram
nim_batches_sum 0.0
nim_batches_count 0
# EOF
";
        assert_eq!(
            lines(&status(text)).unwrap(),
            [
                "nim-server 9, process 7, running for 1m 5s",
                "recording: stopped: the disk is full",
                "connections: 3 from 1 address",
                "lobbies: 2",
                "games being played: 1",
                "new games: none; the server stops after the last game",
                "computations of bots and hints: 1 running, 4 waiting",
                "changes that wait to be recorded: 6",
                "moves made: 1,234,567",
                "games that are over: 7",
                "  tic tac toe, drawn, rules: 5",
                "  take, won, rules: 2",
                "until told: 200, half within 20 µs, 99 of 100 within 6.4 ms, all more than that",
                "changes recorded at once: 0",
            ]
        );
    }

    fn status(metrics: &str) -> Status {
        Status {
            program: "nim-server 9".into(),
            process: 7,
            seconds: 65,
            recording: Recording::Stopped("the disk is full".into()),
            connections: 3,
            addresses: 1,
            lobbies: 2,
            games: 1,
            draining: true,
            jobs_running: 1,
            jobs_waiting: 4,
            notes_waiting: 6,
            metrics: metrics.into(),
        }
    }

    #[test]
    fn a_text_that_is_not_openmetrics_is_refused() {
        for text in [
            "",
            "# EOF",
            "nim_lobbies 3\n# EOF",
            "# HELP nim_lobbies\n# EOF",
            "# HELP a b\na\n# EOF",
            "# HELP a b\na x\n# EOF",
            "# HELP a b\na{x} 1\n# EOF",
            "# HELP a b\na 1",
            "<html>",
        ] {
            let told = lines(&status(text));
            assert!(told.is_err() || text == "# EOF", "{text}: {told:?}");
        }
        let hostile = lines(&status("# HELP a \u{1b}[2Jb\na{x=\"\u{7}y\"} 1e400\n# EOF")).unwrap().concat();
        assert!(!hostile.contains(char::is_control), "{hostile}");
    }
}
