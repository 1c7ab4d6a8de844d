//! The hall: lobbies are chosen, joined, watched and opened, and passwords are said unseen.

use crossterm::event::{KeyCode, MouseEventKind};
use nim::client::Action;
use nim::client::session::{ConnectionStatus, SessionEvent};
use nim::client::tui::{Appearance, Effect, LEAST, Message};
use nim::client::words::form::Term;
use nim::game::BySide;
use nim::lobby::{ClockRule, Code, Conditions, Kind, Level, List, Name, Text};
use nim::wire::{HallEvent, HallRefusal, Listing, LobbyState, Presence, Refusal, Secret, Sitter, ToClient};

use super::desk::Desk;
use super::person::Person;

pub(super) fn listing(number: u16, variant: &str, state: LobbyState, name: &str) -> Listing {
    let sitter = Sitter { name: Name::clean(name).unwrap(), kind: Kind::Person, presence: Presence::Here };
    Listing {
        code: Code::from_bits(number, 1),
        variant: Text::cut(variant),
        position: None,
        seats: BySide { first: Some(sitter), second: None },
        state,
        level: Level::default(),
        clock: ClockRule::None,
        best_of: 0,
        watchers: 0,
        watched: true,
        locked: false,
    }
}

fn tell(desk: &mut Desk, listed: Vec<Listing>, gone: Vec<Code>) {
    let told =
        HallEvent::Lobbies { listed: List::first_of(listed), gone: List::first_of(gone), complete: true };
    desk.learn(&ToClient::Hall(told));
    desk.send(Message::Session(SessionEvent::Nothing));
}

pub(super) fn hall(size: (u16, u16), appearance: Appearance) -> Desk {
    let mut desk = Desk::in_hall(size, appearance);
    desk.screens.library = Some("Games on 192.168.1.7 that are open to you".to_owned());
    let listed = vec![
        listing(3, "java-tech:21", LobbyState::Open, "ben"),
        listing(5, "nim:3-4-5:normal", LobbyState::Open, "cleo"),
        listing(7, "connect-four", LobbyState::Playing, "dora"),
    ];
    tell(&mut desk, listed, Vec::new());
    desk
}

fn usual() -> Desk {
    hall((80, 24), Appearance::default())
}

#[test]
fn the_chosen_lobby_is_joined_and_a_full_one_is_watched() {
    let mut desk = usual();
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Enter);
    let asked = desk.asked();
    assert!(asked.contains("Join") && asked.contains(&format!("{:?}", Code::from_bits(5, 1))), "{asked}");
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Enter);
    assert!(desk.asked().contains("Watch"));
}

#[test]
fn a_click_chooses_and_a_second_one_joins() {
    let mut desk = usual();
    // The cursor is on the first of them before anybody has chosen.
    for (game, says, does) in [
        ("java-tech:21", "One more click sits down there.", "Join"),
        ("nim:3-4-5", "One more click sits down there.", "Join"),
        ("connect-four", "One more click watches there.", "Watch"),
    ] {
        let at = desk.place(game);
        desk.clicks(at);
        assert_eq!(desk.asked(), "[]");
        desk.shows(says);
        desk.clicks(at);
        desk.hides(says);
        assert!(desk.asked().contains(does));
    }
}

#[test]
fn where_nobody_may_go_no_key_and_no_click_goes_there() {
    let mut desk = usual();
    let closed = Listing { watched: false, ..listing(7, "connect-four", LobbyState::Playing, "dora") };
    tell(&mut desk, vec![closed], Vec::new());
    let at = desk.place("connect-four");
    desk.clicks(at);
    desk.shows("Both seats are taken, and nobody may watch.");
    desk.hides("One more click");
    for key in ["⏎ join", "⏎ watch", "w watch"] {
        desk.hides(key);
    }
    desk.press(KeyCode::Enter);
    desk.clicks(at);
    assert_eq!(desk.asked(), "[]");
}

#[test]
fn the_cursor_stays_on_its_lobby_whatever_comes_and_goes() {
    let mut desk = usual();
    desk.press(KeyCode::Down);
    tell(&mut desk, vec![listing(9, "tic-tac-toe", LobbyState::Open, "eva")], vec![Code::from_bits(3, 1)]);
    let line = desk.place("cleo").1;
    assert!(desk.lines()[usize::from(line)].starts_with(" ▸"), "{}", desk.screen());
    tell(&mut desk, Vec::new(), vec![Code::from_bits(5, 1), Code::from_bits(7, 1), Code::from_bits(9, 1)]);
    desk.shows("There are no lobbies yet.");
    desk.press(KeyCode::Enter);
    assert_eq!(desk.asked(), "[]");
}

