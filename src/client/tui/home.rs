//! The home screen: a game at this keyboard, servers to go to, games to go on with, and records.

mod list;

use std::ops::ControlFlow;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position as Point, Rect};

use super::app::Component;
use super::appearance::{Appearance, Tone};
use super::command::KeyCommand;
use super::form::turned;
use super::key_bar::{KeyHint, key_at, paint_keys};
use super::keys::Keys;
use super::layout;
use super::message::Message;
use super::page::{is_control, narrow, narrow_key_row, paint_small, rows_of, rows_of_wheel};
use super::painter::{Painter, fitting};
use super::popup::Popup;
use super::text_field::TextField;
use crate::client::choices::{GAMES, STARTS};
use crate::client::nearby::{HostSearch, Neighbour};
use crate::client::text::full_stop;
use crate::client::words::form::{ANOTHER_GAME, about_game};
use crate::client::words::home::{self as words, Opponent, WHICH};
use crate::client::words::{nearby, screen};
use crate::client::{Address, Failure};
use crate::game::any::Variant;
use crate::lobby::Level;
use crate::wire::Starts;
use list::{HomeList, Row};

/// The largest number of bytes of a typed text.
const MOST: usize = 80;

/// The row of the first line of the list.
const TOP: u16 = 4;

/// The rows below the list.
const FOOT: u16 = 5;

/// The choice of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HomeChoice {
    /// A game at this keyboard.
    Play {
        /// The game.
        variant: Variant,
        /// The opponent.
        against: Opponent,
        /// Who makes the first move.
        starts: Starts,
    },
    /// Go to a server.
    Connect(Address),
    /// Go on with the game of this index.
    Resume(usize),
    /// Forget the games that were not played for long.
    ForgetOld,
    /// Look at the records of this keyboard.
    Records,
    /// End the program.
    Quit,
}

/// The home screen.
pub struct Home {
    size: Rect,
    appearance: Appearance,
    /// Shown until the next key.
    notice: Option<String>,
    /// The first row of the help that is shown, while it is open.
    help: Option<usize>,
    list: HomeList,
    at: Row,
    /// The person was asked whether to forget old games.
    asked: bool,
    /// Why the person is back, until a key that is meant for that.
    failure: Option<String>,
    watch: Option<HostSearch>,
}

impl Component for Home {
    type Output = HomeChoice;

    fn draw(&self, frame: &mut Frame<'_>) {
        let area = self.size.intersection(frame.area());
        let mut painter = Painter::new(frame.buffer_mut(), area, self.appearance);
        if layout::is_small(area) {
            return paint_small(screen::UNSEEN, &mut painter);
        }
        self.paint(&mut painter.inside(narrow(area)));
        paint_keys(self.keys(), narrow_key_row(area), &mut painter);
        if let Some(popup) = self.help.map(|scroll| self.popup(scroll)) {
            popup.paint(&mut painter);
            paint_keys(
                vec![KeyHint::of(&KeyCommand::Close, &Keys::default(), self.appearance)],
                popup.key_row(),
                &mut painter,
            );
        }
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        match &mut self.watch {
            Some(watch) => Ok(Message::Hosts(watch.next().await)),
            None => std::future::pending().await,
        }
    }

    fn update(&mut self, message: Message) -> Result<ControlFlow<HomeChoice>, Failure> {
        if let Message::Hosts(hosts) = message {
            self.meet(hosts);
            return Ok(ControlFlow::Continue(()));
        }
        let choice = Self::update(self, &message);
        self.watch.take_if(|_| choice.is_some());
        Ok(choice.map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }
}

impl Home {
    /// The home screen with the saved games, in words.
    pub fn new(size: Rect, appearance: Appearance, kept: Vec<String>) -> Self {
        Self {
            size,
            appearance,
            notice: None,
            help: None,
            list: HomeList::new(kept),
            at: Row::Game,
            asked: false,
            failure: None,
            watch: None,
        }
    }

    /// A screen that asks which of these hosts on this network is meant.
    pub fn asking(size: Rect, appearance: Appearance, hosts: Vec<Neighbour>) -> Self {
        let mut home = Self::new(size, appearance, Vec::new());
        home.at = hosts.first().map_or(Row::Address, |neighbour| Row::Host(neighbour.host.id));
        (home.list.hosts, home.list.only_servers) = (Some(hosts), true);
        home.notice = Some(WHICH.to_owned());
        home
    }

    /// The same with a bot of this level as the first opponent.
    #[must_use]
    pub fn against(mut self, level: Level) -> Self {
        self.list.against = Opponent::Bot(level);
        self
    }

    /// The same for a person who comes back, perhaps after a failure, with the saved games of now. What they
    /// selected and typed is kept; hosts are found again.
    #[must_use]
    pub fn back(mut self, size: Rect, kept: Vec<String>, failure: Option<String>) -> Self {
        (self.list.kept, self.list.hosts) = (kept, None);
        Self { size, failure, ..self }
    }

