//! The hall: lobbies are selected, joined, watched and opened; passwords are typed.

use crossterm::event::MouseEventKind;
use nim::client::Action;
use nim::client::session::{ConnectionStatus, SessionEvent};
use nim::client::tui::{Appearance, Effect, LEAST, Message};
use nim::client::words::form::Term;
use nim::game::BySide;
use nim::lobby::{Code, Conditions, Kind, List, Name};
use nim::wire::{HallEvent, HallRefusal, Listing, LobbyState, Presence, Refusal, Secret, Sitter, ToClient};

use super::person::Person;
use super::player::Player;

pub(super) fn listing(number: u16, variant: &str, state: LobbyState, name: &str) -> Listing {
    let sitter = Sitter { name: Name::clean(name).unwrap(), kind: Kind::Person, presence: Presence::Here };
    let seats = BySide { first: Some(sitter), second: None };
    Listing { seats, state, ..crate::harness::listing(Code::from_bits(number, 1), variant) }
}

fn tell(player: &mut Player, listed: Vec<Listing>, gone: Vec<Code>) {
    let told =
        HallEvent::Lobbies { listed: List::first_of(listed), gone: List::first_of(gone), complete: true };
    player.learn(&ToClient::Hall(told));
    player.send(Message::Session(SessionEvent::Nothing));
}

pub(super) fn hall(size: (u16, u16), appearance: Appearance) -> Player {
    let mut player = Player::in_hall(size, appearance);
    player.state.library = Some("Games on 192.168.1.7 that are open to you".to_owned());
    let listed = vec![
        listing(3, "java-tech:21", LobbyState::Open, "ben"),
        listing(5, "nim:3-4-5:normal", LobbyState::Open, "cleo"),
        listing(7, "connect-four", LobbyState::Playing, "dora"),
    ];
    tell(&mut player, listed, Vec::new());
    player
}

fn usual() -> Player {
    hall((80, 24), Appearance::default())
}

#[test]
fn enter_joins_the_selected_lobby_and_watches_a_full_one() {
    let mut player = usual();
    player.types("↓⏎");
    let asked = player.asked();
    assert!(asked.contains("Join") && asked.contains(&format!("{:?}", Code::from_bits(5, 1))), "{asked}");
    player.causes("↓⏎", "Watch");
}

#[test]
fn a_click_selects_and_a_second_one_joins() {
    let mut player = usual();
    // The first one is selected at the start.
    for (game, says, does) in [
        ("java-tech:21", "One more click sits down there.", "Join"),
        ("nim:3-4-5", "One more click sits down there.", "Join"),
        ("connect-four", "One more click watches there.", "Watch"),
    ] {
        let at = player.place(game);
        player.clicks(at);
        assert_eq!(player.asked(), "[]");
        player.shows(says);
        player.clicks(at);
        player.hides(says);
        assert!(player.asked().contains(does));
    }
}

#[test]
fn a_closed_lobby_cannot_be_entered() {
    let mut player = usual();
    let closed = Listing { watched: false, ..listing(7, "connect-four", LobbyState::Playing, "dora") };
    tell(&mut player, vec![closed], Vec::new());
    let at = player.place("connect-four");
    player.clicks(at);
    player.shows("Both seats are taken, and nobody may watch.");
    player.hides("One more click");
    player.hides_all(["⏎ join", "⏎ watch", "w watch"]);
    player.types("⏎");
    player.clicks(at);
    assert_eq!(player.asked(), "[]");
}

#[test]
fn the_selection_stays_on_its_lobby() {
    let mut player = usual();
    player.types("↓");
    tell(&mut player, vec![listing(9, "tic-tac-toe", LobbyState::Open, "eva")], vec![Code::from_bits(3, 1)]);
    let line = player.place("cleo").1;
    assert!(player.lines()[usize::from(line)].starts_with(" ▸"), "{}", player.screen());
    tell(&mut player, Vec::new(), vec![Code::from_bits(5, 1), Code::from_bits(7, 1), Code::from_bits(9, 1)]);
    player.shows("There are no lobbies yet.");
    player.types("⏎");
    assert_eq!(player.asked(), "[]");
}

