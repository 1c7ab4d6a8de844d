//! The requests that the model accepts, and every valid reason for refusing the others.

use nim::game::any::Move;
use nim::game::{Outcome, Side};
use nim::lobby::{
    BotRule, Cause, ConnectionLoss, Cover, Departure, Due, Event, GameResult, Hand, Hints, Kind, List,
    LobbyRequest, Moment, Name, Notice, Offer, Phase, Player, PlayerId, Refusal, Request, Text, WhenAway,
    Who,
};

use super::time::millis;
use super::{Entry, Model, NOBODY};
use crate::fuzzed::bodies::story::Told;

/// Grants the request, or returns all valid reasons to refuse it; the lobby may give any of them.
pub(in crate::lobby) type Answer = Result<(), Vec<Refusal>>;

/// Refuses if any of these conditions holds.
fn refuse_if<const N: usize>(reasons: [(bool, Refusal); N]) -> Answer {
    let reasons: Vec<_> = reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect();
    if reasons.is_empty() { Ok(()) } else { Err(reasons) }
}

fn refuse(reason: Refusal) -> Answer {
    Err(vec![reason])
}

impl Model {
    /// A request at this time.
    pub(in crate::lobby) fn ask(&mut self, who: Who, request: &Request, at: Moment) -> Answer {
        let story = self.story();
        refuse_if([(story.phase() == Phase::Closed, Refusal::Closed)])?;
        match (who, request) {
            (Who::Newcomer, Request::Sit { name, kind }) => self.sit(name, *kind, at),
            (Who::Newcomer, Request::Watch { name }) => self.watch(name, at),
            (Who::Watcher, Request::Unwatch { name, how }) => self.unwatch(name, *how, at),
            // A watcher of two bots may ask for the next game.
            (Who::Watcher, Request::Ask(LobbyRequest::Again)) if story.is_exhibition() => {
                self.again(story.board_turn(), at)
            }
            (Who::StandIn(player), &Request::Ask(LobbyRequest::Play { turn, mv })) => {
                refuse_if([(story.stood_in_for() != Some(player.0), Refusal::NotSeated)])?;
                self.play(story.board_turn(), Hand::StandIn, (turn, mv), at)
            }
            (_, Request::Ask(LobbyRequest::Kick { name })) => self.kick(who, name.as_str(), at),
            (Who::Player(player), request) => match story.side_of(player.0) {
                Some(side) => self.ask_as_player(side, request, at),
                None => refuse(Refusal::NotSeated),
            },
            _ => refuse(Refusal::NotSeated),
        }
    }

    fn ask_as_player(&mut self, side: Side, request: &Request, at: Moment) -> Answer {
        match *request {
            Request::Sit { .. }
            | Request::SitForTwo { .. }
            | Request::Watch { .. }
            | Request::Unwatch { .. } => refuse(Refusal::AlreadySeated),
            Request::Ask(LobbyRequest::Play { turn, mv }) => self.play(side, Hand::Own, (turn, mv), at),
            Request::Ask(LobbyRequest::Resign) => self.resign(side, at),
            Request::Ask(LobbyRequest::Again) => self.again(side, at),
            Request::Disconnect { loss, since } => self.lose(side, loss, since, at),
            Request::Return => self.come_back(side, at),
            Request::Ask(LobbyRequest::Wait) => self.wait(side, at),
            Request::Ask(LobbyRequest::WaitNoMore) => self.wait_no_more(side, at),
            Request::Ask(LobbyRequest::Claim) => self.claim(side, at),
            Request::Ask(LobbyRequest::Offer(offer)) => self.offer(side, offer, at),
            Request::Ask(LobbyRequest::Answer { turn, offer, accept }) => {
                self.answer(side, (turn, offer), accept, at)
            }
            Request::Ask(LobbyRequest::Resume) => self.resume(side, at),
            Request::Ask(LobbyRequest::Leave) => self.leave(side, Departure::Quit, at),
            Request::Ask(
                LobbyRequest::Hint
                | LobbyRequest::Review { .. }
                | LobbyRequest::Say { .. }
                | LobbyRequest::Kick { .. },
            ) => Ok(()),
        }
    }

    /// Adds an entry about the player on this side.
    #[allow(clippy::unnecessary_wraps, reason = "what happens is the answer to most requests")]
    fn happen(&mut self, at: Moment, side: Option<Side>, event: impl Into<Told>) -> Answer {
        let who = side.map_or(NOBODY, |side| self.story().number(side));
        self.entries.push(Entry { at, who, event: event.into() });
        Ok(())
    }

