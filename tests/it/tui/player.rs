//! A player at a screen without a terminal and a server without a network: a lobby decides, and model and
//! screen receive the events.

use std::time::Duration;

use nim::client::failure::Resumable;
use nim::client::learn::search::SearchTarget;
use nim::client::model::MyLobby;
use nim::client::session::{Afterwards, ConnectionStatus, SessionEvent};
use nim::client::tui::draw::draw;
use nim::client::tui::job::JobResult;
use nim::client::tui::update::update;
use nim::client::tui::{Appearance, Effect, Message, State, View};
use nim::client::words::{agreement, connection, status};
use nim::client::{self, Action, Model};
use nim::game::any::Board;
use nim::game::{BySide, Side};
use nim::lobby::{
    BotRule, ClockRule, Conditions, Event, Hints, Kind, Lobby, LobbyRequest, Moment, Name, Phase, PlayerId,
    Request, Who,
};
use nim::study::Stop;
use nim::wire::{Ticket, ToClient};
use ratatui::layout::Rect;

use super::person::{Person, drawn};
use super::reader;

/// anna's screen.
pub(super) struct Player {
    lobby: Lobby,
    pub(super) model: Model,
    pub(super) state: State,
    /// The time of the lobby.
    pub(super) now: Moment,
    /// Whether jobs and searches run at once.
    pub(super) does_jobs: bool,
    /// The effects not yet read by the test.
    pub(super) asked: Vec<Effect>,
    /// Quitting loses nothing.
    pub(super) cannot_leave_now: bool,
    /// The status of the connection.
    pub(super) link: Option<ConnectionStatus>,
}

pub(super) const ANNA: Who = Who::Player(PlayerId(1));
pub(super) const BEN: Who = Who::Player(PlayerId(2));

fn sit(name: &str, kind: Kind) -> Request {
    Request::Sit { name: Name::clean(name).unwrap(), kind }
}

impl Player {
    /// anna alone in a lobby of this game.
    pub(super) fn waiting(variant: &str, size: (u16, u16), appearance: Appearance) -> Self {
        let conditions = Conditions { hints: Hints::All, ..Conditions::default() };
        Self::on(conditions, variant, size, appearance)
    }

    pub(super) fn on(
        conditions: Conditions,
        variant: &str,
        size: (u16, u16),
        appearance: Appearance,
    ) -> Self {
        let code = "brave-otter".parse().unwrap();
        let mut lobby = Lobby::new(code, variant.parse().unwrap(), conditions);
        let sat = lobby.decide(Who::Newcomer, sit("anna", Kind::Person), Moment::START).unwrap();
        lobby.carry_out(&sat, Moment::START).unwrap();
        let mut model = Model::new(Name::clean("anna").unwrap());
        model.set_ticket(Ticket::of([0; 16]));
        let mut player = Self {
            lobby: lobby.clone(),
            model,
            state: State::new(Rect::new(0, 0, size.0, size.1), appearance, Afterwards::Hall),
            now: Moment::START,
            does_jobs: false,
            asked: Vec::new(),
            cannot_leave_now: false,
            link: None,
        };
        player.enter(&lobby, Moment::START);
        player
    }

    /// anna enters a lobby, where she has a seat.
    fn enter(&mut self, lobby: &Lobby, now: Moment) {
        let you = lobby.side_of(PlayerId(1)).unwrap();
        self.learn(&ToClient::Entered { you, lobby: lobby.snapshot(), now });
        self.send(Message::Session(SessionEvent::Entered));
    }

    /// anna and ben in a game of this variant.
    pub(super) fn playing(variant: &str) -> Self {
        Self::sized(variant, (80, 24), Appearance::default())
    }

    /// The same on these conditions.
    pub(super) fn agreed(conditions: Conditions, variant: &str) -> Self {
        let mut player = Self::on(conditions, variant, (80, 24), Appearance::default());
        player.joined_by_ben();
        player
    }

