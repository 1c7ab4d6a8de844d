//! What a connection asks of its lobby, from a seat or from among those who watch.

use std::sync::Arc;

use super::thinking::{About, Thinking};
use super::{Location, Session};
use crate::bot::Stop;
use crate::game::notation::printable;
use crate::lobby::{self, Request, Text};
use crate::number::saturating;
use crate::server::limits::{Bucket, Rate};
use crate::study;
use crate::wire::limits::{MAX_CHAT, SAID_WITHIN};
use crate::wire::{ChatRefusal, LobbyRequest, Misplaced, Refusal, Review, Room, ToClient, Worth};

impl Session {
    pub(super) fn answer_in_lobby(&mut self, id: u32, request: LobbyRequest) {
        if let Err(refusal) = self.may_ask(1).and_then(|()| self.may_be_asked(&request)) {
            return self.refuse(id, refusal);
        }
        self.connection().note_request();
        let request = match request {
            LobbyRequest::Hint => return self.think_of_hint(id),
            LobbyRequest::Review { number } => return self.think_of_move(id, number),
            LobbyRequest::Say { words } => return self.say(id, &words),
            LobbyRequest::Leave if matches!(self.location, Location::Hall) => {
                return self.refuse(id, Misplaced::InHall.into());
            }
            LobbyRequest::Leave => return self.leave(),
            LobbyRequest::Play { turn, mv } => Request::Play { turn, mv },
            LobbyRequest::Resign => Request::Resign,
            LobbyRequest::Again => Request::Again,
            LobbyRequest::Wait => Request::Wait,
            LobbyRequest::WaitNoMore => Request::WaitNoMore,
            LobbyRequest::Claim => Request::Claim,
            LobbyRequest::Offer(offer) => Request::Offer(offer),
            LobbyRequest::Answer { turn, offer, accept } => Request::Answer { turn, offer, accept },
            LobbyRequest::Resume => Request::Resume,
        };
        let asked = match &self.location {
            Location::Hall => return self.refuse(id, Misplaced::InHall.into()),
            Location::Lobby(seat) => seat.ask(request, self.receiver.heard()),
            Location::Gallery(gallery) => gallery.ask(request),
        };
        match asked {
            // Whatever was granted, the hint of before is of no use any more.
            Ok(()) => self.give_thought_up(),
            Err((refusal, turn)) => self.refuse_at(id, turn, refusal.into()),
        }
    }

    /// Whether this is looked at now. Where there is nothing to leave any more, and that was told, nothing is recorded of it.
    fn may_be_asked(&self, request: &LobbyRequest) -> Result<(), Refusal> {
        let is_farewell =
            *request == LobbyRequest::Leave && !self.location.is_held() && !self.connection().holds();
        if is_farewell { Ok(()) } else { self.may_happen() }
    }

    /// Has the best move thought of, unless it is already.
    fn think_of_hint(&mut self, id: u32) {
        let asked = match &self.location {
            Location::Hall => return self.refuse(id, Misplaced::InHall.into()),
            Location::Lobby(seat) => seat.board_for_hint(),
            Location::Gallery(gallery) => gallery.board_for_hint(),
        };
        let (board, turn) = match asked {
            Ok(asked) => asked,
            Err((refusal, turn)) => return self.refuse_at(id, turn, refusal.into()),
        };
        self.think(id, About::Turn(turn), move |stop| {
            let hint = study::hint(&board, stop)?;
            Some(ToClient::Hint { turn, mv: hint.mv, words: Text::cut(&hint.words) })
        });
    }

    /// Has a move of the game that is over thought about, unless it is already.
    fn think_of_move(&mut self, id: u32, number: u32) {
        let asked = match &self.location {
            Location::Hall => return self.refuse(id, Misplaced::InHall.into()),
            Location::Lobby(seat) => seat.lobby().played(number),
            Location::Gallery(gallery) => gallery.lobby().played(number),
        };
        let (played, _) = match asked {
            Ok(asked) => asked,
            Err((refusal, turn)) => return self.refuse_at(id, turn, refusal.into()),
        };
        self.think(id, About::Move(number), move |stop| {
            let study::Review { before, after, words } = study::review(&played.board, played.mv, stop)?;
            let (before, after) = (Worth::from(before), Worth::from(after));
            let (count, mv, words) = (played.count, played.mv, Text::cut(&words));
            Some(ToClient::Reviewed(Review { number, count, mv, before, after, words }))
        });
    }

    fn think(&mut self, id: u32, about: About, thought: impl Fn(&Stop) -> Option<ToClient> + Send + 'static) {
        if self.thinking.as_ref().is_some_and(|thinking| thinking.about == about) {
            return self.refuse(id, lobby::Refusal::HintPending.into());
        }
        self.give_thought_up();
        let thought = self.app().think_pool.think(self.connection().address(), thought);
        self.thinking = Some(Box::new(Thinking { id, about, thought }));
    }

    /// Whoever asked for a thought that is of no use any more is told so.
    fn give_thought_up(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.refuse(thinking.id, lobby::Refusal::HintLate.into());
        }
    }

    pub(super) fn tell_thought(&mut self, answer: Option<ToClient>) {
        self.thinking = None;
        // A game that goes on has a move; without an answer the thinking threads are gone, and the server with them.
        if let Some(answer) = answer {
            self.connection().tell(&answer);
        }
    }

    /// Passes a line of chat on to those in the same room.
    fn say(&mut self, id: u32, words: &Text<MAX_CHAT>) {
        let (lobby, room) = match &self.location {
            Location::Hall => return self.refuse(id, Misplaced::InHall.into()),
            Location::Lobby(seat) => (Arc::clone(seat.lobby()), Room::Players),
            Location::Gallery(gallery) => (Arc::clone(gallery.lobby()), Room::Watchers),
        };
        let most = self.app().config.max_lines;
        if most == 0 {
            return self.refuse(id, Refusal::Chat(ChatRefusal::Off));
        }
        let line: String = printable(words.as_str().trim()).collect();
        if line.is_empty() {
            return self.refuse(id, Refusal::Chat(ChatRefusal::Empty));
        }
        let now = self.receiver.heard();
        let lines = self.lines.get_or_insert_with(|| Box::new(Bucket::full(now)));
        if !lines.take(Rate::new(most, SAID_WITHIN), now) {
            let seconds = saturating(SAID_WITHIN.as_secs());
            let too_fast = ChatRefusal::TooFast { most, seconds };
            return self.refuse(id, Refusal::Chat(too_fast));
        }
        lobby.say(self.app(), room, self.name.name(), Text::cut(&line));
    }

    fn leave(&mut self) {
        self.give_thought_up();
        match std::mem::replace(&mut self.location, Location::Hall) {
            Location::Hall => return,
            Location::Lobby(seat) => seat.leave(),
            Location::Gallery(gallery) => gallery.leave(),
        }
    }
}
