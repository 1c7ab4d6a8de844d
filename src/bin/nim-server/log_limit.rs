//! Limits how many lines of the log the network can cause: so many of a kind in a minute for each address. How
//! many more there were is logged at the end of the minute. Lines of debug and trace have no limit: who asks
//! for them wants all of them.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use nim::server::address_key;
use parking_lot::Mutex;
use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;

/// The most lines of one kind that one address causes in a minute: one a second, which a class behind one
/// router stays below.
const MAX_LINES: u64 = 60;

/// The most lines of the level info in a minute, whatever they say: a flood from a thousand addresses takes a few
/// megabytes.
const MAX_ALL: u64 = 10_000;

/// How long lines are counted.
const MINUTE: Duration = Duration::from_mins(1);

/// The most counts of addresses that are kept: all other addresses share one count for each kind of line.
const MAX_COUNTS: usize = 1_024;

/// The fields of spans that name the address for which a line counts.
const ADDRESSES: [&str; 2] = ["peer", "opener"];

/// Counts the lines of this minute.
#[derive(Clone, Default)]
pub(crate) struct LineLimit(Arc<Mutex<Counts>>);

/// The number of lines of each kind, which is its place in the code, and each address.
#[derive(Default)]
struct Counts {
    lines: HashMap<(Identifier, Option<IpAddr>), u64>,
    /// The lines of the level info that were written, and those that were too many in all.
    written: u64,
    beyond: u64,
    /// The messages of the kinds of which lines were left out.
    messages: HashMap<Identifier, String>,
}

/// The address for which the lines of a span count.
struct Cause(IpAddr);

impl Counts {
    /// Counts a line. Returns whether it is written.
    fn count(
        &mut self,
        (kind, level): (Identifier, Level),
        address: Option<IpAddr>,
        message: impl FnOnce() -> String,
    ) -> bool {
        let key = (kind.clone(), address);
        let is_full = self.lines.len() >= MAX_COUNTS && !self.lines.contains_key(&key);
        let lines = self.lines.entry(if is_full { (kind.clone(), None) } else { key }).or_default();
        *lines += 1;
        if *lines > MAX_LINES {
            self.messages.entry(kind).or_insert_with(message);
            return false;
        }
        if level != Level::INFO {
            return true;
        }
        let is_written = self.written < MAX_ALL;
        *if is_written { &mut self.written } else { &mut self.beyond } += 1;
        is_written
    }

    /// How many lines of each message were left out, and for how many addresses.
    fn left_out(&self) -> BTreeMap<&str, (u64, usize)> {
        let mut left_out = BTreeMap::<&str, (u64, usize)>::new();
        for ((kind, _), lines) in self.lines.iter().filter(|(_, lines)| **lines > MAX_LINES) {
            let message = self.messages.get(kind).map_or("", String::as_str);
            let (count, addresses) = left_out.entry(message).or_default();
            (*count, *addresses) = (*count + lines - MAX_LINES, *addresses + 1);
        }
        left_out
    }
}

impl LineLimit {
    /// Logs at the end of each minute how many lines were left out. Never returns.
    pub(crate) async fn report_each_minute(self) {
        loop {
            tokio::time::sleep(MINUTE).await;
            self.report();
        }
    }

    /// Logs how many lines were left out since the last report, and starts to count anew.
    pub(crate) fn report(&self) {
        let counts = std::mem::take(&mut *self.0.lock());
        for (message, (lines, addresses)) in counts.left_out() {
            tracing::warn!(like = message, lines, addresses, "similar lines were left out");
        }
        if counts.beyond > 0 {
            tracing::warn!(
                lines = counts.beyond,
                "lines of all kinds were left out: there were too many in a minute"
            );
        }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Filter<S> for LineLimit {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    /// All levels: without this, nothing could be left out before it is looked at.
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }

    fn event_enabled(&self, event: &Event<'_>, context: &Context<'_, S>) -> bool {
        if *event.metadata().level() > Level::INFO {
            return true;
        }
        let mut spans = context.event_scope(event).into_iter().flatten();
        let address = spans.find_map(|span| span.extensions().get::<Cause>().map(|cause| cause.0));
        let message = || {
            let mut message = Message::default();
            event.record(&mut message);
            message.0
        };
        let metadata = event.metadata();
        self.0.lock().count((metadata.callsite(), *metadata.level()), address, message)
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut found = FoundAddress::default();
        attributes.record(&mut found);
        if let (Some(address), Some(span)) = (found.0, context.span(id)) {
            span.extensions_mut().replace(Cause(address_key(address)));
        }
    }
}

/// The message of an event.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

/// The address among the fields of a span.
#[derive(Default)]
struct FoundAddress(Option<IpAddr>);

impl Visit for FoundAddress {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if ADDRESSES.contains(&field.name()) {
            let text = format!("{value:?}");
            self.0 = text.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::{self, Write};

    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::{Layer, fmt};