#[test]
fn the_list_can_be_filtered() {
    let mut player = usual();
    player.asks("/nim⏎", "1 of 3 lobbies");
    player.hides("dora");
    player.types("/");
    player.clicks_on("never mind");
    player.shows("dora");
    // Esc shows all again.
    player.types("/nim⏎");
    player.hides("dora");
    player.asks("⎋", "dora");
    player.hides("show all");
}

#[test]
fn a_lobby_that_is_not_listed_is_joined_by_its_code() {
    for size in [(80, 24), LEAST] {
        let mut player = hall(size, Appearance::default());
        assert_eq!(player.screen().contains("c code"), size != LEAST);
        player.asks("?", "join a lobby by its code");
        player.asks("⎋cbrave-otter-k7m2x", "Join the lobby with the code: brave-otter-k7m2x");
        player.causes("⏎", "Join(");
        // The code of a listed lobby with a slip in it can be corrected.
        let code = Code::from_bits(5, 1).to_string();
        let (first, last) = code.split_at(code.len() - 1);
        player.asks(&format!("c{first}⏎"), &format!("Did you mean {code}?"));
        assert_eq!(player.asked(), "[]");
        player.causes(&format!("{last}⏎"), "Join(");
        player.asks("cchess⏎", "That is no code of a lobby; one looks like brave-otter.");
        player.asks("⎋cbrave-oter⏎", "No code has oter. Did you mean otter?");
        player.types("⎋c⏎");
        assert_eq!(player.asked(), "[]");
        // One that could be a code, and leads nowhere.
        player.state.wish = Action::Join(format!("{code}-2").parse().unwrap(), None);
        let refusal = Refusal::Hall(HallRefusal::NoSuchLobby);
        player.send(Message::Session(SessionEvent::Refused { asked: None, refusal }));
        player.shows(&format!("No lobby has this code. Did you mean {code}?"));
    }
}

#[test]
fn a_lobby_is_opened_with_the_terms_of_the_form() {
    let mut player = usual();
    player.asks("n", "A lobby of your own");
    player.types(&"⌫".repeat(20));
    player.asks("take:9:2↓↓→", "a bot at once");
    player.types("⏎");
    let asked = player.asked();
    assert!(asked.contains("Create(") && asked.contains("AtOnce"), "{asked}");
}

#[test]
fn the_form_reports_an_unknown_game() {
    let mut player = usual();
    player.types("?");
    player.clicks_on("join a person who waits");
    player.shows("Quick match: join a player");
    player.types("⎋mx⏎");
    assert_eq!(player.asked(), "[]");
    player.shows("x: ");
}

/// anna after her attempt to join a lobby with this wrong password.
fn asked_for_a_password(said: Option<Secret>) -> Player {
    let mut player = usual();
    player.state.wish = Action::Join(Code::from_bits(3, 1), said);
    let refusal = Refusal::Hall(HallRefusal::WrongPassword);
    player.send(Message::Session(SessionEvent::Refused {
        asked: Some(Action::Join(Code::from_bits(3, 1), None)),
        refusal,
    }));
    player
}

#[test]
fn a_typed_password_is_hidden() {
    let mut player = asked_for_a_password(None);
    player.shows("Password of ");
    player.asks("sesame", "⏎ done   Esc never mind");
    player.hides("q quit");
    player.shows(" ******");
    player.hides("sesame");
    player.causes("⏎", "Join");
}

#[test]
fn another_password_can_be_tried() {
    let mut player = asked_for_a_password(Secret::of("sesame"));
    player.shows("That is not the password.");
    player.types("open");
    player.hides("That is not the password.");
    player.shows("(Esc cancels): ****");
    player.causes("⏎", "Join");
}

