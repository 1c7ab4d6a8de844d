//! The bell, the title of the window, and the line after the screen.

use nim::client::session::SessionEvent;
use nim::client::tui::alert;
use nim::lobby::{
    BotRule, Conditions, Event, Kind, LobbyRequest, Name, Offer, Player as Sitter, PlayerId, Request,
};

use super::person::Person;
use super::player::{ANNA, BEN, Player};
use super::window::Window;
use crate::harness::{Program, TestServer, client, terms};

/// Whether the last event of anna's lobby rings her bell.
fn rings(player: &Player, event: Event) -> bool {
    let before = Box::new(player.view().lobby().unwrap().clone());
    alert::rings(&player.view(), &SessionEvent::Happened { event, before })
}

/// A move of this player.
fn moved(player: &Player, by: u32) -> Event {
    let lobby = player.view().lobby().unwrap().clone();
    let mv = lobby.board().read_move("take 1").unwrap();
    Event::Moved { turn: lobby.turn(), player: PlayerId(by), mv, hand: nim::lobby::Hand::Own }
}

#[test]
fn the_bell_rings_only_for_what_other_people_do() {
    let player = Player::playing("java-tech");
    assert!(!rings(&player, moved(&player, 1)), "her own move");
    assert!(rings(&player, moved(&player, 2)));
    let side = |who: u32| player.view().lobby().unwrap().side_of(PlayerId(who)).unwrap();
    assert!(!rings(&player, Event::Offered { side: side(1), offer: Offer::Draw }));
    assert!(rings(&player, Event::Offered { side: side(2), offer: Offer::Draw }));
    // A bot that answers at once is no news.
    let bot = Player::against_the_bot("java-tech", (80, 24), nim::client::tui::Appearance::default());
    assert!(!rings(&bot, moved(&bot, 2)));
    let two = Player::for_two("java-tech");
    assert!(!rings(&two, moved(&two, 2)), "both are at this keyboard");
}

#[test]
fn the_bell_rings_when_somebody_sits_down_after_a_wait() {
    let sits = |bot: BotRule, kind: Kind| {
        let conditions = Conditions { bot, ..Conditions::default() };
        let player = Player::on(conditions, "java-tech", (80, 24), nim::client::tui::Appearance::default());
        let side = player.view().lobby().unwrap().open_seat().unwrap();
        let sitter = Sitter { id: PlayerId(2), name: Name::clean("ben").unwrap(), kind };
        rings(&player, Event::Sat { side, player: sitter })
    };
    assert!(sits(BotRule::Never, Kind::Person));
    assert!(sits(BotRule::After(20_000), Kind::Bot));
    assert!(!sits(BotRule::After(0), Kind::Bot));
}

#[test]
fn the_title_says_whose_turn_it_is() {
    let title = |player: &Player| alert::title(&player.view());
    let mut player = Player::waiting("java-tech", (80, 24), nim::client::tui::Appearance::default());
    assert_eq!(title(&player), "waiting for an opponent - nim");
    player.joined_by_ben();
    assert_eq!(title(&player), "your turn - nim");
    player.wants(BEN, LobbyRequest::Offer(Offer::Draw));
    assert_eq!(title(&player), "ben offers a draw - nim");
    player.moves(ANNA, "take 1");
    assert_eq!(title(&player), "ben's turn - nim");
    player.happens(BEN, Request::Ask(LobbyRequest::Resign));
    assert_eq!(title(&player), "you won - nim");
    player.hides("your turn");
}

fn has(window: &Window, text: &str) -> bool {
    String::from_utf8_lossy(&window.written).contains(text)
}

