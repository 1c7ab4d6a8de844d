//! What the script of the page receives: one JSON object a message, with the regions that have changed.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use rustc_hash::FxHasher;
use serde::Serialize;

use crate::client::words::meanwhile::Seen;

/// A message to the script. What is `None` or empty has not changed.
#[derive(Debug, Default, Serialize)]
pub(super) struct Update {
    /// The new HTML of regions, by their ids. A region stands before those inside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) html: Vec<(&'static str, String)>,
    /// The HTML to add to the lists in regions, by their ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) more: Vec<(&'static str, String)>,
    /// The title of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    /// The path in the address bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// The seat to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) keep: Option<Keep>,
    /// How the lobby stands, for the browser to keep: beside the seat there, or for the page that watches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seen: Option<Seen>,
    /// The codes of seats that are not to be kept any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) forget: Vec<String>,
    /// A text to save as a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) download: Option<Download>,
    /// The name that the server gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// The number of actions of the page that are answered: what they took is not shown as taken any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answered: Option<u32>,
    /// The page is from another version of the server, and has to be loaded again.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) reload: bool,
    /// The session is over, and the script does not come back by itself.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) over: bool,
}

/// A seat for the browser to keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Keep {
    pub(super) code: String,
    pub(super) ticket: String,
    pub(super) name: String,
    pub(super) about: String,
}

/// A text for the browser to save as a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Download {
    /// The file's name.
    pub(super) name: String,
    pub(super) text: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Update {
    /// The message as JSON; `None` if there is nothing to send.
    pub(super) fn json(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let length: usize = self.html.iter().chain(&self.more).map(|(_, html)| html.len()).sum();
        // Each quotation mark takes another byte.
        let mut json = Vec::with_capacity(length + length / 4 + 256);
        serde_json::to_writer(&mut json, self).ok()?;
        String::from_utf8(json).ok()
    }

    /// Whether there is nothing to send.
    pub(super) fn is_empty(&self) -> bool {
        let Self { html, more, title, path, keep, seen, forget, download, name, answered, reload, over } =
            self;
        html.is_empty()
            && more.is_empty()
            && forget.is_empty()
            && [title, path, name].iter().all(|part| part.is_none())
            && keep.is_none()
            && seen.is_none()
            && download.is_none()
            && answered.is_none()
            && !reload
            && !over
    }
}

/// What the page shows and keeps now, mostly as hashes, so that nothing is sent twice.
#[derive(Debug, Default)]
pub(super) struct Shown {
    regions: BTreeMap<&'static str, u64>,
    /// The number of lines of the log that were sent; `None` if the page has no list for them yet.
    pub(super) logged: Option<u64>,
    title: u64,
    path: u64,
    seat: u64,
    seen: Option<Seen>,
    /// The number of actions that were answered.
    answered: u32,
}

/// The HTML of a region.
pub(super) enum Html<'a> {
    Drawn(String),
    /// It takes long to draw, and is drawn only if this is another number than before: a hash of what it shows.
    IfNew(u64, Box<dyn FnOnce() -> String + 'a>),
}

pub(super) fn hash(what: impl Hash) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(what)
}

impl Shown {
    /// The regions that differ from what the page shows. A region that is new replaces all that stood in it, so
    /// `frame` is the one that holds the others.
    pub(super) fn changed(
        &mut self,
        frame: &'static str,
        regions: Vec<(&'static str, Html<'_>)>,
    ) -> Vec<(&'static str, String)> {
        let mut changed = Vec::new();
        for (id, html) in regions {
            let now = match &html {
                Html::Drawn(html) => hash(html),
                Html::IfNew(shown, _) => *shown,
            };
            if self.regions.get(id) == Some(&now) {
                continue;
            }
            if id == frame {
                self.regions.clear();
                self.logged = None;
            }
            self.regions.insert(id, now);
            let html = match html {
                Html::Drawn(html) => html,
                Html::IfNew(_, draw) => draw(),
            };
            changed.push((id, html));
        }
        changed
    }

    /// Whether the page shows this region, and with other HTML than this.
    pub(super) fn differs(&self, id: &str, html: &str) -> bool {
        self.regions.get(id).is_some_and(|shown| *shown != hash(html))
    }

    /// The page does not show this region any more as it was sent.
    pub(super) fn forget(&mut self, id: &str) {
        self.regions.remove(id);
    }

    pub(super) fn title(&mut self, title: String) -> Option<String> {
        let now = hash(&title);
        (std::mem::replace(&mut self.title, now) != now).then_some(title)
    }

    /// The path, if it is another one than before. How the lobby there stands is then told anew.
    pub(super) fn path(&mut self, path: String) -> Option<String> {
        let now = hash(&path);
        if self.path == now {
            return None;
        }
        (self.path, self.seen) = (now, None);
        Some(path)
    }

    /// Whether this seat to keep is another one than before.
    pub(super) fn is_new_seat(&mut self, seat: impl Hash) -> bool {
        let now = hash(seat);
        let is_new = std::mem::replace(&mut self.seat, now) != now;
        if is_new {
            self.seen = None;
        }
        is_new
    }

    /// The number of actions, if not all were answered before, and none waits for the server.
    pub(super) fn answer(&mut self, acted: u32, is_pending: bool) -> Option<u32> {
        let is_news = !is_pending && std::mem::replace(&mut self.answered, acted) != acted;
        is_news.then_some(acted)
    }

    /// How the lobby of the seat stands, if that is not as before.
    pub(super) fn seen(&mut self, seen: Option<Seen>) -> Option<Seen> {
        let seen = seen.filter(|seen| self.seen.as_ref() != Some(seen))?;
        self.seen = Some(seen);
        Some(seen)
    }
}