    /// The same where this many of the saved games can be forgotten together.
    #[must_use]
    pub fn with_old(mut self, count: usize) -> Self {
        self.list.old = count;
        self
    }

    /// The same with a notice.
    #[must_use]
    pub fn telling(self, notice: Option<String>) -> Self {
        Self { notice, ..self }
    }

    /// The same with the hosts that this finds, until the person has made a choice.
    #[must_use]
    pub fn watching(mut self, watch: HostSearch) -> Self {
        self.list.hosts.get_or_insert_default();
        Self { watch: Some(watch), ..self }
    }

    /// Takes the hosts on this network.
    pub fn meet(&mut self, hosts: Vec<Neighbour>) {
        if hosts.len() < 2 {
            self.notice.take_if(|notice| notice == WHICH);
        }
        self.list.hosts = Some(hosts);
    }

    /// The selected row. A host that is gone can be found again; until then the row below the hosts is
    /// selected, and the first one for a saved game that is gone.
    fn selected(&self) -> Row {
        match self.at {
            at if self.list.rows().contains(&at) => at,
            Row::Host(_) => Row::Address,
            _ => Row::Game,
        }
    }

    fn step(&mut self, down: isize) {
        let (rows, selected) = (self.list.rows(), self.selected());
        let place = rows.iter().position(|row| *row == selected).unwrap_or(0);
        self.at = rows[place.saturating_add_signed(down).min(rows.len() - 1)];
    }

    /// Takes a message; returns the choice, if the person has made one.
    pub fn update(&mut self, message: &Message) -> Option<HomeChoice> {
        match *message {
            Message::Key(key) if is_control(key, 'c') => return Some(HomeChoice::Quit),
            Message::Resize(columns, rows) => self.size = Rect::new(0, 0, columns, rows),
            _ if layout::is_small(self.size) => {}
            Message::Key(key) => return self.press(key),
            Message::Mouse(mouse) => return self.touch(mouse),
            _ => {}
        }
        None
    }

    /// The text of the selected row, if it is typed.
    fn typed(&mut self) -> Option<&mut TextField> {
        match self.at {
            Row::Game => Some(&mut self.list.game),
            Row::Address => Some(&mut self.list.address),
            _ => None,
        }
    }

    fn turn(&mut self, forward: bool) {
        let list = &mut self.list;
        match self.at {
            Row::Game => list.game = TextField::preset(turned(&GAMES, &list.game.text(), forward)),
            Row::Against => list.against = turned(&Opponent::ALL, &list.against, forward),
            Row::Starts => list.starts = turned(&STARTS, &list.starts, forward),
            Row::Host(_) | Row::Address | Row::Kept(_) | Row::ForgetOld | Row::Records => {}
        }
    }

    /// The choice of the selected row, or a notice about what is wrong with it.
    fn choose(&mut self) -> Option<HomeChoice> {
        self.failure = None;
        let list = &self.list;
        if self.at == Row::ForgetOld && !std::mem::replace(&mut self.asked, true) {
            self.notice = Some(words::ask_to_forget(list.old));
            return None;
        }
        let choice = match self.at {
            Row::ForgetOld => Ok(HomeChoice::ForgetOld),
            Row::Kept(index) => Ok(HomeChoice::Resume(index)),
            Row::Records => Ok(HomeChoice::Records),
            Row::Host(id) => Ok(HomeChoice::Connect(list.host(id)?.address.into())),
            Row::Address => list
                .address
                .text()
                .parse()
                .map(HomeChoice::Connect)
                .map_err(|bad| full_stop(&bad.to_string())),
            Row::Game | Row::Against | Row::Starts => {
                let (against, starts) = (list.against, list.starts);
                let play = |variant| HomeChoice::Play { variant, against, starts };
                list.game.text().parse().map(play).map_err(|bad| full_stop(&bad.to_string()))
            }
        };
        choice.map_err(|fault| self.notice = Some(fault)).ok()
    }

    fn list_area(&self) -> Rect {
        let area = narrow(self.size);
        Rect { y: area.y + TOP, height: area.height.saturating_sub(TOP + FOOT), ..area }
    }

    /// What is wrong, or what the selected row is for.
    fn about(&self) -> (String, Tone) {
        let failure = self.failure.as_deref().map(words::failed);
        if let Some(notice) = self.notice.clone().or(failure) {
            return (notice, Tone::Notice);
        }
        let about = match self.selected() {
            Row::Game => {
                let game = about_game(self.list.game.text());
                game.into_iter().chain([ANOTHER_GAME.to_owned()]).collect::<Vec<_>>().join(" ")
            }
            Row::Against => words::ABOUT_OPPONENTS.to_owned(),
            Row::Starts => words::ABOUT_STARTING.to_owned(),
            Row::Host(id) => self.list.host(id).map_or_else(String::new, nearby::going_to),
            Row::Address => words::ABOUT_ADDRESSES.to_owned(),
            Row::Kept(index) => words::about_kept(&self.list.kept[index]),
            Row::ForgetOld => words::ABOUT_FORGETTING.to_owned(),
            Row::Records => words::ABOUT_RECORDS.to_owned(),
        };
        (about, Tone::Plain)
    }

