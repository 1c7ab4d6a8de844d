//! Acts of the host that concern all servers, where this one is one of several: this server carries them out, and has
//! the others do so too.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::acts::carry_out;
use super::message::{AdminAnswer, AdminRequest, Target};
use crate::server::app::App;
use crate::server::peers::PeerAnswer;
use crate::server::restrictions::Restriction;

/// What stands behind an act in the audit file if the host of another server has asked for it.
const ASKED_ELSEWHERE: &str = " (asked of another node)";

/// How long a host waits until all servers know of a ban or a mute, or that it was lifted.
const SHARED_WITHIN: Duration = Duration::from_millis(1_500);

/// Carries out what the host of this server asks, here and wherever else it is meant.
///
/// # Errors
///
/// If a task or an order fails, which does not happen.
pub(super) async fn carry_out_everywhere(app: &Arc<App>, request: AdminRequest) -> io::Result<AdminAnswer> {
    let (here, order) = (Arc::clone(app), serde_json::to_string(&request)?);
    let is_for_all = is_for_all(&request);
    let is_close = matches!(request, AdminRequest::Close { .. });
    let restricted = restricted(&request);
    let own = spawn_blocking(move || carry_out(&here, &request, "")).await.map_err(io::Error::other)?;
    let Some(peers) = &app.services.peers else { return Ok(own) };
    // A lobby is at one server.
    let is_done = is_close && matches!(own, AdminAnswer::Done(_));
    Ok(match (own, restricted) {
        (own, _) if is_for_all && !is_done => together(own, peers.pass_on(order).await),
        (AdminAnswer::Done(words), Some((what, address))) => {
            let shared = timeout(SHARED_WITHIN, app.restrictions.shared(what, address)).await;
            let note = shared.map_or("; the other nodes do not know of it yet", |()| "");
            AdminAnswer::Done(words + note)
        }
        (own, _) => own,
    })
}

/// Which restriction of which address the act sets or lifts, which the servers share by themselves.
fn restricted(request: &AdminRequest) -> Option<(Restriction, IpAddr)> {
    match request {
        AdminRequest::Ban { address, .. } | AdminRequest::Unban { address } => {
            Some((Restriction::Ban, *address))
        }
        AdminRequest::Mute { target: Target::Address(address), .. }
        | AdminRequest::Unmute { target: Target::Address(address) } => Some((Restriction::Mute, *address)),
        _ => None,
    }
}

/// Carries out what the host of another server asks. Returns the answer as text.
pub(in crate::server) fn carry_out_order(app: &Arc<App>, order: &str) -> String {
    let answer = match serde_json::from_str::<AdminRequest>(order) {
        Ok(request) if is_for_all(&request) => carry_out(app, &request, ASKED_ELSEWHERE),
        _ => AdminAnswer::Refused("its release does not know that act".into()),
    };
    // Texts can always be written.
    serde_json::to_string(&answer).unwrap_or_default()
}

/// Whether all servers are meant. Each has numbers of its own for its connections; and bans and mutes of addresses hold
/// at all servers by themselves.
fn is_for_all(request: &AdminRequest) -> bool {
    match request {
        AdminRequest::Say { .. }
        | AdminRequest::Close { .. }
        | AdminRequest::DrainAll { .. }
        | AdminRequest::Kick { target: Target::Address(_) } => true,
        AdminRequest::Status
        | AdminRequest::Who
        | AdminRequest::Kick { target: Target::Connection(_) }
        | AdminRequest::Mute { .. }
        | AdminRequest::Unmute { .. }
        | AdminRequest::Ban { .. }
        | AdminRequest::Unban { .. }
        | AdminRequest::Drain { .. } => false,
    }
}

