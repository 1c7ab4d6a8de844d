//! Bans and mutes that several servers share: what the host of one of them does holds at all.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Weak};

use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::app::App;
use super::restrictions::{Restriction, Rule, RuleChange};
use crate::wire::Farewell;

/// The bans and mutes of a running server, for the others. Where the server has stopped, nothing happens.
///
/// What its host does waits in the file of the data folder until the others know of it, and so does what was done before
/// there were others.
#[derive(Debug)]
pub struct SharedRules {
    app: Weak<App>,
    changes: watch::Receiver<()>,
}

impl SharedRules {
    pub(super) fn new(app: &Arc<App>) -> Self {
        app.restrictions.share();
        Self { app: Arc::downgrade(app), changes: app.restrictions.changes() }
    }

    /// Something that the host of this server has done, and the other servers do not know yet.
    pub fn unshared(&self) -> Option<RuleChange> {
        self.app.upgrade()?.restrictions.unshared()
    }

    /// Notes that the other servers know of this, unless the host has done something else meanwhile.
    pub async fn note_shared(&self, change: &RuleChange) {
        let Some(app) = self.app.upgrade() else { return };
        app.restrictions.note_shared(change);
        // With many of them, the file is written once.
        if app.restrictions.unshared().is_none()
            && let Err(error) = write(app).await
        {
            tracing::error!(%error, "bans and mutes cannot be written");
        }
    }

    /// Waits until the host has done something since the last call. Cancel safe.
    pub async fn changed(&mut self) {
        if self.changes.changed().await.is_err() {
            // Its server has stopped.
            std::future::pending::<()>().await;
        }
    }

    /// Adds or lifts a ban or a mute of another server. A ban ends the connections of its address.
    pub fn apply(&self, change: &RuleChange) {
        let Some(app) = self.app.upgrade() else { return };
        app.restrictions.apply(change);
        if let RuleChange::Set(rule) = change {
            end_banned(&app, rule.address);
        }
    }

    /// Makes these all bans and mutes there are, with those that the other servers do not know yet.
    pub fn replace(&self, rules: &[Rule]) {
        let Some(app) = self.app.upgrade() else { return };
        app.restrictions.replace(rules);
        for rule in rules {
            end_banned(&app, rule.address);
        }
    }
}

async fn write(app: Arc<App>) -> io::Result<()> {
    spawn_blocking(move || app.restrictions.write()).await.map_err(io::Error::other)?
}

fn end_banned(app: &App, address: IpAddr) {
    if app.restrictions.holds(Restriction::Ban, address) {
        let all = app.connections.all().into_iter().map(|(_, connection)| connection);
        all.filter(|connection| connection.address() == address)
            .for_each(|connection| connection.end(Farewell::ClosedByHost));
    }
}

#[cfg(test)]
impl SharedRules {
    /// Does what the host does.
    pub(crate) fn act(&self, change: &RuleChange) {
        let app = self.app.upgrade().unwrap();
        match change {
            RuleChange::Set(rule) => assert!(app.restrictions.add(rule)),
            RuleChange::Lifted(what, address) => assert!(app.restrictions.lift(*what, *address)),
        }
        app.restrictions.write().unwrap();
    }

    pub(crate) fn all(&self) -> Vec<Rule> {
        self.app.upgrade().unwrap().restrictions.all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Config;

    fn rule(last: u8) -> Rule {
        Rule { what: Restriction::Ban, address: [10, 0, 0, last].into(), until: None }
    }

    fn set(last: u8) -> RuleChange {
        RuleChange::Set(rule(last))
    }

    fn lifted(last: u8) -> RuleChange {
        RuleChange::Lifted(Restriction::Ban, [10, 0, 0, last].into())
    }

    #[tokio::test]
    async fn what_the_host_does_is_told_until_the_others_know_it_and_what_they_do_is_not_told_back() {
        let app = Arc::new(App::in_memory(Config::default()));
        let rules = SharedRules::new(&app);
        rules.act(&set(1));
        for change in [set(2), set(3), lifted(3)] {
            rules.apply(&change);
        }
        assert_eq!(rules.all(), [rule(1), rule(2)]);
        for change in [lifted(1), set(4)] {
            rules.apply(&change);
        }
        assert_eq!(rules.all(), [rule(1), rule(2), rule(4)], "the host has acted after them");
        assert_eq!(rules.unshared(), Some(set(1)));
        rules.act(&lifted(1));
        rules.note_shared(&set(1)).await;
        assert_eq!(rules.unshared(), Some(lifted(1)));
        rules.note_shared(&lifted(1)).await;
        assert_eq!(rules.unshared(), None);
        rules.act(&lifted(2));
        rules.replace(&[rule(2), rule(5)]);
        assert_eq!(rules.all(), [rule(5)]);
        assert_eq!(rules.unshared(), Some(lifted(2)));
    }

    #[tokio::test]
    async fn what_the_others_do_not_know_yet_is_kept_over_a_restart_and_the_rest_is_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let server = |shares: bool| {
            let app = Arc::new(App::in_memory(Config::default()));
            app.restrictions.keep_in(folder.path()).unwrap();
            let rules = shares.then(|| SharedRules::new(&app));
            (app, rules)
        };
        let (alone, _) = server(false);
        for last in [1, 2] {
            assert!(alone.restrictions.add(&rule(last)));
        }
        assert!(alone.restrictions.lift(Restriction::Ban, rule(2).address));
        alone.restrictions.write().unwrap();
        let (_first, rules) = server(true);
        let rules = rules.unwrap();
        assert_eq!(rules.unshared(), Some(set(1)), "a ban from the time before there were others");
        rules.note_shared(&set(1)).await;
        rules.act(&set(3));
        rules.act(&lifted(1));
        let (_second, rules) = server(true);
        let rules = rules.unwrap();
        for change in [lifted(1), set(3)] {
            assert_eq!(rules.unshared(), Some(change.clone()));
            rules.note_shared(&change).await;
        }
        assert_eq!((rules.unshared(), rules.all()), (None, vec![rule(3)]));
        let (third, rules) = server(true);
        rules.unwrap().replace(&[]);
        assert_eq!(third.restrictions.all(), [], "it was lifted meanwhile");
    }
}