#[test]
fn the_hall_without_a_connection_can_be_read_and_left() {
    for size in [(80, 24), LEAST] {
        for mut player in [hall(size, Appearance::default()), Player::in_hall(size, Appearance::default())] {
            player.link = Some(ConnectionStatus::Lost);
            player.shows_all([
                "The connection is lost; reconnecting for another 9",
                "The list is out of date;",
                "connection lost",
                "/ filter   ? help   q quit",
            ]);
            // Nothing is sent, and the list can be read.
            player.types("n↓⏎");
            for _ in 0..2 {
                player.clicks((10, 2));
                player.hides("One more click");
            }
            assert_eq!(player.asked(), "[]");
            player.asks("?", "show only lobbies");
            player.types("q");
            player.link = Some(ConnectionStatus::Up(None));
            player.hides("The connection is lost");
            player.types("q");
            assert_eq!(player.asked(), "[Act(Quit(GiveUp))]");
        }
    }
}

#[test]
fn the_smallest_form_shows_all_terms_and_what_the_selected_one_means() {
    let mut player = hall(LEAST, Appearance::default());
    player.types("n");
    for (at, term) in Term::ALL.into_iter().enumerate() {
        player.shows(&format!("▸ {}", term.name()));
        let meaning: String = term.meaning().split(' ').take(5).collect::<Vec<_>>().join(" ");
        player.shows_all([&meaning, "Game", "Password"]);
        if at % 2 == 0 {
            player.types("⇥");
        } else {
            player.mouse(MouseEventKind::ScrollDown, (30, 8));
        }
    }
    let watching = player.place("Watching");
    player.clicks(watching);
    player.shows("▸ Watching");
    player.clicks(watching);
    player.shows("nobody may watch");
    player.types(&"⇤".repeat(12));
    player.asks("x⏎", "▸ Game");
    player.shows("x: ");
}

/// The log's message about anna's own terms in a lobby with other terms.
fn terms_reported(player: &mut Player) -> Vec<String> {
    let terms = Conditions { best_of: 5, ..Conditions::default() };
    let mut other = Player::on(terms, "java-tech", (80, 24), Appearance::default());
    other.joined_by_ben();
    player.enters(&other);
    let told = player.state.log.texts().filter(|text| text.starts_with("The opener chose the conditions"));
    told.map(str::to_owned).collect()
}

#[test]
fn terms_that_were_not_granted_are_reported() {
    let mut player = usual();
    player.types("m→⏎");
    let asked = std::mem::take(&mut player.asked);
    let [Effect::Act(wish @ Action::Quick(_))] = &asked[..] else { panic!("{asked:?}") };
    player.state.wish = wish.clone();
    let told = terms_reported(&mut player);
    assert!(told.len() == 1 && told[0].ends_with(" Yours apply to lobbies that you open."), "{told:?}");
}

#[test]
fn the_help_of_a_spectator_has_no_moves() {
    let mut player = usual();
    player.watches(&Player::playing("nim:3-4-5"));
    assert_eq!(player.state.log.texts().next(), Some("You watch in brave-otter."));
    player.asks("?", "The wheel, Page Up and Page Down scroll back through the messages.");
    player.hides("With the mouse, drag across");
}

#[test]
fn a_lobby_whose_game_is_over_can_be_watched() {
    let mut player = usual();
    tell(&mut player, vec![listing(7, "connect-four", LobbyState::Over, "dora")], Vec::new());
    player.clicks_on("connect-four");
    player.asks("↑↓", "The game there is over; you can watch.");
    player.hides("Both seats are taken");
    player.shows("⏎ watch");
    player.hides("w watch");
    player.causes("w", "Watch");
}

#[test]
fn the_rules_in_the_hall_name_the_stones_that_are_drawn() {
    for (ascii, game, named) in [
        (false, "connect-four", "● for the first player and ○ for the second"),
        (false, "tic-tac-toe", "╳ for the first player and ○ for the second"),
        (true, "tic-tac-toe", "x for the first player and o for the second"),
    ] {
        let mut player = Player::in_hall((120, 40), Appearance { ascii, ..Appearance::default() });
        tell(&mut player, vec![listing(7, game, LobbyState::Open, "dora")], Vec::new());
        player.shows(named);
    }
}
