//! The home screen.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use nim::client::nearby::Neighbour;
use nim::client::tui::home::{Choice, Home};
use nim::client::tui::{Appearance, Message};
use nim::client::words::home::{Opponent, Starter, WHICH};
use nim::lan::{Host, HostId};
use nim::lobby::Level;
use ratatui::layout::Rect;

fn home() -> Home {
    let kept = vec!["nim:3-4-5 against ben".to_owned(), "tic-tac-toe against cleo".to_owned()];
    Home::new(Rect::new(0, 0, 80, 24), Appearance::default(), kept)
}

/// A host with this number, and with a round trip of this many microseconds, if it answers.
pub(super) fn neighbour(number: u8, name: &str, trip: Option<u64>) -> Neighbour {
    let address = ([192, 168, 1, number], 7646).into();
    let (name, version) = (name.parse().unwrap(), "0.1.0".parse().unwrap());
    let host = Host { id: HostId(number.into()), name, version, addresses: vec![address], open_lobbies: 2 };
    Neighbour { host, address, round_trip: trip.map(Duration::from_micros) }
}

fn press(home: &mut Home, keys: &[KeyCode]) -> Option<Choice> {
    let press = |&key| home.update(&Message::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    keys.iter().map(press).last().flatten()
}

fn click(home: &mut Home, (column, row): (u16, u16)) -> Option<Choice> {
    let kind = MouseEventKind::Down(MouseButton::Left);
    home.update(&Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

#[test]
fn enter_plays_the_default_game_against_the_perfect_bot() {
    let choice = press(&mut home(), &[KeyCode::Enter]);
    let against = Opponent::Bot(Level::Perfect);
    let variant = "java-tech:21".parse().unwrap();
    assert_eq!(choice, Some(Choice::Play { variant, against, starts: Starter::Usual }));
}

#[test]
fn the_level_of_the_bot_is_the_setting_until_another_is_selected() {
    use KeyCode::{Down, Enter, Left};
    for (keys, level) in [(&[Enter][..], Level::Easy), (&[Down, Left, Enter], Level::Fair)] {
        let choice = press(&mut home().against(Level::Easy), keys);
        assert!(matches!(choice, Some(Choice::Play { against: Opponent::Bot(is), .. }) if is == level));
    }
}

#[test]
fn arrow_keys_select_game_opponent_and_first_move() {
    use KeyCode::{Down, Enter, Left, Right};
    let choice = press(&mut home(), &[Right, Down, Left, Left, Down, Right, Enter]);
    let variant = "nim:3-4-5".parse().unwrap();
    assert_eq!(choice, Some(Choice::Play { variant, against: Opponent::Person, starts: Starter::You }));
}

#[test]
fn a_typed_address_is_checked() {
    use KeyCode::{Char, Down, Enter};
    let mut home = home();
    assert_eq!(press(&mut home, &[Down, Down, Down, Enter]), None);
    let typed: Vec<KeyCode> = "192.168.1.7".chars().map(Char).collect();
    press(&mut home, &typed);
    assert_eq!(press(&mut home, &[Enter]), Some(Choice::Connect("192.168.1.7".parse().unwrap())));
}

#[test]
fn a_saved_game_is_resumed_by_keys_and_by_two_clicks() {
    let mut home = home();
    assert_eq!(press(&mut home, &[KeyCode::Down; 5]), None);
    assert_eq!(press(&mut home, &[KeyCode::Enter]), Some(Choice::Resume(1)));
    let mut other = self::home();
    let clicked = (0..24).filter_map(|row| {
        click(&mut other, (20, row));
        click(&mut other, (20, row))
    });
    let resumed: Vec<Choice> = clicked.filter(|choice| matches!(choice, Choice::Resume(_))).collect();
    assert_eq!(resumed, [Choice::Resume(0), Choice::Resume(1)]);
}

#[test]
fn records_are_opened_by_a_key_and_by_two_clicks() {
    let mut home = home();
    press(&mut home, &[KeyCode::Down; 20]);
    assert!(shown(&home).contains("Enter look"), "{}", shown(&home));
    assert_eq!(press(&mut home, &[KeyCode::Enter]), Some(Choice::Records));
    let mut home = self::home();
    let row = shown(&home).lines().position(|line| line.contains("played at this keyboard")).unwrap();
    let place = (20, u16::try_from(row).unwrap());
    assert_eq!(click(&mut home, place), None);
    assert_eq!(click(&mut home, place), Some(Choice::Records));
}

#[test]
fn a_host_on_the_network_is_selected_by_a_key_and_by_two_clicks() {
    let goes = Some(Choice::Connect("192.168.1.7:7646".parse().unwrap()));
    let hosts = vec![neighbour(7, "laptop", Some(400)), neighbour(9, "tower", Some(300))];
    let mut home = home();
    home.meet(Vec::new());
    home.meet(hosts.clone());
    assert_eq!(press(&mut home, &[KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Enter]), goes);
    let mut home = self::home();
    home.meet(Vec::new());
    home.meet(hosts);
    let mut clicked = (0..22).filter_map(|row| {
        click(&mut home, (20, row));
        click(&mut home, (20, row))
    });
    assert_eq!(clicked.next(), goes);
}

#[test]
fn the_selection_stays_on_its_host() {
    let tower = || neighbour(9, "tower", Some(300));
    let mut home = home();
    home.meet(Vec::new());
    home.meet(vec![tower()]);
    press(&mut home, &[KeyCode::Down; 3]);
    home.meet(vec![neighbour(7, "laptop", Some(400)), tower()]);
    let goes = Some(Choice::Connect("192.168.1.9:7646".parse().unwrap()));
    assert_eq!(press(&mut home, &[KeyCode::Enter]), goes);
    // While the host is gone, the empty address is selected.
    home.meet(vec![neighbour(7, "laptop", Some(400))]);
    assert_eq!(press(&mut home, &[KeyCode::Enter]), None);
    home.meet(Vec::new());
    assert!(press(&mut home, &[KeyCode::Up, KeyCode::Left, KeyCode::Enter]).is_some());
}

#[test]
fn a_long_list_scrolls_to_the_selection() {
    let kept: Vec<String> = (0..30).map(|number| format!("game {number}")).collect();
    let mut home = Home::new(Rect::new(0, 0, 60, 18), Appearance::default(), kept);
    press(&mut home, &[KeyCode::Down; 33]);
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(60, 18)).unwrap();
    terminal.draw(|frame| home.draw(frame)).unwrap();
    let screen = super::player::text(terminal.backend().buffer());
    assert!(screen.contains("game 29") && !screen.contains("game 5\n"), "{screen}");
    assert_eq!(press(&mut home, &[KeyCode::Enter]), Some(Choice::Resume(29)));
}

#[test]
fn escape_and_its_label_end_the_program() {
    assert_eq!(press(&mut home(), &[KeyCode::Esc]), Some(Choice::Quit));
    assert_eq!(press(&mut home(), &[KeyCode::Down, KeyCode::Char('q')]), Some(Choice::Quit));
    let quits = |column| click(&mut home(), (column, 23)) == Some(Choice::Quit);
    assert!((0..80).any(quits));
}

/// The text of a home screen.
pub(super) fn shown(home: &Home) -> String {
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| home.draw(frame)).unwrap();
    super::player::text(terminal.backend().buffer())
}

/// The position of this in the last row.
fn key_place(home: &Home, words: &str) -> (u16, u16) {
    let screen = shown(home);
    let line = screen.lines().nth(23).unwrap();
    let at = line.find(words).unwrap_or_else(|| panic!("no {words} in {line}"));
    (u16::try_from(line[..at].chars().count()).unwrap(), 23)
}

#[test]
fn a_question_mark_opens_the_help_and_any_key_closes_it() {
    const HELP: &str = "What you can do here";
    for down in 0..6 {
        let mut home = home();
        press(&mut home, &vec![KeyCode::Down; down]);
        press(&mut home, &[KeyCode::Char('?')]);
        assert!(shown(&home).contains(HELP), "{}", shown(&home));
        // Any key only closes it, even the key that ends the program.
        assert_eq!(press(&mut home, &[KeyCode::Esc]), None);
        assert!(!shown(&home).contains(HELP));
    }
    let mut home = home();
    let place = key_place(&home, "? help");
    assert_eq!(click(&mut home, place), None);
    assert!(shown(&home).contains(HELP));
    assert_eq!(click(&mut home, (40, 23)), None);
    assert!(!shown(&home).contains(HELP));
}

#[test]
fn the_key_bar_names_what_enter_does_on_the_selected_row() {
    let mut home = home();
    let place = key_place(&home, "→ others");
    click(&mut home, place);
    assert!(shown(&home).contains("nim:3-4-5 "), "{}", shown(&home));
    assert!(shown(&home).contains("Enter play"));
    press(&mut home, &[KeyCode::Down; 3]);
    assert!(shown(&home).contains("Enter go there") && !shown(&home).contains("others"));
    press(&mut home, &[KeyCode::Down]);
    assert!(shown(&home).contains("Enter go on "), "{}", shown(&home));
}

#[test]
fn a_screen_that_asks_for_a_server_shows_only_servers() {
    let hosts = || vec![neighbour(7, "laptop", Some(400)), neighbour(9, "tower", Some(300))];
    let asking = || Home::asking(Rect::new(0, 0, 80, 24), Appearance::default(), hosts());
    let goes = |last: u8| Some(Choice::Connect(format!("192.168.1.{last}:7646").parse().unwrap()));
    let mut home = asking();
    assert!(!shown(&home).contains("Play here and now") && !shown(&home).contains("Records"));
    assert_eq!(press(&mut home, &[KeyCode::Enter]), goes(7));
    assert_eq!(press(&mut home, &[KeyCode::Up, KeyCode::Down, KeyCode::Enter]), goes(9));
    press(&mut home, &[KeyCode::Char('?')]);
    assert!(!shown(&home).contains("opponents"), "{}", shown(&home));
    home.meet(vec![neighbour(9, "tower", Some(300))]);
    assert!(!shown(&home).contains("laptop"));
    let mut home = asking();
    let typed: Vec<KeyCode> = "10.0.0.1".chars().map(KeyCode::Char).collect();
    press(&mut home, &[&[KeyCode::Down, KeyCode::Down], &typed[..]].concat());
    assert_eq!(press(&mut home, &[KeyCode::Enter]), Some(Choice::Connect("10.0.0.1".parse().unwrap())));
    assert_eq!(press(&mut asking(), &[KeyCode::Esc]), Some(Choice::Quit));
}

#[test]
fn a_game_open_in_another_window_is_marked_at_the_start_of_its_line() {
    use nim::client::SavedSeat;
    use nim::client::words::home::kept;
    let seat = SavedSeat {
        server: "a-host-with-a-very-long-name.example:7646".parse().unwrap(),
        code: "brave-otter".parse().unwrap(),
        player: nim::lobby::PlayerId(1),
        ticket: nim::wire::Ticket::of([0; 16]),
        name: nim::lobby::Name::clean("anna").unwrap(),
        variant: "nim:1-3-5-7:misere".into(),
        opponent: Some("somebody with a long name".into()),
        over: false,
    };
    let line = kept(&seat, false, true, Duration::from_secs(90));
    let mut home = Home::new(Rect::new(0, 0, 60, 18), Appearance::default(), vec![line]);
    press(&mut home, &[KeyCode::Down; 4]);
    let shown = shown(&home);
    assert!(shown.contains("▸ [open in another window] nim:1-3-5-7"), "{shown}");
    // The whole text is below.
    assert!(shown.contains("very-long-name.example"), "{shown}");
}

#[test]
fn a_home_screen_that_is_too_small_only_quits() {
    let mut home = Home::new(Rect::new(0, 0, 24, 10), Appearance::default(), Vec::new());
    let words = shown(&home).replace('\n', " ");
    assert!(words.contains("needs 60 columns and 18 lines") && words.contains("Ctrl-C quits"), "{words}");
    for key in [KeyCode::Enter, KeyCode::Esc, KeyCode::Char('q')] {
        assert_eq!(press(&mut home, &[key]), None);
    }
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(home.update(&Message::Key(interrupt)), Some(Choice::Quit));
}

#[test]
fn a_click_in_the_help_of_the_home_screen_does_what_the_key_does() {
    let clicks_on = |line: &str| {
        let mut home = home();
        press(&mut home, &[KeyCode::Char('?')]);
        let row = shown(&home).lines().position(|shown| shown.contains(line)).unwrap();
        let choice = click(&mut home, (20, u16::try_from(row).unwrap()));
        assert!(!shown(&home).contains("What you can do here"), "{}", shown(&home));
        choice
    };
    assert!(matches!(clicks_on("Enter   do what the line is for"), Some(Choice::Play { .. })));
    // A click on the line of Esc closes the help, as the key does.
    assert_eq!(clicks_on("Esc     end the program"), None);
}

#[test]
fn the_notice_about_several_hosts_goes_with_them() {
    let (laptop, tower) = (neighbour(7, "laptop", Some(400)), neighbour(9, "tower", Some(300)));
    let both = || vec![laptop.clone(), tower.clone()];
    let asking = Home::asking(Rect::new(0, 0, 80, 24), Appearance::default(), both());
    let mut home = asking.telling(WHICH.to_owned());
    home.meet(both());
    assert!(shown(&home).contains(WHICH));
    home.meet(vec![tower.clone()]);
    assert!(!shown(&home).contains(WHICH), "{}", shown(&home));
}

#[test]
fn addresses_are_in_one_column() {
    let mut crowded = neighbour(7, &"W".repeat(40), Some(123_400));
    crowded.host.open_lobbies = 100;
    let mut home = home();
    home.meet(Vec::new());
    home.meet(vec![crowded, neighbour(9, "classroom", None)]);
    let screen = shown(&home);
    let column = |address: &str| {
        let line = screen.lines().find(|line| line.contains(address)).unwrap_or_else(|| panic!("{screen}"));
        line[..line.find(address).unwrap()].chars().count()
    };
    assert_eq!(column("192.168.1.7"), column("192.168.1.9"), "{screen}");
}