    fn end(&mut self, at: Moment, outcome: Outcome, cause: Cause) -> Answer {
        self.happen(at, outcome.winner(), Event::Ended { result: GameResult { outcome, cause } })
    }

    fn start(&mut self, at: Moment, swap: bool) -> Answer {
        let game = self.story().games() + 1;
        self.happen(at, None, Event::Started { game, swap })
    }

    fn sit(&mut self, name: &Name, kind: Kind, at: Moment) -> Answer {
        let story = self.story();
        let id = 1 + story.count(|event| matches!(event, Told::Event(Event::Sat { .. })));
        let is_barred = kind == Kind::Program && id > 1 && self.conditions.bot == BotRule::PeopleOnly;
        refuse_if([(is_barred, Refusal::PeopleOnly)])?;
        let waits = story.phase() == Phase::Waiting;
        let reason = if waits { Refusal::NobodyHere } else { Refusal::SeatTaken };
        let side = story.open_seat().ok_or(vec![reason])?;
        let player = Player { id: PlayerId(id), name: name.clone(), kind };
        self.entries.push(Entry { at, who: id, event: Event::Sat { side, player }.into() });
        if self.story().seat(!side).is_some() { self.start(at, false) } else { Ok(()) }
    }

    fn watch(&mut self, name: &Name, at: Moment) -> Answer {
        let most = self.conditions.watchers;
        let full = most > 0 && self.story().watchers() == u32::from(most);
        refuse_if([(most == 0, Refusal::NoWatchers), (full, Refusal::TooManyWatchers { most })])?;
        if self.story().is_exhibition() {
            self.start_clock(at)?;
        }
        self.happen(at, None, Notice::Watched { name: name.clone() })
    }

    /// Bots play for watchers, and wait for players who may return to watch.
    fn unwatch(&mut self, name: &Name, how: Departure, at: Moment) -> Answer {
        let story = self.story();
        let people = Side::BOTH.into_iter().any(|side| story.is_client(side));
        if !people && story.watchers() == 1 {
            if story.is_exhibition() && how == Departure::Lost {
                self.stop_clock(at)?;
            } else {
                self.abandon(at)?;
            }
        }
        self.happen(at, None, Notice::Unwatched { name: name.clone() })
    }

    /// The first player may kick watchers, and between bots the watcher who opened the lobby, who stays.
    fn kick(&mut self, who: Who, name: &str, at: Moment) -> Answer {
        let story = self.story();
        let (opener_sits, bots) = (story.side_of(1).is_some(), story.is_exhibition());
        let (is_opener, stays) = match who {
            Who::Player(player) => (player == PlayerId(1) && opener_sits, 0),
            Who::Watcher => (bots, 1),
            Who::Newcomer | Who::StandIn(_) => (false, 0),
        };
        refuse_if([(!is_opener, Refusal::NotOpener)])?;
        let nobody = Refusal::NoSuchWatcher { watchers: List::default() };
        refuse_if([(story.watchers() <= stays || Name::clean(name).is_err(), nobody)])?;
        self.happen(at, None, Notice::Kicked { name: Name::clean(name).unwrap() })
    }

    /// Stops the clock if it runs.
    fn stop_clock(&mut self, at: Moment) -> Answer {
        if self.story().clock_runs() { self.happen(at, None, Event::ClockStopped) } else { Ok(()) }
    }

    /// Starts the clock if it has stopped.
    fn start_clock(&mut self, at: Moment) -> Answer {
        if self.story().is_clock_stopped() { self.happen(at, None, Event::ClockStarted) } else { Ok(()) }
    }

    fn play(&mut self, side: Side, hand: Hand, (turn, mv): (u32, Move), at: Moment) -> Answer {
        let story = self.story();
        refuse_if([(!story.is_playing(), Refusal::NoGame)])?;
        // A repeated move is a move for another turn, no matter who is to move by then. While a stand-in plays,
        // its player may not.
        refuse_if([
            (story.hand(side) != hand, Refusal::NotYourTurn),
            (turn != story.turn(), Refusal::OtherTurn),
        ])?;
        refuse_if([
            (story.board_turn() != side, Refusal::NotYourTurn),
            (story.is_paused() || story.is_unwatched(), Refusal::Paused),
        ])?;
        if story.clocks(at).falls.is_some_and(|falls| falls < at) {
            return self.end(at, Outcome::Win(!side), Cause::Time);
        }
        let legal = story.table().moves().contains(&mv);
        refuse_if([(!legal, Refusal::Illegal(Text::default()))])?;
        let player = PlayerId(story.number(side));
        self.happen(at, Some(side), Event::Moved { turn, player, mv, hand })?;
        match self.story().table().outcome() {
            Some(outcome) => self.end(at, outcome, Cause::Rules),
            None => Ok(()),
        }
    }

