//! The fields of a log line as text. Every value is one word or is quoted, so that no text from the network
//! looks like another field or another line.

use std::fmt::{self, Debug};

use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

/// Writes the message, and then each field as `name=value`.
pub(crate) struct QuotedFields;

impl<'w> FormatFields<'w> for QuotedFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut fields_writer = FieldsWriter { writer, is_first: true, result: Ok(()) };
        fields.record(&mut fields_writer);
        fields_writer.result
    }
}

struct FieldsWriter<'w> {
    writer: Writer<'w>,
    is_first: bool,
    result: fmt::Result,
}

impl FieldsWriter<'_> {
    fn write(&mut self, field: &Field, value: &str) -> fmt::Result {
        if !std::mem::replace(&mut self.is_first, false) {
            self.writer.write_char(' ')?;
        }
        match field.name() {
            // The program's own words; a library may put others between them.
            "message" => value.chars().try_for_each(|sign| match sign {
                sign if sign.is_control() => write!(self.writer, "{}", sign.escape_default()),
                sign => self.writer.write_char(sign),
            }),
            name if is_word(value) => write!(self.writer, "{name}={value}"),
            name => write!(self.writer, "{name}={value:?}"),
        }
    }
}

impl Visit for FieldsWriter<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.result = self.result.and_then(|()| self.write(field, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

/// Whether a value needs no quotes: it has no sign that ends a value, a span or a line.
fn is_word(value: &str) -> bool {
    let is_plain = |sign: char| sign.is_ascii_graphic() && !matches!(sign, '"' | '\\' | '=' | '{' | '}');
    !value.is_empty() && value.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::fmt as lines;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;
    use crate::log_limit::tests::Written;

    #[test]
    fn no_value_looks_like_another_field_or_another_line() {
        let written = Written::default();
        let writer = written.clone();
        let layer = lines::layer().with_writer(move || writer.clone()).without_time().with_ansi(false);
        let subscriber = tracing_subscriber::registry().with(layer.fmt_fields(QuotedFields));
        tracing::subscriber::with_default(subscriber, || {
            let named = |name: &str| {
                let span = tracing::info_span!("connection", %name);
                span.in_scope(|| tracing::info!(%name, text = name, shown = ?name, number = 7, "welcome"));
            };
            named("anna");
            named("eve\n\"x\"} you=First");
            tracing::info!("two\nlines {}", "\u{1b}[0m");
        });
        assert_eq!(
            written.text(),
            concat!(
                " INFO connection{name=anna}: nim_server::log_fields::tests: welcome name=anna text=anna ",
                "shown=\"\\\"anna\\\"\" number=7\n",
                " INFO connection{name=\"eve\\n\\\"x\\\"} you=First\"}: nim_server::log_fields::tests: welcome ",
                "name=\"eve\\n\\\"x\\\"} you=First\" text=\"eve\\n\\\"x\\\"} you=First\" ",
                "shown=\"\\\"eve\\\\n\\\\\\\"x\\\\\\\"} you=First\\\"\" number=7\n",
                " INFO nim_server::log_fields::tests: two\\nlines \\u{1b}[0m\n",
            )
        );
    }

    #[test]
    fn only_a_word_needs_no_quotes() {
        for word in ["anna", "127.0.0.1:7646", "[::1]:7646", "brave-otter", "Farewell(Silent)", "5ms"] {
            assert!(is_word(word), "{word}");
        }
        for text in ["", "anna b", "a=b", "a\nb", "a\"b", "a\\b", "x}", "аnna", "a\u{1b}[0m", "a\u{202e}b"] {
            assert!(!is_word(text), "{text:?}");
        }
    }
}
