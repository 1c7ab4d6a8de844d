//! The sentences about a lobby, word for word: what it waits for, and who made which move, even after they
//! left.

use nim::client::words::{self, Viewpoint, chat, status};
use nim::game::Side;
use nim::lobby::{
    AwayRule, ClockRule, Code, Conditions, ConnectionLoss, Event, Hints, Kind, Lobby, LobbyRequest, Moment,
    Name, Offer, PlayerId, Request, WhenAway, Who,
};
use nim::wire::{Listing, LobbyState, PositionValue, Review};

use crate::harness::listing;

const ANNA: Who = Who::Player(PlayerId(1));
const BEN: Who = Who::Player(PlayerId(2));
const ANNAS: Viewpoint = Viewpoint::Player(PlayerId(1));
const BENS: Viewpoint = Viewpoint::Player(PlayerId(2));
const CLOSED: Request = Request::Disconnect { loss: ConnectionLoss::Closed, since: Moment::START };

/// A lobby, and all lines that its watchers were shown.
struct Told {
    lobby: Lobby,
    lines: Vec<String>,
}

impl Told {
    /// anna has opened a lobby on these terms, and ben, or the bot, has joined.
    fn with(kind: Kind, conditions: Conditions) -> Self {
        let lobby = Lobby::new("brave-otter".parse().unwrap(), "take:9:3".parse().unwrap(), conditions);
        let mut told = Self { lobby, lines: Vec::new() };
        told.sits("anna", Kind::Person);
        told.sits(if kind == Kind::Bot { "minimax" } else { "ben" }, kind);
        told
    }

    fn sits(&mut self, name: &str, kind: Kind) -> &mut Self {
        self.asks(Who::Newcomer, Request::Sit { name: Name::clean(name).unwrap(), kind })
    }

    fn asks(&mut self, who: Who, request: Request) -> &mut Self {
        let decision = self.lobby.decide(who, request, Moment::START).unwrap();
        decision.events.iter().for_each(|event| self.happens(event));
        if let Some(notice) = decision.notice {
            self.lobby.note(&notice, Moment::START).unwrap();
            self.lines.extend(words::noticed(&notice, &self.lobby, Viewpoint::Spectator));
        }
        self
    }

    /// A player sends a request to the lobby.
    fn wants(&mut self, who: Who, request: LobbyRequest) -> &mut Self {
        self.asks(who, Request::Ask(request))
    }

    /// Both players pause the game.
    fn rests(&mut self) -> &mut Self {
        let pause = LobbyRequest::Offer(Offer::Pause);
        self.wants(ANNA, pause.clone()).wants(BEN, pause)
    }

    fn happens(&mut self, event: &Event) {
        let before = self.lobby.clone();
        self.lobby.apply(event, Moment::START).unwrap();
        self.lines.extend(words::happened(event, &before, &self.lobby, Viewpoint::Spectator));
    }

    fn plays(&mut self, who: Who, text: &str) -> &mut Self {
        let (turn, mv) = (self.lobby.turn(), self.lobby.board().read_move(text).unwrap());
        self.asks(who, Request::Ask(LobbyRequest::Play { turn, mv }))
    }

    /// ben is away, a stand-in moves for him, and he returns.
    fn stands_in(&mut self, text: &str) -> &mut Self {
        self.asks(BEN, CLOSED).happens(&Event::StoodIn { side: Side::Second });
        self.plays(Who::StandIn(PlayerId(2)), text).asks(BEN, Request::Return)
    }

    fn why(&self, seconds: u64, eyes: Viewpoint) -> String {
        status::why(&self.lobby, Moment(seconds * 1_000), eyes)
    }

    fn can_be_typed(&self, seconds: u64, eyes: Viewpoint) -> Option<&'static str> {
        status::can_be_typed(&self.lobby, Moment(seconds * 1_000), eyes)
    }

    /// The number of lines with this beginning.
    fn counts(&self, begin: &str) -> usize {
        self.lines.iter().filter(|line| line.starts_with(begin)).count()
    }
}

