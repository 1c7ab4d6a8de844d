//! The home screen.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nim::client::nearby::Neighbour;
use nim::client::tui::home::{Home, HomeChoice};
use nim::client::tui::{Appearance, Component, Message};
use nim::client::words::home::{Opponent, WHICH};
use nim::lan::{Host, HostId};
use nim::lobby::Level;
use nim::wire::Starts;
use ratatui::layout::Rect;

use super::person::{Person, drawn};

/// A host with this number, and with a round trip of this many microseconds if it answers.
pub(super) fn neighbour(number: u8, name: &str, trip: Option<u64>) -> Neighbour {
    let address = ([192, 168, 1, number], 7646).into();
    let (name, version) = (name.parse().unwrap(), "0.1.0".parse().unwrap());
    let host = Host { id: HostId(number.into()), name, version, addresses: vec![address], open_lobbies: 2 };
    Neighbour { host, address, round_trip: trip.map(Duration::from_micros) }
}

/// A person at a home screen, and their last choice.
pub(super) struct Start {
    home: Home,
    size: (u16, u16),
    choice: Option<HomeChoice>,
}

impl Start {
    pub(super) fn at(home: Home, size: (u16, u16)) -> Self {
        Self { home, size, choice: None }
    }

    /// A screen without games to resume.
    pub(super) fn empty(size: (u16, u16)) -> Self {
        Self::of(size, Vec::new())
    }

    fn of((width, height): (u16, u16), kept: Vec<String>) -> Self {
        Self::at(Home::new(Rect::new(0, 0, width, height), Appearance::default(), kept), (width, height))
    }

    /// A screen with two games to resume.
    fn usual() -> Self {
        Self::of((80, 24), vec!["nim:3-4-5 against ben".to_owned(), "tic-tac-toe against cleo".to_owned()])
    }

    /// The same, with these discovered hosts.
    fn meeting(hosts: Vec<Neighbour>) -> Self {
        let mut start = Self::usual();
        start.home.meet(Vec::new());
        start.home.meet(hosts);
        start
    }

    /// A screen that asks which of these hosts to use.
    fn asking(hosts: Vec<Neighbour>) -> Self {
        Self::at(Home::asking(Rect::new(0, 0, 80, 24), Appearance::default(), hosts), (80, 24))
    }

    /// The choice of the last of these keys.
    pub(super) fn chooses(&mut self, keys: &str) -> Option<HomeChoice> {
        self.types(keys);
        self.choice.take()
    }

    /// The choice of a mouse press here.
    fn chosen_at(&mut self, at: (u16, u16)) -> Option<HomeChoice> {
        self.pushes(at);
        self.choice.take()
    }

    /// The choices of two presses on the same row, for each row.
    fn chosen_twice(&mut self) -> Vec<HomeChoice> {
        let rows = 0..self.size.1;
        rows.filter_map(|row| [(20, row); 2].map(|at| self.chosen_at(at)).into_iter().flatten().last())
            .collect()
    }
}

impl Person for Start {
    fn send(&mut self, message: Message) {
        self.choice = self.home.update(&message);
    }

    fn screen(&self) -> String {
        drawn(self.size, |frame| self.home.draw(frame))
    }
}

fn host(last: u8) -> HomeChoice {
    HomeChoice::Connect(format!("192.168.1.{last}:7646").parse().unwrap())
}

fn laptop() -> Neighbour {
    neighbour(7, "laptop", Some(400))
}

fn tower() -> Neighbour {
    neighbour(9, "tower", Some(300))
}

#[test]
fn keys_select_and_enter_chooses() {
    let play = |variant: &str, against, starts| {
        Some(HomeChoice::Play { variant: variant.parse().unwrap(), against, starts })
    };
    let to = |address: &str| Some(HomeChoice::Connect(address.parse().unwrap()));
    for (keys, choice) in [
        ("⏎", play("java-tech:21", Opponent::Bot(Level::Perfect), Starts::Variant)),
        ("→↓←←↓→⏎", play("nim:3-4-5", Opponent::Person, Starts::Me)),
        ("↓↓↓⏎", Some(host(7))),
        ("↓↓↓↓↓⏎", None),
        ("↓↓↓↓↓192.168.1.7⏎", to("192.168.1.7")),
        ("↓↓↓↓↓↓↓⏎", Some(HomeChoice::Resume(1))),
        ("↓↓↓↓↓↓↓↓↓↓↓⏎", Some(HomeChoice::Records)),
        ("⎋", Some(HomeChoice::Quit)),
        ("↓q", Some(HomeChoice::Quit)),
    ] {
        assert_eq!(Start::meeting(vec![laptop(), tower()]).chooses(keys), choice, "{keys}");
    }
}