    pub(super) fn sized(variant: &str, size: (u16, u16), appearance: Appearance) -> Self {
        let mut player = Self::waiting(variant, size, appearance);
        player.joined_by_ben();
        player
    }

    /// anna and ben at one keyboard.
    pub(super) fn for_two(variant: &str) -> Self {
        let mut player = Self::waiting(variant, (80, 24), Appearance::default());
        let code = "icy-walrus".parse().unwrap();
        let mut lobby = Lobby::new(code, variant.parse().unwrap(), *player.lobby.conditions());
        let [name, guest] = ["anna", "ben"].map(|name| Name::clean(name).unwrap());
        let sat = lobby.decide(Who::Newcomer, Request::SitForTwo { name, guest }, player.now).unwrap();
        lobby.carry_out(&sat, player.now).unwrap();
        player.lobby = lobby.clone();
        player.enter(&lobby, player.now);
        player
    }

    /// ben sits down.
    pub(super) fn joined_by_ben(&mut self) {
        self.happens(Who::Newcomer, sit("ben", Kind::Person));
    }

    /// anna at a game against the bot, with clocks.
    pub(super) fn against_the_bot(variant: &str, size: (u16, u16), appearance: Appearance) -> Self {
        let clock = ClockRule::Fischer { base: 300_000, bonus: 3_000 };
        let bot = BotRule::After(0);
        let conditions = Conditions { hints: Hints::All, clock, bot, ..Conditions::default() };
        let mut player = Self::on(conditions, variant, size, appearance);
        player.happens(Who::Newcomer, sit("minimax", Kind::Bot));
        player
    }

    /// anna in the hall.
    pub(super) fn in_hall(size: (u16, u16), appearance: Appearance) -> Self {
        let mut player = Self::waiting("java-tech", size, appearance);
        player.state = State::new(Rect::new(0, 0, size.0, size.1), appearance, Afterwards::Hall);
        player.learn(&ToClient::Outside);
        player
    }

    /// anna enters the lobby of another player, where she has a seat.
    pub(super) fn enters(&mut self, other: &Self) {
        self.enter(&other.lobby, other.now);
    }

    /// anna watches the lobby of another player.
    pub(super) fn watches(&mut self, other: &Self) {
        self.learn(&ToClient::Watching { lobby: other.lobby.snapshot(), now: other.now });
        self.send(Message::Session(SessionEvent::Entered));
    }

    pub(super) fn learn(&mut self, message: &ToClient) {
        self.model.apply(message).unwrap();
    }