fn on(then: WhenAway, clock: ClockRule) -> Conditions {
    Conditions {
        away: AwayRule { then, ..AwayRule::default() },
        clock,
        hints: Hints::All,
        ..Conditions::default()
    }
}

fn plain() -> Conditions {
    on(WhenAway::StandIn, ClockRule::None)
}

#[test]
fn a_late_watcher_sees_which_moves_bots_made() {
    let mut told = Told::with(Kind::Person, plain());
    told.plays(ANNA, "1").stands_in("2").plays(ANNA, "3");
    let lines = words::returned(&told.lobby, BENS);
    assert!(
        lines.contains(
            &"So far: take 1 (anna), take 2 (stand-in [bot, beginner] for you), take 3 (anna).".into()
        ),
        "{lines:?}"
    );

    let mut told = Told::with(Kind::Bot, plain());
    told.plays(ANNA, "1").plays(BEN, "2");
    let lines = words::returned(&told.lobby, ANNAS);
    assert!(lines.contains(&"So far: take 1 (you), take 2 (minimax [bot, perfect]).".into()), "{lines:?}");
}

#[test]
fn a_review_names_the_player_of_a_move_after_they_left() {
    let mut told = Told::with(Kind::Person, plain());
    told.plays(ANNA, "1").stands_in("2").asks(BEN, Request::Ask(LobbyRequest::Leave));
    let reviewed = |number| {
        let mv = told.lobby.played(number).unwrap().1.mv;
        let ([before, after], words) = ([PositionValue::Unknown; 2], nim::lobby::Text::cut("kept a win"));
        chat::reviewed(&told.lobby, &Review { number, count: 2, mv, before, after, words })
    };
    assert_eq!(reviewed(1), "Move 1 of 2, anna: take 1 kept a win.");
    assert_eq!(reviewed(2), "Move 2 of 2, stand-in [bot, beginner] for ben: take 2 kept a win.");
}

#[test]
fn the_agreement_is_shown_to_a_new_player_but_not_in_a_rematch() {
    let conditions = on(WhenAway::Forfeit, ClockRule::Move(30_000));
    let mut told = Told::with(Kind::Person, conditions);
    let agreed = ["If somebody is away", "Everybody may ask for hints.", "The clock gives 30 seconds"];
    let times = |told: &Told| agreed.map(|begin| told.counts(begin));
    assert_eq!(times(&told), [1; 3]);
    told.wants(BEN, LobbyRequest::Resign).wants(ANNA, LobbyRequest::Again).wants(BEN, LobbyRequest::Again);
    assert_eq!(times(&told), [1; 3], "they know");
    told.asks(BEN, Request::Ask(LobbyRequest::Leave))
        .wants(ANNA, LobbyRequest::Again)
        .sits("gus", Kind::Person);
    assert_eq!(told.lobby.games(), 3);
    assert_eq!(times(&told), [2; 3], "gus does not");
}

#[test]
fn a_paused_game_says_who_can_resume_it_who_is_away_and_how_long_it_is_kept() {
    let mut told = Told::with(Kind::Person, plain());
    told.rests();
    assert_eq!(told.why(9, ANNAS), "Paused; it is your turn. You or ben can resume it.");
    told.asks(ANNA, CLOSED);
    let wanted = "Paused; it is anna's turn. anna is away. The game goes on once both players are here. If you \
        leave too, the game is kept for 7 days.";
    assert_eq!(told.why(9, BENS), wanted);
    let mut told = Told::with(Kind::Bot, plain());
    told.rests();
    assert_eq!(told.why(9, ANNAS), "Paused; it is your turn. You can resume it.");
}