#[test]
fn two_clicks_choose_every_row() {
    let mut start = Start::meeting(vec![laptop()]);
    let records = start.place("played at this keyboard");
    assert_eq!(start.chosen_at(records), None);
    start.asks(&"↓".repeat(20), "Enter look");
    let all = [host(7), HomeChoice::Resume(0), HomeChoice::Resume(1), HomeChoice::Records];
    assert_eq!(start.chosen_twice(), all);
    assert!((0..80).any(|column| start.chosen_at((column, 23)) == Some(HomeChoice::Quit)));
}

#[test]
fn the_level_of_the_bot_is_the_setting_until_another_is_selected() {
    for (keys, level) in [("⏎", Level::Easy), ("↓←⏎", Level::Fair)] {
        let usual = Start::usual();
        let choice = Start { home: usual.home.against(Level::Easy), ..usual }.chooses(keys);
        assert!(matches!(choice, Some(HomeChoice::Play { against: Opponent::Bot(is), .. }) if is == level));
    }
}

#[test]
fn the_selection_stays_on_its_host() {
    let mut start = Start::meeting(vec![tower()]);
    start.types("↓↓↓");
    start.home.meet(vec![laptop(), tower()]);
    assert_eq!(start.chooses("⏎"), Some(host(9)));
    // While the host is gone, the empty address is selected.
    start.home.meet(vec![laptop()]);
    assert_eq!(start.chooses("⏎"), None);
    start.home.meet(Vec::new());
    assert!(start.chooses("↑←⏎").is_some());
}

#[test]
fn a_long_list_scrolls_to_the_selection() {
    let mut start = Start::of((60, 18), (0..30).map(|number| format!("game {number}")).collect());
    start.asks(&"↓".repeat(33), "game 29");
    start.hides("game 5\n");
    assert_eq!(start.chooses("⏎"), Some(HomeChoice::Resume(29)));
}

#[test]
fn a_question_mark_opens_the_help_and_any_key_closes_it() {
    const HELP: &str = "What you can do here";
    for down in 0..6 {
        let mut start = Start::usual();
        start.asks(&("↓".repeat(down) + "?"), HELP);
        // Any key only closes it, even the key that ends the program.
        assert_eq!(start.chooses("⎋"), None);
        start.hides(HELP);
    }
    let mut start = Start::usual();
    let label = start.place("? help");
    assert_eq!(start.chosen_at(label), None);
    start.shows(HELP);
    assert_eq!(start.chosen_at((40, 23)), None);
    start.hides(HELP);
}

#[test]
fn the_key_bar_names_what_enter_does_on_the_selected_row() {
    let mut start = Start::usual();
    start.pushes(start.place("→ others"));
    start.shows_all(["nim:3-4-5 ", "Enter play"]);
    start.asks("↓↓↓", "Enter go there");
    start.hides("others");
    start.asks("↓", "Enter go on ");
}

#[test]
fn a_screen_that_asks_for_a_server_shows_only_servers() {
    let asking = || Start::asking(vec![laptop(), tower()]);
    let mut start = asking();
    start.hides_all(["Play here and now", "Records"]);
    assert_eq!(start.chooses("⏎"), Some(host(7)));
    assert_eq!(start.chooses("↑↓⏎"), Some(host(9)));
    start.types("?");
    start.hides("opponents");
    start.home.meet(vec![tower()]);
    start.hides("laptop");
    assert_eq!(asking().chooses("↓↓10.0.0.1⏎"), Some(HomeChoice::Connect("10.0.0.1".parse().unwrap())));
    assert_eq!(asking().chooses("⎋"), Some(HomeChoice::Quit));
}