    /// The snapshot for the screen.
    pub(super) fn view(&self) -> View<'_> {
        View { cannot_leave_now: self.cannot_leave_now, ..view(&self.model, self.now, self.link) }
    }

    /// A request is made and granted.
    pub(super) fn happens(&mut self, who: Who, request: Request) {
        let decision = self.lobby.decide(who, request, self.now).unwrap();
        decision.events.iter().for_each(|event| self.tell(event));
        if let Some(notice) = decision.notice {
            self.lobby.note(&notice, self.now).unwrap();
            self.model.apply(&ToClient::Notice { at: self.now, notice: notice.clone() }).unwrap();
            self.send(Message::Session(SessionEvent::Noticed(notice)));
        }
    }

    /// A player sends a request to the lobby, and it is granted.
    pub(super) fn wants(&mut self, who: Who, request: LobbyRequest) {
        self.happens(who, Request::Ask(request));
    }

    /// Both want another game.
    pub(super) fn go_again(&mut self) {
        for who in [ANNA, BEN] {
            self.wants(who, LobbyRequest::Again);
        }
    }

    /// The open offer is accepted.
    pub(super) fn accepts(&mut self, who: Who) {
        let open = self.lobby.offer().expect("an offer");
        let (turn, offer) = (self.lobby.turn(), open.offer);
        self.happens(who, Request::Ask(LobbyRequest::Answer { turn, offer, accept: true }));
    }

    /// Due events happen.
    pub(super) fn falls_due(&mut self) {
        let (at, _) = self.lobby.due().expect("something is due");
        self.now = at;
        for event in &self.lobby.decide_due(at) {
            self.tell(event);
        }
    }

    fn tell(&mut self, event: &Event) {
        let before = Box::new(self.lobby.clone());
        self.lobby.apply(event, self.now).unwrap();
        let told = ToClient::Lobby { number: self.lobby.last_event(), at: self.now, event: event.clone() };
        self.model.apply(&told).unwrap();
        self.send(Message::Session(SessionEvent::Happened { event: event.clone(), before }));
    }

    /// Makes the move of this text.
    pub(super) fn moves(&mut self, who: Who, text: &str) {
        let mv = self.lobby.board().read_move(text).unwrap();
        self.happens(who, Request::Ask(LobbyRequest::Play { turn: self.lobby.turn(), mv }));
    }

    /// Runs all searches.
    pub(super) fn searches(&mut self) {
        while let Some((target, board)) = self.search() {
            self.send(Message::Job(JobResult::Found(target.search(&board, &Stop::new()))));
        }
    }

    /// The search to run.
    pub(super) fn search(&mut self) -> Option<(SearchTarget, Board)> {
        self.state.wanted().map(|(target, board)| (target, board.clone()))
    }

    /// The text of the move that was made since the last call.
    pub(super) fn asked_move(&mut self) -> Option<String> {
        let asked = std::mem::take(&mut self.asked);
        asked.into_iter().find_map(|command| match command {
            Effect::Act(Action::Play(mv)) => Some(self.lobby.board().write_move(mv)),
            _ => None,
        })
    }

    /// The effects since the last call.
    pub(super) fn asked(&mut self) -> String {
        format!("{:?}", std::mem::take(&mut self.asked))
    }

    /// Presses these keys, and asserts their effect.
    #[track_caller]
    pub(super) fn causes(&mut self, text: &str, effect: &str) {
        self.types(text);
        let asked = self.asked();
        assert!(asked.contains(effect), "{effect:?} is not in {asked}");
    }

    /// All lines of the screen.
    pub(super) fn lines(&self) -> Vec<String> {
        self.screen().split('\n').map(str::to_owned).collect()
    }
}

impl Person for Player {
    fn send(&mut self, message: Message) {
        let view = View { cannot_leave_now: self.cannot_leave_now, ..view(&self.model, self.now, self.link) };
        for effect in update(&mut self.state, &view, message) {
            match effect {
                Effect::Job(job) if self.does_jobs => self.send(Message::Job(reader::done(job))),
                other => self.asked.push(other),
            }
        }
        if self.does_jobs {
            self.searches();
        }
    }

    fn screen(&self) -> String {
        let size = self.state.size;
        drawn((size.width, size.height), |frame| draw(&self.state, &self.view(), frame))
    }
}

fn view(model: &Model, now: Moment, link: Option<ConnectionStatus>) -> View<'_> {
    let lost = link == Some(ConnectionStatus::Lost);
    let mine = model.lobby();
    let clocks = |mine: &MyLobby| {
        let timed = mine.lobby.conditions().clock != ClockRule::None && mine.lobby.games() > 0;
        timed.then(|| BySide::from_fn(|side: Side| agreement::on_the_clock(&mine.lobby, side, now)))
    };
    let why = match mine {
        _ if lost => connection::why_lost(None, Duration::from_secs(594), false),
        Some(mine) => status::why_below_result(&mine.lobby, now, mine.viewpoint()),
        None => String::new(),
    };
    let has_game = |mine: &MyLobby| {
        let is_at_stake = mine.lobby.phase() == Phase::Playing || mine.lobby.is_between_games();
        mine.you().is_some() && is_at_stake
    };
    View {
        question: client::Question::of(model).filter(|_| !lost),
        link,
        lost,
        clocks: mine.and_then(clocks),
        has_game: mine.is_some_and(has_game),
        kept: Resumable::Seat,
        claimable: mine.is_some_and(|mine| mine.is_claimable(now)),
        ..View::of_record(model, why)
    }
}
