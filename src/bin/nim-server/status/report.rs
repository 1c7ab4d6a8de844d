//! The report of `nim-server status`: reads metrics in the text format of `OpenMetrics` and words them for
//! people.

use anyhow::{Context, bail};
use nim::study::words::thousands;

/// The width of the column of numbers.
const WIDTH: usize = 10;

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

/// The report for these metrics.
pub(super) fn lines(text: &str) -> anyhow::Result<Vec<String>> {
    let families = families(text)?;
    Ok(families.iter().flat_map(Family::lines).collect())
}

fn families(text: &str) -> anyhow::Result<Vec<Family>> {
    let mut families: Vec<Family> = Vec::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').context("a name without a sentence")?;
            let (name, help) = (printed(name), printed(help).trim_end_matches('.').into());
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

/// Any program may answer at that address, so its text is not trusted.
fn printed(text: &str) -> String {
    nim::game::notation::printable(text).collect()
}

impl Family {
    fn lines(&self) -> Vec<String> {
        if self.is_histogram {
            return vec![self.histogram()];
        }
        let total: f64 = self.samples.iter().map(|sample| sample.value).sum();
        let mut lines = vec![format!("{:>WIDTH$}  {}", grouped(total), self.help)];
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
        let line = format!("{:>WIDTH$}  {}", grouped(count), self.help);
        if count == 0.0 {
            return line;
        }
        let within = |share: f64| self.within(share * count);
        format!("{line}: half {}, 99 of 100 {}, all {}", within(0.5), within(0.99), within(1.0))
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
        format!("{:>WIDTH$}    {:>6}  {}", "", grouped(self.value), values.join(", "))
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
# HELP nim_connections Connections now.
# TYPE nim_connections gauge
nim_connections 1234567
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
# HELP nim_batches Notes together.
# TYPE nim_batches histogram
nim_batches_sum 0.0
nim_batches_count 0
# EOF
";
        assert_eq!(
            lines(text).unwrap(),
            [
                " 1,234,567  Connections now",
                "         7  Games that are over",
                "                   5  tic tac toe, drawn, rules",
                "                   2  take, won, rules",
                "       200  Until told: half within 20 µs, 99 of 100 within 6.4 ms, all more than that",
                "         0  Notes together",
            ]
        );
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
            let told = lines(text);
            assert!(told.is_err() || text == "# EOF", "{text}: {told:?}");
        }
        let hostile = lines("# HELP a \u{1b}[2Jb\na{x=\"\u{7}y\"} 1e400\n# EOF").unwrap().concat();
        assert!(!hostile.contains(char::is_control), "{hostile}");
    }
}
