//! Who has a seat at a table, over which connection, and by which ticket; and what was told last, for whoever missed it.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use crate::lobby::PlayerId;
use crate::server::link::Link;
use crate::wire::{Farewell, Ticket};

/// How many events are kept for those who come back: 64 and the return itself, more than happen while a laptop finds
/// another network. Whoever
/// missed more gets a snapshot, which costs no more than these.
const KEPT: usize = 65;

/// The people of a table, here and away.
#[derive(Debug, Default)]
pub(super) struct Members {
    all: Vec<Member>,
    /// The frames of the last events, and the number of the last one.
    told: VecDeque<Bytes>,
    last: u32,
}

/// Somebody with a seat.
#[derive(Debug)]
struct Member {
    player: PlayerId,
    /// The newest ticket for the seat.
    ticket: Ticket,
    /// The one for which it was given, until it is known to have arrived: a connection that breaks in between keeps nobody
    /// out.
    shown: Option<Ticket>,
    /// `None` while they are away.
    link: Option<Arc<Link>>,
}

impl Members {
    /// Somebody sits down.
    pub(super) fn add(&mut self, player: PlayerId, ticket: Ticket, link: &Arc<Link>) {
        self.all.push(Member { player, ticket, shown: None, link: Some(Arc::clone(link)) });
    }

    /// Somebody has left: the ticket is void.
    pub(super) fn remove(&mut self, player: PlayerId) {
        self.all.retain(|member| member.player != player);
    }

    /// Somebody's connection is lost; `false` if they are here over another one, or have left.
    pub(super) fn lose(&mut self, player: PlayerId, link: &Arc<Link>) -> bool {
        let held = self.all.iter_mut().find(|member| member.player == player && member.is_linked(link));
        held.map(|member| member.link = None).is_some()
    }

    /// Whether this connection is the one over which the player is here.
    pub(super) fn is_here(&self, player: PlayerId, link: &Arc<Link>) -> bool {
        self.all.iter().any(|member| member.player == player && member.is_linked(link))
    }

    /// Whose ticket this is.
    pub(super) fn owner_of(&self, ticket: &Ticket) -> Option<PlayerId> {
        self.all.iter().find(|member| member.holds(ticket)).map(|member| member.player)
    }

    /// A player who showed this ticket is here over `link` from now on, and has the ticket `next`. A connection over which
    /// they seemed to be here is ended.
    pub(super) fn come_back(&mut self, player: PlayerId, shown: &Ticket, next: Ticket, link: &Arc<Link>) {
        let Some(member) = self.all.iter_mut().find(|member| member.player == player) else { return };
        (member.ticket, member.shown) = (next, Some(*shown));
        if let Some(old) = member.link.replace(Arc::clone(link)) {
            old.end(Farewell::Elsewhere);
        }
    }

    /// The newest ticket has arrived over this connection: the one before it is void.
    pub(super) fn confirm(&mut self, player: PlayerId, link: &Arc<Link>) {
        if let Some(member) =
            self.all.iter_mut().find(|member| member.player == player && member.is_linked(link))
        {
            member.shown = None;
        }
    }

    /// Tells everyone who is here the event of this number.
    pub(super) fn tell(&mut self, number: u32, frame: &Bytes) {
        if self.told.len() == KEPT {
            self.told.pop_front();
        }
        self.told.push_back(frame.clone());
        self.last = number;
        for link in self.all.iter().filter_map(|member| member.link.as_ref()) {
            link.send(frame.clone());
        }
    }

    /// The events behind number `seen`, which is not 0; `None` if they are not all kept, or if there is no such number.
    pub(super) fn told_since(&self, seen: u32) -> Option<impl Iterator<Item = Bytes>> {
        let missed = usize::try_from(self.last.checked_sub(seen)?).ok()?;
        let known = seen > 0 && missed <= self.told.len();
        known.then(|| self.told.iter().skip(self.told.len() - missed).cloned())
    }
}

impl Member {
    fn holds(&self, ticket: &Ticket) -> bool {
        self.ticket == *ticket || self.shown == Some(*ticket)
    }

    fn is_linked(&self, link: &Arc<Link>) -> bool {
        self.link.as_ref().is_some_and(|own| Arc::ptr_eq(own, link))
    }
}