    fn resign(&mut self, side: Side, at: Moment) -> Answer {
        refuse_if([(!self.story().is_playing(), Refusal::NoGame)])?;
        self.end(at, Outcome::Win(!side), Cause::Resigned)
    }

    fn again(&mut self, side: Side, at: Moment) -> Answer {
        let Phase::Over { again, .. } = self.story().phase() else { return refuse(Refusal::NotOver) };
        refuse_if([(again[side], Refusal::AlreadyAsked)])?;
        self.happen(at, Some(side), Event::AgainWanted { side })?;
        if again[!side] { self.start(at, true) } else { Ok(()) }
    }

    fn leave(&mut self, side: Side, how: Departure, at: Moment) -> Answer {
        if self.story().is_playing() {
            self.end(at, Outcome::Win(!side), Cause::Left)?;
        }
        self.happen(at, Some(side), Event::Left { side, how })?;
        // Bots are not people.
        if self.story().is_client(!side) { Ok(()) } else { self.happen(at, None, Event::Closed) }
    }

    /// People can be away, bots cannot. A second loss changes a known absence only if it makes the wait
    /// shorter: a silent connection closes.
    fn lose(&mut self, side: Side, loss: ConnectionLoss, since: Moment, at: Moment) -> Answer {
        let story = self.story();
        let end = |since: Moment, loss: ConnectionLoss| since.0 + story.patience(loss);
        let news = match story.absence(side) {
            None => true,
            Some(known) => {
                known.loss == ConnectionLoss::Silent && end(since, loss) < end(known.since, known.loss)
            }
        };
        if !news || !story.is_client(side) {
            return Ok(());
        }
        if !self.story().is_here(!side) {
            self.stop_clock(at)?;
        }
        self.happen(at, Some(side), Notice::Away { side, since, loss })
    }

    fn come_back(&mut self, side: Side, at: Moment) -> Answer {
        if self.story().absence(side).is_none() {
            return Ok(());
        }
        if self.story().hand(side) == Hand::StandIn {
            self.happen(at, Some(side), Event::PlaysAgain { side })?;
        }
        self.start_clock(at)?;
        self.happen(at, Some(side), Notice::Back { side })
    }

    fn wait(&mut self, side: Side, at: Moment) -> Answer {
        let story = self.story();
        refuse_if([(!story.is_playing(), Refusal::NoGame)])?;
        let Some(cover) = story.cover(!side) else { return refuse(Refusal::NobodyAway) };
        let waits = self.conditions.away.then == WhenAway::Wait || cover != Cover::Agreed;
        refuse_if([(waits, Refusal::WaitsAlready)])?;
        self.happen(at, Some(!side), Notice::WaitedFor { side: !side })
    }

    /// Only a player who has chosen to wait can stop waiting.
    fn wait_no_more(&mut self, side: Side, at: Moment) -> Answer {
        let story = self.story();
        refuse_if([(!story.is_playing(), Refusal::NoGame)])?;
        let waits = story.cover(!side) == Some(Cover::Waited);
        refuse_if([(!waits, Refusal::WaitsNot)])?;
        self.happen(at, Some(!side), Notice::WaitedNoMore { side: !side })
    }

    fn claim(&mut self, side: Side, at: Moment) -> Answer {
        let story = self.story();
        refuse_if([(!story.is_playing(), Refusal::NoGame)])?;
        let theirs =
            story.may_be_claimed().filter(|&(_, away, then)| away != side && then == WhenAway::Forfeit);
        let Some((end, ..)) = theirs else { return refuse(Refusal::NothingToClaim) };
        let early = u32::try_from(millis(end.since(at))).unwrap();
        refuse_if([(early > 0, Refusal::ClaimTooEarly { millis: early })])?;
        self.end(at, Outcome::Win(side), Cause::Forfeited)
    }

