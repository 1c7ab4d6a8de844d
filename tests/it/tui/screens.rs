//! Every screen as text: at 80×24 and 120×40, in Unicode and in ASCII. `INSTA_UPDATE=always` updates the
//! files.

use std::future::pending;
use std::ops::ControlFlow;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};
use insta::assert_snapshot;
use nim::client::Failure;
use nim::client::tui::home::Home;
use nim::client::tui::{Appearance, Component, Message, Waiting};
use nim::client::words::nearby::connecting;
use nim::lobby::LobbyRequest;
use ratatui::layout::Rect;

use super::hall::hall;
use super::home::{Start, neighbour};
use super::person::{Person, drawn};
use super::player::{ANNA, BEN, Player};
use super::reader::{opened, reader};

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// Shows a screen in every size and alphabet.
fn everywhere<P: Person>(name: &str, person: impl Fn((u16, u16), Appearance) -> P) {
    for size in SIZES {
        for ascii in [false, true] {
            let appearance = Appearance { ascii, still: true, ..Appearance::default() };
            let letters = if ascii { "ascii" } else { "unicode" };
            let screen = person(size, appearance).screen();
            // Names may be anything.
            assert!(!ascii || screen.replace(['…', 'ë', '李'], "").is_ascii(), "{name}:\n{screen}");
            assert_snapshot!(format!("{name}-{}x{}-{letters}", size.0, size.1), screen);
        }
    }
}

/// A game against the bot after these moves.
fn after(game: &str, moves: &[&str], size: (u16, u16), appearance: Appearance) -> Player {
    let mut player = Player::against_the_bot(game, size, appearance);
    for (at, text) in moves.iter().enumerate() {
        player.moves(if at % 2 == 0 { ANNA } else { BEN }, text);
    }
    player
}

#[test]
fn screens_of_every_game_after_a_few_moves() {
    for (game, moves) in [
        ("java-tech", &["take 2", "take 2"][..]),
        ("nim:3-4-5", &["take 2 from a", "take 4 from b"]),
        ("one-two-ten", &["add 1", "add 2"]),
        ("even-or-odd", &["take 3", "take 1"]),
        ("tic-tac-toe", &["5", "1"]),
        ("connect-four", &["4", "4", "3", "5"]),
        ("pong-hau-ki", &["1", "4"]),
        ("mu-torere", &["1", "8"]),
    ] {
        let name = game.split(':').next().unwrap();
        everywhere(name, |size, appearance| after(game, moves, size, appearance));
    }
}

#[test]
fn screens_of_large_piles() {
    everywhere("large", |size, appearance| {
        after("nim:1000000000000000000-12", &["take 5 from b", "take 1 from a"], size, appearance)
    });
}

#[test]
fn screens_of_finished_games() {
    let four = ["1", "7", "2", "7", "3", "7", "4"];
    everywhere("four", |size, appearance| after("connect-four", &four, size, appearance));
    everywhere("three", |size, appearance| {
        after("tic-tac-toe", &["1", "2", "4", "5", "7"], size, appearance)
    });
    everywhere("resigned", |size, appearance| {
        let mut player = after("java-tech", &["take 1"], size, appearance);
        player.wants(ANNA, LobbyRequest::Resign);
        player
    });
}

#[test]
fn screens_of_lifted_sticks() {
    everywhere("dragged", sticks_lifted);
}

fn sticks_lifted(size: (u16, u16), appearance: Appearance) -> Player {
    let mut player = after("nim:3-4-5", &[], size, appearance);
    let (x, y) = player.place("c   5");
    for (kind, at) in [
        (MouseEventKind::Down(MouseButton::Left), (x + 15, y)),
        (MouseEventKind::Drag(MouseButton::Left), (x + 13, y)),
        (MouseEventKind::Drag(MouseButton::Left), (x + 2, 5)),
    ] {
        player.mouse(kind, at);
    }
    player
}

#[test]
fn screens_of_a_waiting_lobby() {
    everywhere("waiting", |size, appearance| Player::waiting("nim:1-3-5-7:misere", size, appearance));
}

