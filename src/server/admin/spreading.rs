//! Acts of the host that concern all servers, where this one is one of several: this server carries them out, and has
//! the others do so too.

use std::io;
use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::acts::carry_out;
use super::message::{AdminAnswer, AdminRequest, Target};
use crate::server::app::App;
use crate::server::peers::PeerAnswer;

/// What stands behind an act in the audit file if the host of another server has asked for it.
const ASKED_ELSEWHERE: &str = " (asked of another node)";

/// Carries out what the host of this server asks, here and wherever else it is meant.
///
/// # Errors
///
/// If a task or an order fails, which does not happen.
pub(super) async fn carry_out_everywhere(app: &Arc<App>, request: AdminRequest) -> io::Result<AdminAnswer> {
    let (here, order) = (Arc::clone(app), serde_json::to_string(&request)?);
    let is_for_all = is_for_all(&request);
    let is_close = matches!(request, AdminRequest::Close { .. });
    let own = spawn_blocking(move || carry_out(&here, &request, "")).await.map_err(io::Error::other)?;
    // A lobby is at one server.
    let is_done = is_close && matches!(own, AdminAnswer::Done(_));
    match &app.services.peers {
        Some(peers) if is_for_all && !is_done => Ok(together(own, peers.pass_on(order).await)),
        _ => Ok(own),
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
