//! The frame of every page, and the pages that need no session.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::LazyLock;

use axum::response::Html;
use maud::{DOCTYPE, Markup, html};
use rustc_hash::FxHasher;

use crate::lobby::Code;

/// The script of the page.
pub(super) const SCRIPT: &str = include_str!("script.js");

/// The style of the page.
pub(super) const STYLE: &str = include_str!("style.css");

/// The version of the page: one from another build reloads itself. It changes with all that a page gets only when it
/// is loaded.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> =
        LazyLock::new(|| of_all([env!("CARGO_PKG_VERSION"), SCRIPT, STYLE, &body("").into_string()]));
    &VERSION
}

fn of_all(parts: [&str; 4]) -> String {
    format!("{:016x}", BuildHasherDefault::<FxHasher>::default().hash_one(parts))
}

/// What is read where the script does not come, or does not run.
const LATE: &str = "If this stays, load the page again. If that does not help, this browser is too old for the page: \
    use a newer browser, or nim-client in a terminal.";

fn frame(body: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "nim" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/assets/style.css";
            }
            body { (body) }
        }
    };
    Html(page.into_string())
}

/// The page: the script fills it.
pub(super) fn page() -> Html<String> {
    frame(&body(version()))
}

fn body(version: &str) -> Markup {
    html! {
        a.skip href="#main" { "Skip to the game" }
        header id="head" { a.brand href="/" data-do="home" { "nim" } }
        div.bar.top {
            p id="connection" role="status" { "Connecting … " span.late { (LATE) } }
            button id="again" data-do="reload" hidden {}
            button id="elsewhere" data-do="elsewhere" hidden { "The host has another address" }
        }
        main id="main" tabindex="-1" {
            noscript {
                h1 { "Playing in a browser needs JavaScript" }
                p.card { "Switch it on in the browser's settings for this address, and load the page again. In a terminal, nim-client connects to this host too." }
            }
        }
        div id="dialog" {}
        div.bar.bottom {
            p id="notice" role="alert" {}
            button data-do="dismiss" { "Close" }
        }
        script type="module" src="/assets/script.js" data-version=(version) {}
    }
}

fn sentence(title: &str, words: &str) -> Html<String> {
    frame(&html! {
        header { a.brand href="/" { "nim" } }
        main { h1 { (title) } p { (words) } p { a href="/" { "To the first page" } } }
    })
}

/// The page for a path that leads nowhere.
pub(super) fn not_found() -> Html<String> {
    sentence(
        "There is no such page",
        "A lobby's page has its code, such as /brave-otter. Is the address spelled right?",
    )
}

/// The page for a code of which there is no lobby.
pub(super) fn lobby_gone(code: Code) -> Html<String> {
    sentence(
        &format!("There is no lobby {code}"),
        "It may be over and closed, or its code is another one. Ask for the new address, or open a lobby on the first page.",
    )
}

/// The page for a name that is not one of this host.
pub(super) fn other_host() -> Html<String> {
    sentence(
        "This host has another name",
        "Use the address that the host's screen shows. A host that has this name is started with --web-host NAME.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_changes_with_the_script_the_style_and_the_words_of_the_page() {
        let now = [env!("CARGO_PKG_VERSION"), SCRIPT, STYLE, "words"];
        for changed in 0..now.len() {
            let mut next = now;
            next[changed] = "another";
            assert_ne!(of_all(next), of_all(now), "part {changed}");
        }
    }
}