#[test]
fn screens_of_overlays() {
    for (name, key) in [("help", '?'), ("terms", 'i'), ("leaving", 'q')] {
        everywhere(name, |size, appearance| {
            let mut player = after("java-tech", &["take 1", "take 1"], size, appearance);
            player.press(KeyCode::Char(key));
            player
        });
    }
}

#[test]
fn screens_of_the_hall_and_its_form() {
    everywhere("hall", hall);
    everywhere("form", |size, appearance| {
        let mut player = hall(size, appearance);
        player.types("n");
        player
    });
    everywhere("form-help", |size, appearance| {
        let mut player = hall(size, appearance);
        player.types("n?");
        player
    });
}

#[test]
fn screens_of_the_learn_panel() {
    everywhere("learn", tree_opened);
    everywhere("review", |size, appearance| {
        let mut player = after("nim:1-2-3", &["take 3 from c", "take 1 from b"], size, appearance);
        player.wants(ANNA, LobbyRequest::Resign);
        player.does_jobs = true;
        player.types("vf");
        player
    });
}

/// The whole tree of a pile of four, as in textbooks.
fn tree_opened(size: (u16, u16), appearance: Appearance) -> Player {
    let mut player = after("java-tech:4", &[], size, appearance);
    player.does_jobs = true;
    player.types("sooo");
    player
}

#[test]
fn screens_of_the_home_screen() {
    everywhere_home("home", |home| home);
    everywhere_home("home-hosts", |mut home| {
        home.meet(Vec::new());
        home.meet(vec![neighbour(1, "anna's laptop", Some(412)), neighbour(2, "tower", None)]);
        home.update(&Message::Key(KeyEvent::new(KeyCode::Down, KeyModifiers::NONE)));
        home
    });
    everywhere_home("home-alone", |mut home| {
        home.meet(Vec::new());
        home
    });
    everywhere("home-asking", |size, appearance| {
        let hosts = vec![neighbour(1, "anna's laptop", Some(412)), neighbour(2, "tower", Some(300))];
        Start::at(Home::asking(area(size), appearance, hosts), size)
    });
    everywhere_home("home-help", |mut home| {
        home.update(&Message::Key(KeyEvent::new(KeyCode::Char('?'), KeyModifiers::NONE)));
        home
    });
    everywhere("home-failed", |size, appearance| {
        let why = "could not connect to 10.77.0.50:7646: no answer within 5 seconds".to_owned();
        Start::at(Home::new(area(size), appearance, Vec::new()).back(area(size), kept(), Some(why)), size)
    });
    everywhere_home("home-wrong", |mut home| {
        let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        home.update(&Message::Key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE)));
        assert_eq!(home.update(&Message::Key(enter)), None);
        home
    });
}

#[test]
fn screens_of_a_wait_for_a_server() {
    for (name, is_from_home) in [("connecting", false), ("connecting-from-home", true)] {
        let what = || connecting("10.77.0.50:7646");
        everywhere(name, |size, appearance| Waiter::new(size, appearance, what(), is_from_home));
    }
}

#[test]
fn screens_of_records_and_a_reader() {
    everywhere("records", reader);
    everywhere("record", stepped);
    everywhere("record-tree", tree_of_a_step);
    let appearance = Appearance { still: true, ..Appearance::default() };
    assert_snapshot!("record-least", stepped(nim::client::tui::LEAST, appearance).screen());
}

/// A record after its first move.
fn stepped(size: (u16, u16), appearance: Appearance) -> Player {
    let mut reader = opened(size, appearance);
    reader.types("→");
    reader
}

fn tree_of_a_step(size: (u16, u16), appearance: Appearance) -> Player {
    let mut reader = stepped(size, appearance);
    reader.types("s");
    reader
}

/// A game to go on with.
fn kept() -> Vec<String> {
    vec!["nim:3-4-5:normal against ben, in brave-otter on 192.168.1.7, 5 minutes ago".to_owned()]
}

/// Shows a home screen in every size and alphabet.
fn everywhere_home(name: &str, change: impl Fn(Home) -> Home) {
    everywhere(name, |size, appearance| Start::at(change(Home::new(area(size), appearance, kept())), size));
}

fn area((width, height): (u16, u16)) -> Rect {
    Rect::new(0, 0, width, height)
}