    fn offer(&mut self, side: Side, offer: Offer, at: Moment) -> Answer {
        let story = self.story();
        refuse_if([(!story.is_playing(), Refusal::NoGame)])?;
        let open = story.open_offer();
        if open.is_some_and(|open| open.side != side && open.offer == offer) {
            return self.answer(side, (self.story().turn(), offer), true, at);
        }
        let moved = self.moves_since(side).is_some();
        refuse_if([
            (story.is_paused(), Refusal::Paused),
            (open.is_some_and(|open| open.side != side), Refusal::AnswerFirst),
            (story.has_offered(side, offer), Refusal::OfferedAlready),
            (offer == Offer::Takeback && !moved, Refusal::NothingToTakeBack),
        ])?;
        self.happen(at, Some(side), Event::Offered { side, offer })
    }

    /// The number of moves since this side's last one, including that one.
    fn moves_since(&self, side: Side) -> Option<u8> {
        let (past, first) = (self.story().past(), self.start.to_move());
        let is_theirs = |index: usize| index.is_multiple_of(2) == (side == first);
        let last = (0..past.len()).rev().find(|&index| is_theirs(index))?;
        u8::try_from(past.len() - last).ok()
    }

    fn answer(&mut self, side: Side, (turn, offer): (u32, Offer), accept: bool, at: Moment) -> Answer {
        let meant = |open: &nim::lobby::OpenOffer| {
            open.side != side && open.offer == offer && turn == self.story().turn()
        };
        let open = self.story().open_offer().filter(meant);
        let open = open.ok_or(vec![Refusal::NoOffer])?;
        if !accept {
            return self.happen(at, Some(side), Event::Declined { side });
        }
        match open.offer {
            Offer::Draw => self.end(at, Outcome::Draw, Cause::Agreed),
            Offer::Pause => self.happen(at, None, Event::Paused),
            Offer::Takeback => {
                let moves = self.moves_since(open.side).unwrap();
                self.happen(at, None, Event::TakenBack { moves })
            }
        }
    }

    fn resume(&mut self, side: Side, at: Moment) -> Answer {
        let story = self.story();
        refuse_if([
            (!story.is_paused(), Refusal::NotPaused),
            (story.absence(!side).is_some(), Refusal::OpponentAway),
        ])?;
        self.happen(at, Some(side), Event::Resumed { side })
    }

    /// Due events happen.
    pub(in crate::lobby) fn fall_due(&mut self, due: Due, at: Moment) -> Answer {
        match due {
            Due::StandIn(side) => self.happen(at, Some(side), Event::StoodIn { side }),
            Due::Vacated(side) => self.leave(side, Departure::Lost, at),
            Due::Flag(side) => self.end(at, Outcome::Win(!side), Cause::Time),
            Due::Abandoned => self.abandon(at),
        }
    }

    /// The server is back after a restart. Bots play on for possible watchers; if nobody is there, nobody
    /// can come back.
    pub(in crate::lobby) fn restart(&mut self, at: Moment) -> Answer {
        if self.story().phase() == Phase::Closed {
            return Ok(());
        }
        self.happen(at, None, Event::Restarted)?;
        let story = self.story();
        let people = Side::BOTH.into_iter().any(|side| story.is_client(side));
        if people || story.is_exhibition() { Ok(()) } else { self.abandon(at) }
    }

    /// Whether this person may get a hint.
    pub(in crate::lobby) fn may_hint(&self, who: Who) -> Answer {
        let story = self.story();
        refuse_if([(!story.is_playing(), Refusal::NoGame)])?;
        refuse_if([(story.is_paused(), Refusal::Paused)])?;
        let (hints, seat) = (self.conditions.hints, |player: PlayerId| story.side_of(player.0));
        match who {
            Who::Watcher => refuse_if([(!matches!(hints, Hints::All | Hints::Watchers), Refusal::NoHints)]),
            Who::Player(player) => {
                let side = seat(player).ok_or(vec![Refusal::NotSeated])?;
                let against_a_bot = story.seat(!side).is_some_and(|other| other.kind == Kind::Bot);
                let allowed = hints == Hints::All || (hints == Hints::AgainstBots && against_a_bot);
                refuse_if([(!allowed, Refusal::NoHints), (story.board_turn() != side, Refusal::NotYourTurn)])
            }
            Who::Newcomer | Who::StandIn(_) => refuse(Refusal::NotSeated),
        }
    }

    /// Closes the lobby if nobody is left to whom it could matter.
    fn abandon(&mut self, at: Moment) -> Answer {
        if self.story().is_playing() {
            self.end(at, Outcome::Draw, Cause::Abandoned)?;
        }
        self.happen(at, None, Event::Closed)
    }
}