/// One answer for what became of it here and elsewhere. Where it is done somewhere, it does not matter who had nothing
/// to do.
fn together(own: AdminAnswer, others: Result<Vec<PeerAnswer>, String>) -> AdminAnswer {
    let others = match (others, &own) {
        (Ok(others), _) => others,
        (Err(why), AdminAnswer::Done(words)) => {
            return AdminAnswer::Done(format!("{words}; the other nodes do not know of it: {why}"));
        }
        (Err(why), _) => {
            return AdminAnswer::Refused(format!(
                "it concerns all nodes, and the others do not know of it: {why}"
            ));
        }
    };
    let (mut done, mut refused, mut silent) = (Vec::new(), Vec::new(), Vec::new());
    match own {
        AdminAnswer::Done(words) => done.push(words),
        AdminAnswer::Refused(why) => refused.push(why),
        shown => return shown,
    }
    for PeerAnswer { server, said } in others {
        match said.map(|said| serde_json::from_str::<AdminAnswer>(&said)) {
            Some(Ok(AdminAnswer::Done(words))) => done.push(format!("{server}: {words}")),
            Some(_) => {}
            None => silent.push(format!("{server} has not answered yet")),
        }
    }
    if done.is_empty() {
        refused.extend(silent);
        AdminAnswer::Refused(refused.join("; "))
    } else {
        done.extend(silent);
        AdminAnswer::Done(done.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::peers::fake::FakePeers;
    use crate::server::shared_rules::SharedRules;

    fn said(server: &str, answer: Option<&AdminAnswer>) -> PeerAnswer {
        let said = answer.map(|answer| serde_json::to_string(answer).unwrap());
        PeerAnswer { server: server.into(), said }
    }

    #[test]
    fn the_answers_of_all_servers_are_one() {
        let done = |words: &str| AdminAnswer::Done(words.into());
        let refused = |why: &str| AdminAnswer::Refused(why.into());
        let others = || {
            let none = refused("10.0.0.7 has no connection");
            let done = done("closed 1 connection of 10.0.0.7");
            vec![said("node b", Some(&done)), said("node c", Some(&none)), said("node d", None)]
        };
        let own = "closed 2 connections of 10.0.0.7";
        let rest = "node b: closed 1 connection of 10.0.0.7; node d has not answered yet";
        assert_eq!(together(done(own), Ok(others())), done(&format!("{own}; {rest}")));
        assert_eq!(together(refused("10.0.0.7 has no connection"), Ok(others())), done(rest));
        let nobody = together(refused("no lobby has this code"), Ok(others().split_off(1)));
        assert_eq!(nobody, refused("no lobby has this code; node d has not answered yet"));
        let unknown = together(done(own), Err("etcd did not answer".into()));
        assert_eq!(unknown, done(&format!("{own}; the other nodes do not know of it: etcd did not answer")));
        assert!(matches!(together(refused("a"), Err("b".into())), AdminAnswer::Refused(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn the_answer_to_a_ban_says_if_the_others_do_not_know_of_it_in_time() {
        let app = App::one_of_several(FakePeers::new());
        let mut rules = SharedRules::new(&app);
        let address = [10, 0, 0, 7].into();
        let ban = AdminRequest::Ban { address, seconds: None };
        let (unban, mute) = (
            AdminRequest::Unban { address },
            AdminRequest::Mute { target: Target::Address(address), seconds: None },
        );
        let unmute = AdminRequest::Unmute { target: Target::Address(address) };
        for request in [&ban, &unban, &mute, &unmute] {
            let answer = carry_out_everywhere(&app, request.clone()).await.unwrap();
            let AdminAnswer::Done(words) = answer else { panic!("{answer:?}") };
            assert!(words.ends_with("; the other nodes do not know of it yet"), "{words}");
        }
        tokio::spawn(async move {
            loop {
                while let Some(act) = rules.unshared() {
                    rules.note_shared(&act).await;
                }
                rules.changed().await;
            }
        });
        for (request, words) in [
            (mute, "10.0.0.7 is muted until that is lifted"),
            (unmute, "10.0.0.7 is not muted any more"),
            (ban, "10.0.0.7 is banned until that is lifted"),
            (unban, "10.0.0.7 is not banned any more"),
        ] {
            assert_eq!(carry_out_everywhere(&app, request).await.unwrap(), AdminAnswer::Done(words.into()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_of_several_servers_that_drains_leaves_at_once_and_begins_games_meanwhile() {
        let app = App::one_of_several(FakePeers::new());
        let ask = async |request| carry_out_everywhere(&app, request).await.unwrap();
        let leaves = "the lobbies of this node go to the other nodes, and then it stops";
        for request in [AdminRequest::Drain { cancel: false }, AdminRequest::DrainAll { cancel: false }] {
            assert_eq!(ask(request).await, AdminAnswer::Done(leaves.into()));
        }
        assert!(!app.services.drain.is_on());
        app.drained().await;
        let refused = AdminAnswer::Refused(format!("{leaves}: that cannot be taken back"));
        assert_eq!(ask(AdminRequest::Drain { cancel: true }).await, refused);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_whose_others_are_gone_or_drain_too_begins_no_games_and_takes_that_back() {
        let (alone, one) = (FakePeers::new(), FakePeers::new());
        alone.are_gone();
        for (peers, is_all) in [(alone, false), (one, true)] {
            let app = App::one_of_several(peers);
            for cancel in [false, true] {
                let request =
                    if is_all { AdminRequest::DrainAll { cancel } } else { AdminRequest::Drain { cancel } };
                let answer = carry_out_everywhere(&app, request).await.unwrap();
                assert!(matches!(answer, AdminAnswer::Done(_)), "{answer:?}");
                assert_eq!(app.services.drain.is_on(), !cancel);
            }
        }
    }

    #[test]
    fn another_server_orders_only_what_is_for_all() {
        let app = Arc::new(App::in_memory(crate::server::Config::default()));
        let order = |request: &AdminRequest| {
            let order = serde_json::to_string(request).unwrap();
            serde_json::from_str::<AdminAnswer>(&carry_out_order(&app, &order)).unwrap()
        };
        let say = AdminRequest::Say { words: "we stop at noon".into() };
        assert_eq!(order(&say), AdminAnswer::Done("sent to 0 connections".into()));
        order(&AdminRequest::DrainAll { cancel: false });
        assert!(app.services.drain.is_on());
        let unknown = AdminAnswer::Refused("its release does not know that act".into());
        assert_eq!(order(&AdminRequest::Drain { cancel: true }), unknown);
        assert!(app.services.drain.is_on());
        let answer: AdminAnswer = serde_json::from_str(&carry_out_order(&app, "nonsense")).unwrap();
        assert_eq!(answer, unknown);
    }
}
