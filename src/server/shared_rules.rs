//! Bans and mutes that several servers share: what the host of one of them does holds at all.

use std::sync::{Arc, Weak};

use tokio::sync::mpsc;

use super::app::App;
use super::restrictions::{Restriction, Rule, RuleChange};
use crate::wire::Farewell;

/// The bans and mutes of a running server, for the others. Where the server has stopped, nothing happens.
#[derive(Debug)]
pub struct SharedRules {
    app: Weak<App>,
    acts: mpsc::UnboundedReceiver<RuleChange>,
}

impl SharedRules {
    pub(super) fn new(app: &Arc<App>) -> Self {
        Self { app: Arc::downgrade(app), acts: app.restrictions.report() }
    }

    /// What the host of this server has changed, for the other servers; and what they change goes to the second part.
    pub fn split(self) -> (mpsc::UnboundedReceiver<RuleChange>, OthersRules) {
        (self.acts, OthersRules(self.app))
    }
}

/// Where bans and mutes of other servers are applied to this one.
#[derive(Debug)]
pub struct OthersRules(Weak<App>);

impl OthersRules {
    /// Adds or lifts a ban or a mute. A ban ends the connections of its address.
    pub fn apply(&self, change: &RuleChange) {
        let Some(app) = self.0.upgrade() else { return };
        app.restrictions.apply(change);
        if let RuleChange::Set(rule) = change {
            end_banned(&app, rule);
        }
    }

    /// Makes these all bans and mutes there are.
    pub fn replace(&self, rules: &[Rule]) {
        let Some(app) = self.0.upgrade() else { return };
        app.restrictions.replace(rules);
        for rule in rules {
            end_banned(&app, rule);
        }
    }
}

fn end_banned(app: &App, rule: &Rule) {
    if app.restrictions.holds(Restriction::Ban, rule.address) {
        let all = app.connections.all().into_iter().map(|(_, connection)| connection);
        all.filter(|connection| connection.address() == rule.address)
            .for_each(|connection| connection.end(Farewell::ClosedByHost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Config;

    #[test]
    fn what_the_host_changes_is_told_and_what_the_others_change_is_not_told_back() {
        let app = Arc::new(App::in_memory(Config::default()));
        let (mut acts, others) = SharedRules::new(&app).split();
        let rule = |last| Rule { what: Restriction::Ban, address: [10, 0, 0, last].into(), until: None };
        let lifted = |last| RuleChange::Lifted(Restriction::Ban, [10, 0, 0, last].into());
        app.restrictions.add(&rule(1));
        others.apply(&RuleChange::Set(rule(2)));
        others.apply(&RuleChange::Set(rule(3)));
        others.apply(&lifted(3));
        assert_eq!(app.restrictions.all(), [rule(1), rule(2)]);
        assert!(app.restrictions.lift(Restriction::Ban, rule(2).address));
        others.replace(&[rule(4)]);
        assert_eq!(app.restrictions.all(), [rule(4)]);
        assert_eq!(acts.try_recv(), Ok(RuleChange::Set(rule(1))));
        assert_eq!(acts.try_recv(), Ok(lifted(2)));
        assert!(acts.try_recv().is_err());
    }
}
