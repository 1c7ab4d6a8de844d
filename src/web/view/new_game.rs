//! The form for a new game: what can be agreed on, in the words of the other faces.

use maud::{Markup, html};

use crate::client::Terms;
use crate::client::choices::{CLOCKS, GAMES};
use crate::client::words::form::{ANOTHER_GAME, Term};
use crate::game::any::Variant;
use crate::web::choices::{self, Choices};
use crate::wire::AwayWish;

pub(super) fn form() -> Markup {
    let usual = Terms::default();
    let on = |away| Terms { away, ..usual.clone() };
    html! {
        h2 { "A new game" }
        form.fields data-do="new" {
            label { (Term::Game.name())
                select name="game" {
                    @for game in GAMES { option value=(game) { (game) ": " (summary(game)) } }
                }
            }
            label { (ANOTHER_GAME)
                input name="typed" autocapitalize="none" autocomplete="off" spellcheck="false" maxlength="80";
            }
            (choice(Term::Bot, "opponent", &usual, choices::opponents(), |bot| Terms { bot, ..usual.clone() }))
            details {
                summary id="more" { "More" }
                div.fields {
                    (choice(Term::Level, "level", &usual, choices::levels(), |level| Terms { level, ..usual.clone() }))
                    (choice(Term::Starts, "starts", &usual, choices::starts(), |starts| Terms { starts, ..usual.clone() }))
                    (choice(Term::Hints, "hints", &usual, choices::hints(), |hints| Terms { hints, ..usual.clone() }))
                    (choice(Term::Away, "away", &usual, choices::absences(), |then| on(AwayWish { then, ..usual.away })))
                    label { "Stand-in's level"
                        select name="stand-in" {
                            option value="" { "default" }
                            @for (value, level) in choices::levels() { option value=(value) { (level) } }
                        }
                    }
                    (choice(Term::After, "after", &usual, choices::times(), |after| on(AwayWish { after, ..usual.away })))
                    label title=(Term::Clock.meaning()) { (Term::Clock.name())
                        input name="clock" list="clocks" placeholder=(CLOCKS[..4].join(", ")) autocapitalize="none" autocomplete="off" maxlength="40";
                        datalist id="clocks" { @for clock in CLOCKS { option value=(clock) {} } }
                    }
                    (choice(Term::BestOf, "best-of", &usual, choices::lengths(), |best_of| Terms { best_of, ..usual.clone() }))
                    (choice(Term::Watched, "watched", &usual, choices::yes_or_no(), |watched| Terms { watched, ..usual.clone() }))
                    (choice(Term::Listed, "listed", &usual, choices::yes_or_no(), |listed| Terms { listed, ..usual.clone() }))
                    label title=(Term::Password.meaning()) { (Term::Password.name())
                        input name="password" type="password" autocomplete="new-password" maxlength="64";
                    }
                }
            }
            button.primary { "Open" }
        }
    }
}

/// What this game is, in one sentence.
fn summary(game: &str) -> String {
    game.parse::<Variant>().map(|variant| variant.summary()).unwrap_or_default()
}

/// A choice of a term, with the usual one selected.
fn choice<T>(term: Term, name: &str, usual: &Terms, offered: Choices<T>, of: impl Fn(T) -> Terms) -> Markup {
    html! {
        label title=(term.meaning()) { (term.name())
            select name=(name) {
                @for (value, terms) in offered.into_iter().map(|(value, chosen)| (value, of(chosen))) {
                    option value=(value) selected[term.value(&terms) == term.value(usual)] { (term.value(&terms)) }
                }
            }
        }
    }
}