#[test]
fn the_list_is_searched() {
    let mut desk = usual();
    desk.types("/nim");
    desk.press(KeyCode::Enter);
    desk.shows("1 of 3 lobbies");
    assert!(!desk.screen().contains("dora"));
    desk.types("/");
    desk.clicks(desk.place("never mind"));
    desk.shows("dora");
}

#[test]
fn a_lobby_is_opened_on_chosen_terms() {
    let mut desk = usual();
    desk.types("n");
    desk.shows("A lobby of your own");
    for _ in 0..20 {
        desk.press(KeyCode::Backspace);
    }
    desk.types("take:9:2");
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Down);
    desk.press(KeyCode::Right);
    desk.shows("a bot at once");
    desk.press(KeyCode::Enter);
    let asked = desk.asked();
    assert!(asked.contains("Create(") && asked.contains("AtOnce"), "{asked}");
}

#[test]
fn a_game_that_is_none_is_said_in_the_form() {
    let mut desk = usual();
    desk.types("mx");
    desk.press(KeyCode::Enter);
    assert_eq!(desk.asked(), "[]");
    desk.shows("x: ");
}

/// anna before a lobby that she would join, whose password is another one than this.
fn at_the_door(said: Option<Secret>) -> Desk {
    let mut desk = usual();
    desk.screens.state.wish = Action::Join(Code::from_bits(3, 1), said);
    let refusal = Refusal::Hall(HallRefusal::WrongPassword);
    desk.send(Message::Session(SessionEvent::Refused {
        asked: Some(Action::Join(Code::from_bits(3, 1), None)),
        refusal,
    }));
    desk
}

#[test]
fn the_password_of_a_lobby_is_typed_unseen() {
    let mut desk = at_the_door(None);
    desk.shows("Password of ");
    desk.types("sesame");
    desk.shows("⏎ done   Esc never mind");
    desk.hides("q quit");
    desk.shows(" ******");
    desk.hides("sesame");
    desk.press(KeyCode::Enter);
    assert!(desk.asked().contains("Join"));
}

#[test]
fn whoever_says_a_wrong_password_is_told_so_and_may_say_another_one() {
    let mut desk = at_the_door(Secret::of("sesame"));
    desk.shows("That is not the password.");
    desk.types("open");
    desk.hides("That is not the password.");
    desk.shows("(Esc goes away): ****");
    desk.press(KeyCode::Enter);
    assert!(desk.asked().contains("Join"));
}

#[test]
fn a_hall_whose_server_is_lost_says_so_and_what_can_be_done_meanwhile() {
    for size in [(80, 24), LEAST] {
        for mut desk in [hall(size, Appearance::default()), Desk::in_hall(size, Appearance::default())] {
            desk.link = Some(ConnectionStatus::Lost);
            desk.shows("The connection is lost; trying to come back for another 9");
            desk.shows("This is the list as it was;");
            desk.shows("connection lost");
            desk.shows("/ filter   ? help   q quit");
            // Nothing is asked of a server that is not there, and the list can be gone through.
            desk.types("n");
            desk.press(KeyCode::Down);
            desk.press(KeyCode::Enter);
            for _ in 0..2 {
                desk.clicks((10, 2));
                desk.hides("One more click");
            }
            assert_eq!(desk.asked(), "[]");
            desk.types("?");
            desk.shows("show only lobbies");
            desk.types("q");
            desk.link = Some(ConnectionStatus::Up(None));
            desk.hides("The connection is lost");
            desk.types("q");
            assert_eq!(desk.asked(), "[Act(Quit)]");
        }
    }
}

#[test]
fn in_the_smallest_form_the_chosen_term_and_what_it_means_are_in_sight() {
    let mut desk = hall(LEAST, Appearance::default());
    desk.types("n");
    for term in Term::ALL {
        desk.shows(&format!("▸ {}", term.name()));
        let meaning: String = term.meaning().split(' ').take(5).collect::<Vec<_>>().join(" ");
        desk.shows(&meaning);
        desk.press(KeyCode::Tab);
    }
    desk.hides("Game");
    for _ in Term::ALL {
        desk.press(KeyCode::BackTab);
    }
    desk.shows("▸ Game");
    desk.hides("Password");
    desk.types("x");
    desk.press(KeyCode::Enter);
    desk.shows("▸ Game");
    desk.shows("x: ");
}

#[test]
fn in_a_form_that_has_gone_on_a_click_means_the_line_on_which_it_is() {
    let mut desk = hall(LEAST, Appearance::default());
    desk.types("n");
    for _ in Term::ALL {
        desk.press(KeyCode::Down);
    }
    let watching = desk.place("Watching");
    desk.clicks(watching);
    desk.shows("▸ Watching");
    desk.clicks(watching);
    desk.shows("nobody may watch");
}