#[test]
fn a_game_open_in_another_window_is_marked_at_the_start_of_its_line() {
    use nim::client::words::home::kept;
    use nim::client::{SavedSeat, SeatStatus};
    let seat = SavedSeat {
        server: "a-host-with-a-very-long-name.example:7646".parse().unwrap(),
        others: Vec::new(),
        code: "brave-otter".parse().unwrap(),
        player: nim::lobby::PlayerId(1),
        ticket: nim::wire::Ticket::of([0; 16]),
        name: nim::lobby::Name::clean("anna").unwrap(),
        variant: "nim:1-3-5-7:misere".into(),
        opponent: Some("somebody with a long name".into()),
        over: false,
        turn: 1,
        happened: None,
    };
    let unheard = Duration::from_secs(90);
    let line = kept(&SeatStatus { seat, is_here: false, is_held: true, unheard, quiet: unheard });
    let mut start = Start::of((60, 18), vec![line]);
    start.asks("↓↓↓↓", "▸ [open elsewhere] nim:1-3");
    // When it was played last is not cut off, and the whole text is below.
    start.shows("…, 1 minute 30 seconds ago");
    start.shows("very-long-name.example");
}

#[test]
fn a_suggestion_ends_with_its_question_mark() {
    for (typed, meant) in [("tic-tak-toe", "tic-tac-toe"), ("nmi:3-4-5", "nim")] {
        let mut start = Start::usual();
        start.asks(&format!("{typed}⏎"), &format!("no game has this name; did you mean {meant}?"));
        start.hides("?.");
    }
}

#[test]
fn old_games_are_forgotten_after_one_question() {
    let old = || {
        let mut start = Start::usual();
        start.home =
            std::mem::replace(&mut start.home, Home::new(Rect::default(), Appearance::default(), vec![]))
                .with_old(2);
        start
    };
    // Three rows for a game, one for an address, two games.
    let to_row = "↓↓↓↓↓↓";
    let mut start = old();
    start.asks(to_row, "▸ forget all games not played for a week (2)");
    assert_eq!(start.chooses("⏎"), None);
    start.shows("Forget 2 games? Press Enter once more; any other key keeps them.");
    assert_eq!(start.chooses("⏎"), Some(HomeChoice::ForgetOld));
    // Another key asks again.
    let mut start = old();
    assert_eq!(start.chooses(&format!("{to_row}⏎↑↓⏎")), None);
    start.shows("Forget 2 games?");
    let mut start = old();
    let row = start.place("forget all games");
    assert_eq!(
        [row; 4].map(|at| start.chosen_at(at)),
        [None, None, Some(HomeChoice::ForgetOld), Some(HomeChoice::ForgetOld)]
    );
    Start::usual().hides("forget all games");
}

#[test]
fn a_home_screen_that_is_too_small_only_quits() {
    let mut start = Start::empty((24, 10));
    let words = start.screen().replace('\n', " ");
    assert!(words.contains("needs 60 columns and 18 lines") && words.contains("Ctrl-C quits"), "{words}");
    for keys in ["⏎", "⎋", "q"] {
        assert_eq!(start.chooses(keys), None);
    }
    start.send(Message::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    assert_eq!(start.choice, Some(HomeChoice::Quit));
}

#[test]
fn a_click_in_the_help_of_the_home_screen_does_what_the_key_does() {
    let clicks_on = |line: &str| {
        let mut start = Start::usual();
        start.types("?");
        let choice = start.chosen_at(start.place(line));
        start.hides("What you can do here");
        choice
    };
    assert!(matches!(clicks_on("Enter   do what the line is for"), Some(HomeChoice::Play { .. })));
    // A click on the line of Esc closes the help, as the key does.
    assert_eq!(clicks_on("Esc     end the program"), None);
}

#[test]
fn the_notice_about_several_hosts_goes_with_them() {
    let mut start = Start::asking(vec![laptop(), tower()]);
    start.home.meet(vec![laptop(), tower()]);
    start.shows(WHICH);
    start.home.meet(vec![tower()]);
    start.hides(WHICH);
}

#[test]
fn addresses_are_in_one_column() {
    let mut crowded = neighbour(7, &"W".repeat(40), Some(123_400));
    crowded.host.open_lobbies = 100;
    let start = Start::meeting(vec![crowded, neighbour(9, "classroom", None)]);
    assert_eq!(start.place("192.168.1.7").0, start.place("192.168.1.9").0, "{}", start.screen());
}