#[test]
fn a_waiting_player_sees_what_they_can_do_instead() {
    let (none, short) = (ClockRule::None, ClockRule::Move(3_000));
    let no_more = Some("Type wait no more to let what was agreed apply again.");
    let claim = Some("Type claim to take the game.");
    for (then, clock, seconds, wanted, typed) in [
        (WhenAway::StandIn, none, 20, "You wait for anna.", no_more),
        (WhenAway::Forfeit, none, 4, "You wait for anna; the game can be claimed in 6 seconds.", None),
        (WhenAway::Forfeit, none, 20, "You wait for anna; the game can be claimed.", claim),
        (WhenAway::Forfeit, short, 1, "You wait for anna. 2 seconds left on the clock.", no_more),
    ] {
        let mut told = Told::with(Kind::Person, on(then, clock));
        told.asks(ANNA, CLOSED).wants(BEN, LobbyRequest::Wait);
        let (why, can) = (told.why(seconds, BENS), |eyes| told.can_be_typed(seconds, eyes));
        assert!(why.contains(wanted), "{then:?}: {why}");
        assert!(!why.contains("type"), "a script is not asked to type: {why}");
        assert_eq!((can(BENS), can(ANNAS), can(Viewpoint::Spectator)), (typed, None, None), "{then:?}");
    }
}

#[test]
fn an_absence_shows_its_first_deadline_even_beside_an_offer() {
    let (none, long, short) = (ClockRule::None, ClockRule::Move(90_000), ClockRule::Move(3_000));
    let offers_a_draw = LobbyRequest::Offer(Offer::Draw);
    for (then, clock, seconds, until) in [
        (WhenAway::StandIn, none, 6, "A bot moves for anna in 4 seconds"),
        (
            WhenAway::StandIn,
            long,
            6,
            "A bot moves for anna in 4 seconds. 1 minute 24 seconds left on the clock",
        ),
        (
            WhenAway::StandIn,
            short,
            2,
            "The clock runs out before a bot moves for anna. 1 second left on the clock",
        ),
        (WhenAway::Forfeit, none, 6, "The game can be claimed in 4 seconds"),
        (
            WhenAway::Forfeit,
            short,
            2,
            "The clock runs out before the game can be claimed. 1 second left on the clock",
        ),
        (WhenAway::Wait, none, 6, "The game waits for anna"),
        (WhenAway::Wait, short, 2, "The game waits for anna. 1 second left on the clock"),
    ] {
        let wanted = format!("anna is away. {until}");
        let mut told = Told::with(Kind::Person, on(then, clock));
        assert_eq!(told.asks(ANNA, CLOSED).why(seconds, BENS), format!("{wanted}."));
        let mut told = Told::with(Kind::Person, on(then, clock));
        told.wants(ANNA, offers_a_draw.clone()).asks(ANNA, CLOSED);
        for (eyes, you) in [(BENS, "you have"), (Viewpoint::Spectator, "ben has")] {
            let offered = format!("{wanted}. anna offered a draw, and {you} not answered yet.");
            assert_eq!(told.why(seconds, eyes), offered);
        }
        if (then, clock) == (WhenAway::StandIn, none) {
            told.wants(BEN, LobbyRequest::Wait);
            assert!(told.why(6, BENS).contains(" You wait for anna."), "{}", told.why(6, BENS));
        }
    }
    let mut told = Told::with(Kind::Person, on(WhenAway::StandIn, long));
    told.wants(ANNA, offers_a_draw);
    let wanted = "anna's turn for 6 seconds now; 1 minute 24 seconds left on the clock; anna offered a draw, and you \
        have not answered yet.";
    assert_eq!(told.why(6, BENS), wanted);
}

#[test]
fn a_stand_in_is_named_on_ones_own_turn_and_answers_no_offers() {
    let mut told = Told::with(Kind::Person, plain());
    told.plays(ANNA, "1").asks(BEN, CLOSED).happens(&Event::StoodIn { side: Side::Second });
    told.plays(Who::StandIn(PlayerId(2)), "2");
    let away = "Your turn; ben is away for 6 seconds, and a stand-in plays for ben";
    assert_eq!(told.why(6, ANNAS), format!("{away}."));
    told.wants(ANNA, LobbyRequest::Offer(Offer::Draw));
    let last = &told.lines[told.lines.len() - 2..];
    let left_to_ben = "The stand-in does not answer: that is left to ben, until the next move.";
    assert_eq!(last, ["anna offers a draw.", left_to_ben]);
    assert_eq!(told.why(6, ANNAS), format!("{away}; you offered a draw, which the stand-in leaves to ben."));
    told.asks(BEN, Request::Return);
    assert_eq!(told.why(6, ANNAS), "Your turn; you offered a draw, and ben has not answered yet.");
}