/// A person who waits for a server.
struct Waiter(Waiting<'static, ()>, (u16, u16));

impl Waiter {
    fn new(size: (u16, u16), appearance: Appearance, what: String, is_from_home: bool) -> Self {
        let server = pending::<Result<(), Failure>>();
        Self(Waiting::new(area(size), appearance, what, is_from_home, server), size)
    }
}

impl Person for Waiter {
    fn send(&mut self, message: Message) {
        let flow = self.0.update(message);
        assert!(matches!(flow, Ok(ControlFlow::Continue(()))));
    }

    fn screen(&self) -> String {
        drawn(self.1, |frame| self.0.draw(frame))
    }
}

#[test]
fn screens_of_the_smallest_size() {
    let appearance = Appearance { still: true, ..Appearance::default() };
    assert_snapshot!("learn-least", tree_opened(nim::client::tui::LEAST, appearance).screen());
    for (game, moves) in [("connect-four", &["4", "4"][..]), ("mu-torere", &["1"]), ("tic-tac-toe", &["5"])] {
        let screen = after(game, moves, nim::client::tui::LEAST, appearance).screen();
        assert_snapshot!(format!("{game}-least"), screen);
    }
    for (game, moves) in [
        ("connect-four", &["4", "4", "3"][..]),
        ("tic-tac-toe", &["5", "1"]),
        ("pong-hau-ki", &["1"]),
        ("mu-torere", &["1"]),
    ] {
        let mut player = after(game, moves, nim::client::tui::LEAST, appearance);
        player.types("s");
        assert_snapshot!(format!("learn-{game}-least"), player.screen());
    }
    after("java-tech", &[], (40, 10), appearance).shows("The screen needs 60 columns");
}

#[test]
fn a_long_help_scrolls() {
    let appearance = Appearance { still: true, ..Appearance::default() };
    let mut player = after("nim:3-4-5", &[], nim::client::tui::LEAST, appearance);
    let end = "through the messages.";
    player.types("?");
    assert!(!player.screen().contains(end), "{}", player.screen());
    player.asks(&"↓".repeat(20), end);
    for _ in 0..20 {
        player.mouse(MouseEventKind::ScrollUp, (30, 8));
    }
    player.shows("make the chosen move");
    player.types("⎋");
    player.hides("make the chosen move");
}

#[test]
fn the_page_lists_the_keys() {
    use nim::client::Action;
    use nim::client::tui::command::KeyCommand;
    use nim::lobby::Offer;
    let page = include_str!("../../../docs/playing.md");
    let offers = [Offer::Takeback, Offer::Draw, Offer::Pause].map(Action::Offer).map(KeyCommand::Act);
    let others = [
        KeyCommand::Act(Action::Hint),
        KeyCommand::Learn,
        KeyCommand::Review,
        KeyCommand::Act(Action::Resign),
        KeyCommand::Chat,
        KeyCommand::Rules,
        KeyCommand::Palette,
        KeyCommand::Help,
        KeyCommand::Leave { quits: true },
    ];
    for command in others.into_iter().chain(offers) {
        let KeyCode::Char(key) = command.key() else { panic!("no letter: {command:?}") };
        let line = format!("| `{key}` | {} |", command.meaning());
        assert!(page.contains(&line), "not on the page: {line}");
    }
}

#[test]
fn the_page_lists_the_actions_whose_keys_can_be_changed() {
    use nim::client::tui::command::KeyCommand;
    let page = include_str!("../../../docs/playing.md");
    for command in KeyCommand::NAMED {
        let KeyCode::Char(key) = command.key() else { panic!("no letter: {command:?}") };
        let entry = format!("`{}` (`{key}`)", command.name());
        assert_eq!(page.matches(&entry).count(), 1, "{entry}");
    }
}

#[test]
fn the_page_shows_the_screens() {
    let page = include_str!("../../../docs/playing.md");
    let appearance = Appearance { still: true, ..Appearance::default() };
    let size = (80, 24);
    for screen in [sticks_lifted(size, appearance), hall(size, appearance), tree_opened(size, appearance)]
        .map(|player| player.screen())
    {
        assert!(page.contains(&format!("```text\n{screen}\n```")), "not on the page:\n{screen}");
    }
}