    fn help_lines(&self) -> &'static [&'static str] {
        if self.list.only_servers { &words::ABOUT_SERVER_KEYS } else { &words::ABOUT_KEYS }
    }
    fn keys(&self) -> Vec<KeyHint> {
        let (turns, enter) = match self.selected() {
            Row::Game | Row::Against | Row::Starts => (true, "play"),
            Row::Host(_) | Row::Address => (false, "go there"),
            Row::Kept(_) => (false, "go on"),
            Row::ForgetOld => (false, "forget them"),
            Row::Records => (false, "look"),
        };
        let esc = if self.failure.is_some() { "close this" } else { "quit" };
        let right = self.appearance.sign("→", "Right");
        let turn = KeyHint { stays: false, ..KeyHint::new(KeyCode::Right, right, "others") };
        let fixed = [
            KeyHint::new(KeyCode::Enter, "Enter", enter),
            KeyHint::new(KeyCode::Char('?'), "?", "help"),
            KeyHint::new(KeyCode::Esc, "Esc", esc),
        ];
        turns.then_some(turn).into_iter().chain(fixed).collect()
    }

    fn paint(&self, painter: &mut Painter<'_>) {
        painter.line(1, words::TITLE, Tone::Title);
        painter.rule(2);
        self.list.paint(self.selected(), self.list_area(), painter);
        let ((about, tone), area) = (self.about(), painter.area());
        let lines = fitting(&[about], area.width, 3, painter.appearance);
        painter.lines(area.height - 4, &lines, tone);
    }

    fn popup(&self, scroll: usize) -> Popup {
        let lines: Vec<String> = self.help_lines().iter().map(|&line| line.to_owned()).collect();
        Popup::new(self.size, "What you can do here", &lines, scroll)
    }

    /// The key that the line of the help with this index is about.
    fn key_in_help(&self, line: usize) -> Option<KeyCode> {
        let (name, _) = self.help_lines().get(line)?.split_once('\t')?;
        // Esc closes the help too, so a click on its line does not end the program.
        self.keys().into_iter().find(|key| key.name == name && key.code != KeyCode::Esc).map(|key| key.code)
    }

    fn press(&mut self, key: KeyEvent) -> Option<HomeChoice> {
        self.notice = None;
        if let Some(scroll) = self.help {
            self.help = rows_of(key.code).map(|rows| self.popup(scroll).scrolled_by(rows));
            return None;
        }
        self.at = self.selected();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        self.asked &= key.code == KeyCode::Enter;
        match key.code {
            KeyCode::Esc if self.failure.take().is_some() => {}
            KeyCode::Esc => return Some(HomeChoice::Quit),
            KeyCode::Up | KeyCode::BackTab => self.step(-1),
            KeyCode::Down | KeyCode::Tab => self.step(1),
            KeyCode::Enter if !control => return self.choose(),
            KeyCode::Left if !control => self.turn(false),
            KeyCode::Right if !control => self.turn(true),
            KeyCode::F(1) => self.help = Some(0),
            // No game and no address contains it.
            KeyCode::Char('?') if !control => self.help = Some(0),
            _ => match self.typed() {
                Some(field) => {
                    field.press(key, MOST);
                    self.failure = None;
                }
                None if key.code == KeyCode::Char('q') && !control => return Some(HomeChoice::Quit),
                None => {}
            },
        }
        None
    }

    fn touch(&mut self, mouse: MouseEvent) -> Option<HomeChoice> {
        let at = Point { x: mouse.column, y: mouse.row };
        if mouse.kind != MouseEventKind::Down(MouseButton::Left) {
            let rows = rows_of_wheel(mouse.kind)?;
            match self.help {
                Some(scroll) => self.help = Some(self.popup(scroll).scrolled_by(rows)),
                None => self.step(rows),
            }
            return None;
        }
        self.notice = None;
        if let Some(scroll) = self.help.take() {
            let line = self.popup(scroll).line_at(at)?;
            return self.press(self.key_in_help(line)?.into());
        }
        match key_at(self.keys(), narrow_key_row(self.size), at) {
            Some(key) => self.press(key.into()),
            None => self.click(at),
        }
    }

    /// A click selects a row; a second one does what Enter does, or selects the next value.
    fn click(&mut self, at: Point) -> Option<HomeChoice> {
        let selected = self.selected();
        self.asked &= self.list.row_at(selected, self.list_area(), at) == Some(Row::ForgetOld);
        self.at = self.list.row_at(selected, self.list_area(), at)?;
        if self.at != selected {
            return None;
        }
        if matches!(self.at, Row::Game | Row::Against | Row::Starts) {
            self.turn(true);
            return None;
        }
        self.choose()
    }
}