#[test]
fn a_new_offer_names_the_offer_that_it_replaces() {
    let mut told = Told::with(Kind::Person, plain());
    told.plays(ANNA, "1")
        .wants(ANNA, LobbyRequest::Offer(Offer::Draw))
        .wants(ANNA, LobbyRequest::Offer(Offer::Takeback));
    told.wants(ANNA, LobbyRequest::Offer(Offer::Pause));
    let offers = [
        "offers a draw",
        "asks to take their last move back instead of a draw",
        "asks to pause the game instead of taking their last move back",
    ];
    let last = &told.lines[told.lines.len() - 3..];
    assert_eq!(last, offers.map(|offer| format!("anna {offer}.")));
}

#[test]
fn a_player_back_in_an_empty_lobby_sees_what_it_waits_for() {
    let mut told = Told::with(Kind::Person, plain());
    told.asks(BEN, Request::Ask(LobbyRequest::Leave)).wants(ANNA, LobbyRequest::Again);
    let lines = words::returned(&told.lobby, ANNAS);
    assert!(
        lines[0].starts_with("Waiting in ") && lines.iter().all(|line| !line.contains("nobody.")),
        "{lines:?}"
    );
}

#[test]
fn a_clock_too_short_for_the_agreement_is_reported_when_the_lobby_is_opened() {
    let delay = ClockRule::Delay { base: 6_000, delay: 2_000 };
    let gains = ClockRule::Fischer { base: 3_000, bonus: 1 };
    for (then, clock, wanted) in [
        (
            WhenAway::StandIn,
            ClockRule::Move(3_000),
            Some("a player who is away runs out of time before a stand-in plays"),
        ),
        (
            WhenAway::Forfeit,
            delay,
            Some("a player who is away runs out of time before the game can be claimed"),
        ),
        (
            WhenAway::StandIn,
            ClockRule::Move(30_000),
            Some("a player whose connection hangs runs out of time before a stand-in plays"),
        ),
        (WhenAway::StandIn, gains, None),
        (WhenAway::StandIn, ClockRule::Move(40_000), None),
        (WhenAway::Wait, ClockRule::Move(3_000), None),
    ] {
        let variant = "take:9:3".parse().unwrap();
        let mut lobby = Lobby::new("brave-otter".parse().unwrap(), variant, on(then, clock));
        let sit = Request::Sit { name: Name::anyone(), kind: Kind::Person };
        let decision = lobby.decide(Who::Newcomer, sit, Moment::START).unwrap();
        lobby.carry_out(&decision, Moment::START).unwrap();
        let wanted = wanted.map(|words| format!("With this clock, {words}."));
        for lines in [words::entered(&lobby, PlayerId(1)), words::agreement::terms(&lobby)] {
            let faster = lines.into_iter().find(|line| line.starts_with("With this clock"));
            assert_eq!(faster, wanted, "{clock}");
        }
    }
}

#[test]
fn the_reason_for_waiting_is_repeated_when_the_turn_of_an_absent_player_begins() {
    let mut told = Told::with(Kind::Person, plain());
    told.asks(BEN, CLOSED);
    let before = told.lobby.clone();
    told.plays(ANNA, "1");
    let mv = before.board().read_move("1").unwrap();
    let moved = Event::Moved { turn: 1, player: PlayerId(1), mv, hand: nim::lobby::Hand::Own };
    let says = |eyes| status::changes_the_wait(&moved, &told.lobby, eyes);
    assert!(says(ANNAS) && says(Viewpoint::Spectator) && !says(BENS));
    told.asks(BEN, Request::Return);
    assert!(!status::changes_the_wait(&moved, &told.lobby, ANNAS), "ben is there");
}