    use super::*;

    /// What is written of a log.
    #[derive(Clone, Default)]
    pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.lock().clone()).unwrap()
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The lines that are written of what this logs.
    fn lines(log: impl FnOnce(&LineLimit)) -> Vec<String> {
        let (limit, written) = (LineLimit::default(), Written::default());
        let writer = written.clone();
        let layer = fmt::layer().with_writer(move || writer.clone()).without_time().with_ansi(false);
        let subscriber = tracing_subscriber::registry().with(layer.with_filter(limit.clone()));
        tracing::subscriber::with_default(subscriber, || log(&limit));
        written.text().lines().map(str::to_owned).collect()
    }

    fn refuse(peer: SocketAddr) {
        tracing::info_span!("connection", %peer).in_scope(|| tracing::info!("turned away"));
    }

    fn ends_with(lines: &[String], end: &str) -> usize {
        lines.iter().filter(|line| line.ends_with(end)).count()
    }

    #[test]
    fn beyond_the_limit_lines_of_a_kind_and_an_address_are_counted_and_no_others() {
        let written = lines(|limit| {
            for port in 1..=1_000 {
                refuse(SocketAddr::from(([10, 0, 0, 1], port)));
            }
            refuse(SocketAddr::from(([10, 0, 0, 2], 1)));
            tracing::info!("another kind");
            limit.report();
            refuse(SocketAddr::from(([10, 0, 0, 1], 1)));
            limit.report();
        });
        assert_eq!(ends_with(&written, "turned away"), 60 + 1 + 1);
        assert_eq!(ends_with(&written, "another kind"), 1);
        let end = r#"similar lines were left out like="turned away" lines=940 addresses=1"#;
        assert_eq!(ends_with(&written, end), 1, "{written:?}");
        assert_eq!(written.len(), 64, "{written:?}");
    }

    #[test]
    fn lines_of_debug_and_trace_have_no_limit() {
        let written = lines(|limit| {
            let peer = SocketAddr::from(([10, 0, 0, 1], 1));
            let connection = tracing::info_span!("connection", %peer);
            for _ in 0..100 {
                connection.in_scope(|| tracing::debug!("heard"));
                connection.in_scope(|| tracing::trace!("read"));
                connection.in_scope(|| tracing::error!("failed"));
            }
            limit.report();
        });
        let counts = ["heard", "read", "failed"].map(|end| ends_with(&written, end));
        assert_eq!(counts, [100, 100, 60]);
        assert_eq!(written.len(), 261, "{written:?}");
    }

    #[test]
    fn addresses_of_one_network_count_as_one_and_too_many_share_one_count() {
        let address = |high: u16, low: u16| SocketAddr::from(([0x2001, 0xdb8, 0, high, 0, 0, 0, low], 1));
        let written = lines(|_| (0..1_000).for_each(|low| refuse(address(1, low))));
        assert_eq!(written.len(), 60);
        let written = lines(|_| (0..4_000).for_each(|high| refuse(address(high, 1))));
        assert_eq!(written.len(), MAX_COUNTS + 60);
    }

    #[test]
    fn many_addresses_together_cause_no_more_lines_than_the_log_has_in_a_minute() {
        let written = lines(|limit| {
            for high in 0..500 {
                let peer = SocketAddr::from(([10, 0, 1, u8::try_from(high % 250).unwrap()], 1));
                let connection = tracing::info_span!("connection", %peer);
                connection.in_scope(|| {
                    for _ in 0..50 {
                        tracing::info!("a line");
                    }
                    tracing::warn!("a warning");
                });
            }
            limit.report();
        });
        let counts = ["a line", "a warning"].map(|end| ends_with(&written, end));
        assert_eq!(counts, [usize::try_from(MAX_ALL).unwrap(), 500]);
        assert!(written.iter().any(|line| line.contains("too many in a minute")), "{:?}", written.last());
    }
}