#[tokio::test]
async fn the_window_gets_a_title_and_the_old_one_back_and_rings_for_the_opponent() {
    let server = TestServer::start();
    let address = server.address().to_string();
    for (flags, alerts) in [(&[][..], true), (&["--no-bell", "--no-title"], false)] {
        let mut ben = server.client("ben").await;
        let code = ben.create_on(terms("take:9:4")).await.to_string();
        let join = ["connect", &address, "--name", "anna", "--join", &code];
        let mut window = Window::client(&[&join[..], flags].concat());
        ben.until_playing().await;
        let mv = ben.lobby().board().read_move("take 1").unwrap();
        ben.play(mv).await;
        window.until_shown("Your turn").await;
        window.types("qg");
        assert_eq!(window.ended().await, 0);
        // A title ends with the sign of the bell.
        let written = String::from_utf8_lossy(&window.written).into_owned();
        let mut titles = written.split("\x1b]0;");
        let before = titles.next().unwrap().contains('\x07');
        let rung = titles.any(|title| title.split_once('\x07').unwrap().1.contains('\x07'));
        assert_eq!(before || rung, alerts, "{written:?}");
        let last = "\x1b]0;\x07\x1b[23;0t";
        for text in ["\x1b[22;0t", "\x1b]0;ben's turn - nim\x07", "\x1b]0;your turn - nim\x07", last] {
            assert_eq!(has(&window, text), alerts, "{text:?}");
        }
        window.is_sane();
        let line = window.shown();
        assert!(line.contains("You gave the game up. See it again") && line.contains(&code), "{line}");
    }
}

const PLAY: [&str; 8] = ["play", "java-tech:4", "--name", "anna", "--bot-pace", "0", "--starts", "me"];

#[tokio::test]
async fn a_kept_game_leaves_one_line_that_says_how_to_resume_it() {
    let mut window = Window::client(&PLAY);
    window.until_shown("Your turn.").await;
    window.asks("2\r", "Your turn.").await;
    window.until_shown("You: take 2").await;
    window.types("q\r");
    assert_eq!(window.ended().await, 0);
    let shown = window.shown();
    assert_eq!(shown.trim().lines().count(), 1, "{shown}");
    assert!(shown.contains("The game is kept: nim-client resume "), "{shown}");
}

#[tokio::test]
async fn a_finished_game_leaves_one_line_with_the_result_and_a_command_that_shows_its_record() {
    let mut window = Window::client(&PLAY);
    window.until_shown("Your turn.").await;
    window.asks("3\r", "You won").await;
    window.types("q");
    assert_eq!(window.ended().await, 0);
    // The terminal is narrower than the line, which is broken between words.
    assert_eq!(window.shown().trim().lines().count(), 2);
    let shown = window.shown().replace('\n', " ");
    let (result, command) = shown.trim().split_once(" See it again with nim-client ").expect("a command");
    assert_eq!(result, "You won: minimax [bot, perfect] took the last object.");
    let words: Vec<&str> = command.trim_end_matches('.').split(' ').collect();
    let mut again = client(&words);
    again.env("NIM_STATE", window.home.path());
    let ended = Program::spawn(&mut again).finish().await;
    assert!(ended.code == Some(0) && ended.stdout.contains("take 3"), "{ended:?}");
}

#[tokio::test]
async fn a_game_that_ended_while_its_player_was_away_leaves_the_same_line() {
    let server = TestServer::start();
    let mut ben = server.client("ben").await;
    let code = ben.create_on(terms("take:9:4")).await.to_string();
    let address = server.address().to_string();
    let mut window = Window::client(&["connect", &address, "--name", "anna", "--join", &code]);
    ben.until_playing().await;
    window.until_shown("ben's turn").await;
    window.types("q\r");
    assert_eq!(window.ended().await, 0);
    ben.resigns().await;
    let mut window = window.again(&["resume"]);
    window.until_shown("You won: ben resigned.").await;
    window.types("q");
    assert_eq!(window.ended().await, 0);
    let shown = window.shown().replace('\n', " ");
    assert!(shown.contains("You won: ben resigned. See it again with nim-client record replay"), "{shown}");
}

#[tokio::test]
async fn a_game_without_a_move_says_that_nothing_is_kept() {
    let mut window = Window::client(&PLAY);
    window.until_shown("Your turn.").await;
    window.types("q");
    assert_eq!(window.ended().await, 0);
    assert_eq!(window.shown().trim(), "There is no move to keep, so there is no record.");
}