#[test]
fn what_the_help_lists_is_done_by_a_click_on_its_line() {
    let mut desk = hall(LEAST, Appearance::default());
    desk.types("?");
    desk.clicks(desk.place("open a lobby of your own"));
    desk.shows("A lobby of your own");
    desk.press(KeyCode::Esc);
    desk.types("?");
    desk.clicks(desk.place("join a person who waits"));
    desk.shows("Join whoever waits for this game");
}

/// What anna is told of her own terms once she has met somebody in a lobby where others hold.
fn told_of_terms(desk: &mut Desk) -> Vec<String> {
    let terms = Conditions { best_of: 5, ..Conditions::default() };
    let mut other = Desk::on(terms, "java-tech", (80, 24), Appearance::default());
    other.joined_by_ben();
    desk.enters(&other);
    let told = desk.screens.state.log.texts().filter(|text| text.starts_with("Whoever opened this lobby"));
    told.map(str::to_owned).collect()
}

#[test]
fn whoever_meets_another_lobby_is_told_that_their_terms_do_not_hold_there() {
    let mut desk = usual();
    desk.types("m");
    desk.press(KeyCode::Enter);
    let asked = std::mem::take(&mut desk.asked);
    let [Effect::Act(wish @ Action::Quick(_))] = &asked[..] else { panic!("{asked:?}") };
    desk.screens.state.wish = wish.clone();
    let told = told_of_terms(&mut desk);
    assert!(
        told.len() == 1 && told[0].ends_with("; what you chose holds where you open one yourself."),
        "{told:?}"
    );
    // Whoever came with flags has seen no form.
    let mut desk = usual();
    desk.screens.state.wish = wish.clone();
    let told = told_of_terms(&mut desk);
    assert!(told.len() == 1 && told[0].ends_with("; your flags are for lobbies that you open."), "{told:?}");
}

#[test]
fn whoever_watches_is_told_of_keys_and_of_nothing_that_is_for_players() {
    let mut desk = usual();
    desk.watches(&Desk::playing("nim:3-4-5"));
    assert_eq!(desk.screens.state.log.texts().next(), Some("You watch in brave-otter."));
    desk.types("?");
    desk.shows("The wheel, Page Up and Page Down show what was told before.");
    desk.hides("What lies in a pile is pulled off");
}

#[test]
fn every_term_of_the_smallest_form_is_reached_by_mouse_and_a_click_between_them_loses_nothing() {
    let mut desk = hall(LEAST, Appearance::default());
    desk.types("n");
    desk.hides("Password");
    for _ in Term::ALL {
        desk.mouse(MouseEventKind::ScrollDown, (30, 8));
    }
    desk.shows("▸ Password");
    let (x, y) = desk.place("In the list");
    desk.clicks((x, y));
    desk.shows("▸ In the list");
    for _ in Term::ALL {
        desk.mouse(MouseEventKind::ScrollUp, (30, 8));
    }
    desk.shows("▸ Game");
    let (x, y) = desk.place("▸ Game");
    desk.clicks((x, y - 1));
    desk.shows("▸ Game");
    desk.clicks((0, 0));
    desk.hides("▸ Game");
}

#[test]
fn of_a_game_that_is_over_it_is_said_and_one_key_watches() {
    let mut desk = usual();
    tell(&mut desk, vec![listing(7, "connect-four", LobbyState::Over, "dora")], Vec::new());
    let at = desk.place("connect-four");
    desk.clicks(at);
    desk.press(KeyCode::Up);
    desk.press(KeyCode::Down);
    desk.shows("The game there is over; you can watch.");
    desk.hides("Both seats are taken");
    desk.shows("⏎ watch");
    desk.hides("w watch");
    desk.types("w");
    assert!(desk.asked().contains("Watch"));
}

#[test]
fn the_rules_of_a_lobby_name_the_stones_as_they_are_drawn() {
    for (game, unicode, ascii) in [
        (
            "connect-four",
            "● for the first player and ○ for the second",
            "x for the first player and o for the second",
        ),
        (
            "tic-tac-toe",
            "╳ for the first player and ○ for the second",
            "x for the first player and o for the second",
        ),
    ] {
        for (is_ascii, named) in [(false, unicode), (true, ascii)] {
            let mut desk = Desk::in_hall((120, 40), Appearance { ascii: is_ascii, ..Appearance::default() });
            tell(&mut desk, vec![listing(7, game, LobbyState::Open, "dora")], Vec::new());
            desk.shows(named);
        }
    }
}
