//! Typed texts, and the help beside them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nim::client::session::{ConnectionStatus, SessionEvent};
use nim::client::tui::home::HomeChoice;
use nim::client::tui::{Appearance, LEAST, Message};
use nim::client::words::form::Term;
use nim::client::words::home::Opponent;
use nim::lobby::{self, Conditions, Level, List, LobbyRequest, Name, Notice, Request, Text, Who};
use nim::wire::{self, ToClient};

use super::hall::hall;
use super::home::Start;
use super::person::Person;
use super::player::{ANNA, Player};
use super::reader;

const HELP: &str = "What you can do now";

/// Ctrl-U.
fn empty() -> Message {
    Message::Key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL))
}

#[test]
fn typing_replaces_a_preset_text() {
    let mut player = hall((80, 24), Appearance::default());
    player.asks("nnim:3-4", "Game          nim:3-4\n");
    // A typed text is not replaced.
    player.asks("↓↑-5-6", "Game          nim:3-4-5-6\n");
    player.asks("→⌫7", "Game          java-tech:27\n");
    player.send(empty());
    player.types("take:9:2⏎");
    let asked = player.asked();
    assert!(asked.contains("Create("), "{asked}");
}

#[test]
fn typing_replaces_a_preset_clock_and_ctrl_u_empties_a_password() {
    let mut player = hall((80, 24), Appearance::default());
    player.asks("n↓↓↓↓↓↓↓5m", "Clock         5m\n");
    player.types("↓↓↓↓secret");
    player.send(empty());
    player.asks("no", "Password      **\n");
}

#[test]
fn typing_replaces_the_preset_game_of_the_home_screen() {
    let start = || Start::empty((80, 24));
    let plays = |choice: Option<HomeChoice>, game: &str| {
        let against = Opponent::Bot(Level::Perfect);
        let chosen = matches!(&choice, Some(HomeChoice::Play { variant, against: bot, .. })
            if *variant == game.parse().unwrap() && *bot == against);
        assert!(chosen, "{choice:?}");
    };
    plays(start().chooses("nim:3-4⏎"), "nim:3-4");
    plays(start().chooses("→nim:3-4⏎"), "nim:3-4");
    plays(start().chooses("⌫2⏎"), "java-tech:22");
    let mut emptied = start();
    emptied.types("nim:3-4");
    emptied.send(empty());
    plays(emptied.chooses("nim:3-4⏎"), "nim:3-4");
}

#[test]
fn the_help_opens_over_every_line_of_the_form() {
    for size in [(80, 24), LEAST] {
        let mut player = hall(size, Appearance::default());
        player.types("n");
        for term in Term::ALL {
            let here = format!("▸ {}", term.name());
            let (key, shown) = match term {
                Term::Password => (KeyCode::F(1), "F1 help"),
                _ => (KeyCode::Char('?'), "? help"),
            };
            player.shows(&here);
            player.shows(shown);
            for key in [key, KeyCode::F(1)] {
                player.press(key);
                player.shows(HELP);
                player.types("⎋");
                player.hides(HELP);
                player.shows(&here);
            }
            player.clicks_on(shown);
            player.shows(HELP);
            player.types("⎋⇥");
        }
        // A password may contain any character.
        player.types("?");
        player.hides(HELP);
        player.shows("Password      *\n");
        assert_eq!(player.asked(), "[]");
    }
}

#[test]
fn the_talk_key_always_opens_a_line_that_says_who_reads_it() {
    let says = |player: &mut Player, question: &str| {
        player.asks("thello", &format!("{question} hello"));
        player.types("⎋");
        let asked = player.asked();
        assert!(!asked.contains("Play("), "{asked}");
    };
    for size in [(80, 24), LEAST] {
        let mut player = Player::against_the_bot("java-tech", size, Appearance::default());
        says(&mut player, "Say (nobody reads it now):");
        player.hides("t talk");
        let mut waiting = Player::waiting("java-tech", size, Appearance::default());
        says(&mut waiting, "Say (nobody reads it now):");
        let mut player = Player::sized("java-tech", size, Appearance::default());
        says(&mut player, "Say:");
        let mut watcher = Player::in_hall(size, Appearance::default());
        watcher.watches(&player);
        says(&mut watcher, "Say (there is no other watcher to read it):");
        player.link = Some(ConnectionStatus::Lost);
        player.asks("thello", "Say (once the server is back): hello");
        player.asks("⏎", "That has to wait until the server is back.");
        assert!(!player.asked().contains("Say("));
    }
}

#[test]
fn f1_opens_the_help_while_a_chat_message_is_typed() {
    let mut player = Player::playing("java-tech");
    player.asks("thow", "F1 help");
    player.press(KeyCode::F(1));
    player.shows(HELP);
    player.types("⎋");
    player.hides(HELP);
    player.asks(" so?", "Say: how so?");
    player.send(empty());
    player.asks("fine", "Say: fine");
    player.causes("⏎", "Say(");
}

#[test]
fn f1_opens_the_help_everywhere() {
    for mut player in [Player::playing("java-tech"), hall((80, 24), Appearance::default()), reader::usual()] {
        player.press(KeyCode::F(1));
        player.shows(HELP);
    }
    let mut start = Start::empty((80, 24));
    start.press(KeyCode::F(1));
    start.shows("What you can do here");
}

fn watched_by(player: &mut Player, name: &str) {
    player.happens(Who::Newcomer, Request::Watch { name: Name::clean(name).unwrap() });
}

#[test]
fn the_opener_kicks_a_watcher_by_a_typed_command_even_where_nobody_reads_the_chat() {
    let conditions = Conditions { watchers: 7, ..Conditions::default() };
    let mut player = Player::on(conditions, "java-tech", (80, 24), Appearance::default());
    player.hides("t talk");
    watched_by(&mut player, "cleo");
    player.shows("t talk");
    player.asks("t/⏎", "/kick NAME to remove a watcher");
    player.causes("t/kick cleo⏎", "Act(Kick(Text(\"cleo\")))");
    player.causes("t/kick⏎", "Act(Kick(Text(\"\")))");
    let nobody = lobby::Refusal::NoSuchWatcher { watchers: List::first_of([Name::clean("cleo").unwrap()]) };
    let refusal = wire::Refusal::Lobby(nobody);
    player.send(Message::Session(SessionEvent::Refused { asked: None, refusal }));
    player.shows("No: nobody of that name watches here; watchers: cleo.");
    player.wants(ANNA, LobbyRequest::Kick { name: Text::cut("cleo") });
    player.shows_all(["cleo was kicked, and may", "not watch here any more."]);
    player.hides("t talk");
}

#[test]
fn a_kicked_watcher_reads_why_in_the_hall_and_types_no_more() {
    let conditions = Conditions { watchers: 7, ..Conditions::default() };
    let other = Player::agreed(conditions, "java-tech");
    let mut player = hall((80, 24), Appearance::default());
    player.watches(&other);
    for name in ["cleo", "dora"] {
        let watched = Notice::Watched { name: Name::clean(name).unwrap() };
        player.learn(&ToClient::Notice { at: player.now, notice: watched });
    }
    player.asks("thello", "hello");
    player.send(Message::Session(SessionEvent::Kicked));
    player.learn(&ToClient::Outside);
    player.send(Message::Session(SessionEvent::Outside));
    player.shows("The lobby's opener has kicked you; your address may not watch it any more.");
    player.hides("hello");
    player.asks("?", HELP);
}