#[test]
fn a_player_who_left_is_named_with_how_to_play_again() {
    let mut told = Told::with(Kind::Person, plain());
    told.wants(BEN, LobbyRequest::Resign).wants(ANNA, LobbyRequest::Again);
    let would_like = |who, wait| format!("The game is over ({who} won: ben resigned); {wait}.");
    let you = would_like("you", "you would like another one, and wait for ben");
    assert_eq!(told.why(9, ANNAS), you);
    let anna = would_like("anna", "anna would like another one, and waits for ben");
    assert_eq!(told.why(9, Viewpoint::Spectator), anna);
    told.wants(BEN, LobbyRequest::Again).asks(BEN, Request::Ask(LobbyRequest::Leave));
    let wanted = "The game is over (you won: ben left); another one starts when you want it and somebody sits down \
        in brave-otter.";
    assert_eq!(told.why(9, ANNAS), wanted);
    let score = words::agreement::score(&told.lobby, ANNAS);
    assert_eq!(score.as_deref(), Some("Score: ben 0, you 2."));
    let copy = Lobby::try_from(told.lobby.snapshot()).unwrap();
    assert_eq!(status::why(&copy, Moment(9_000), ANNAS), wanted, "a later watcher is told the same");
}

#[test]
fn a_match_ends_undecided_when_a_player_leaves() {
    let conditions = Conditions { best_of: 3, ..Conditions::default() };
    let mut told = Told::with(Kind::Person, conditions);
    told.wants(BEN, LobbyRequest::Resign).asks(BEN, Request::Ask(LobbyRequest::Leave));
    let last = told.lines[told.lines.len() - 2..].to_vec();
    assert_eq!(last, ["ben has left.", "The match (best of 3) ends undecided: anna 1, ben 0."]);
    let conditions = Conditions { best_of: 1, ..Conditions::default() };
    let mut told = Told::with(Kind::Person, conditions);
    told.wants(BEN, LobbyRequest::Resign).asks(BEN, Request::Ask(LobbyRequest::Leave));
    assert_eq!(told.lines.last().map(String::as_str), Some("ben has left."));
}

/// This many lobbies in the list, each in one of these states.
fn listings(count: u16, states: &[LobbyState]) -> Vec<Listing> {
    let states = states.iter().copied().cycle();
    let listed = (0..count).zip(states);
    listed.map(|(code, state)| Listing { state, ..listing(Code::from_bits(code, 1), "take:9:3") }).collect()
}

#[test]
fn open_lobbies_are_listed_first_and_those_without_anybody_last() {
    use LobbyState::{Away, Open, Over, Playing};
    let lobbies = listings(5, &[Away, Over, Open, Playing, Open]);
    assert_eq!(words::hall(&lobbies), [2, 4, 1, 3, 0].map(|place| words::listing(&lobbies[place])));
}

#[test]
fn a_long_list_says_how_much_of_it_is_shown() {
    let lobbies = listings(200, &[LobbyState::Open]);
    let lines = words::hall(&lobbies);
    assert_eq!((lines.len(), lines.last().map(String::as_str)), (65, Some("64 of 200 shown.")));
    assert_eq!(words::hall(&lobbies[..64]).len(), 64);
}

#[test]
fn a_server_that_is_back_speaks_of_clocks_only_where_there_are_some() {
    let fischer = ClockRule::Fischer { base: 300_000, bonus: 3_000 };
    for (clock, words) in
        [(ClockRule::None, "The server is back."), (fischer, "The server is back. The clocks did not run.")]
    {
        let mut told = Told::with(Kind::Person, Conditions { clock, ..Conditions::default() });
        told.lines.clear();
        told.happens(&Event::Restarted);
        assert_eq!(told.lines, [words]);
    }
}
