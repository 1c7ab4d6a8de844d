//! The first screen: a game here and now, hosts on this network and others to go to, games that can be gone on with, and
//! records. It knows no session yet; what becomes of a choice is for the program.

mod picture;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::field::Field;
use super::layout::is_small;
use super::look::Look;
use super::message::Message;
use super::screen::Screen;
use crate::client::nearby::{Neighbour, Watch};
use crate::client::words::home::{Opponent, Starter, WHICH};
use crate::client::{Address, Failure};
use crate::game::any::Variant;
use crate::lan::HostId;
use crate::lobby::Level;

/// The games that the arrow keys go through; any other can be typed.
pub(super) const GAMES: [&str; 9] = [
    "java-tech:21",
    "nim:3-4-5",
    "nim:1-3-5-7:misere",
    "one-two-ten",
    "even-or-odd:15",
    "tic-tac-toe",
    "connect-four",
    "pong-hau-ki",
    "mu-torere",
];

/// The longest text that is typed.
const LONGEST: usize = 80;

/// What somebody chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// A game here and now.
    Play {
        /// What is played.
        variant: Variant,
        /// Against whom.
        against: Opponent,
        /// Who makes the first move.
        starts: Starter,
    },
    /// Go to a server.
    Connect(Address),
    /// Go on with the game of this place among those that were given.
    Resume(usize),
    /// Look at the games that were played at this keyboard.
    Records,
    /// End the program.
    Quit,
}

/// A line that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Game,
    Against,
    Starts,
    Host(HostId),
    Address,
    Kept(usize),
    Records,
}

/// The first screen.
#[derive(Debug)]
pub struct Home {
    size: Rect,
    look: Look,
    at: Row,
    game: Field,
    against: Opponent,
    starts: Starter,
    /// The hosts on this network; `None` where nobody looks for them.
    hosts: Option<Vec<Neighbour>>,
    /// Those of them that were found before and have not been found anew.
    given: Vec<Neighbour>,
    /// Nothing is asked but where to go.
    only_servers: bool,
    address: Field,
    /// The host on which the cursor was, and to which it goes back once that is found anew.
    before: Option<HostId>,
    kept: Vec<String>,
    /// Something to be told until the next key.
    notice: Option<String>,
    /// Why somebody is back who would have been elsewhere, until a key is pressed that is meant for that.
    failure: Option<String>,
    /// How many lines of the help were gone past, while it lies over the screen.
    help: Option<usize>,
}

impl Home {
    /// One of this size, with the games that can be gone on with, in words.
    pub fn new(size: Rect, look: Look, kept: Vec<String>) -> Self {
        let (against, starts) = (Opponent::default(), Starter::default());
        let (game, address) = (Field::chosen(GAMES[0]), Field::default());
        let (hosts, given, before) = (None, Vec::new(), None);
        let (notice, failure, help) = (None, None, None);
        let (at, only_servers) = (Row::Game, false);
        Self {
            size,
            look,
            at,
            game,
            against,
            starts,
            hosts,
            given,
            only_servers,
            address,
            before,
            kept,
            notice,
            failure,
            help,
        }
    }

    /// One that asks for nothing but a server, where these hosts were found on this network.
    pub fn asking(size: Rect, look: Look, hosts: Vec<Neighbour>) -> Self {
        let at = hosts.first().map_or(Row::Address, |neighbour| Row::Host(neighbour.host.id));
        let given = hosts.clone();
        Self { at, hosts: Some(hosts), given, only_servers: true, ..Self::new(size, look, Vec::new()) }
    }

    /// The same where a bot of this level sits opposite, unless somebody else is chosen.
    #[must_use]
    pub fn against(self, level: Level) -> Self {
        Self { against: Opponent::Bot(level), ..self }
    }

    /// The same for somebody who is back, on a screen of this size, with the games that can be gone on with then: what was chosen
    /// and typed stands there still. Hosts are found anew.
    #[must_use]
    pub fn back(self, size: Rect, kept: Vec<String>) -> Self {
        let before = match self.at {
            Row::Host(id) => Some(id),
            _ => None,
        };
        let here = Self { size, kept, hosts: None, given: Vec::new(), before, ..self };
        let at = if before.is_some() { Row::Address } else { here.at };
        let at = if here.rows().contains(&at) { at } else { Row::Game };
        Self { at, ..here }
    }

    /// The same with the reason why somebody is back, if there is one to be told.
    #[must_use]
    pub fn failing(self, failure: Option<String>) -> Self {
        Self { failure, ..self }
    }

    /// The same where hosts on this network are looked for.
    #[must_use]
    pub fn looking(self) -> Self {
        Self { hosts: Some(Vec::new()), ..self }
    }

    /// The same with something to be told.
    #[must_use]
    pub fn telling(self, notice: Option<String>) -> Self {
        Self { notice, ..self }
    }

    /// Shows it until something is chosen, and meanwhile the hosts that are on this network.
    pub async fn run(&mut self, screen: &mut Screen, mut watch: Option<Watch>) -> Result<Choice, Failure> {
        if watch.is_some() {
            self.hosts.get_or_insert_default();
        }
        loop {
            screen.paint(|frame| self.draw(frame)).map_err(Failure::Output)?;
            tokio::select! {
                message = screen.next() => {
                    if let Some(choice) = self.update(&message.map_err(Failure::Output)?) {
                        return Ok(choice);
                    }
                }
                hosts = hosts(watch.as_mut()) => self.meet(hosts),
            }
        }
    }

    /// Takes in which hosts are there. The cursor stays on its host; where that is gone, it is on what comes behind. Those that
    /// were given stay until they have been found anew, and until then nobody changes places.
    pub fn meet(&mut self, mut hosts: Vec<Neighbour>) {
        let place = self.place();
        if !self.given.is_empty() {
            self.given.retain(|given| hosts.iter().all(|found| found.host.id != given.host.id));
            hosts.extend(self.given.iter().cloned());
            let shown: Vec<HostId> = self.hosts.iter().flatten().map(|neighbour| neighbour.host.id).collect();
            let was_at = |host: &Neighbour| shown.iter().position(|id| *id == host.host.id);
            hosts.sort_by_key(|host| was_at(host).unwrap_or(shown.len()));
        }
        self.hosts = Some(hosts);
        if self.hosts.iter().flatten().count() < 2 {
            self.notice.take_if(|notice| notice == WHICH);
        }
        let rows = self.rows();
        if !rows.contains(&self.at) {
            self.at = rows.get(place).copied().unwrap_or(Row::Address);
        }
        if let Some(row) = self.before.map(Row::Host).filter(|row| self.rows().contains(row)) {
            (self.at, self.before) = (row, None);
        }
    }

    fn rows(&self) -> Vec<Row> {
        let hosts = self.hosts.iter().flatten().map(|neighbour| Row::Host(neighbour.host.id));
        let kept = (0..self.kept.len()).map(Row::Kept);
        if self.only_servers {
            return hosts.chain([Row::Address]).collect();
        }
        let fixed = [Row::Game, Row::Against, Row::Starts];
        fixed.into_iter().chain(hosts).chain([Row::Address]).chain(kept).chain([Row::Records]).collect()
    }

    /// Where the cursor is among the rows.
    fn place(&self) -> usize {
        self.rows().iter().position(|row| *row == self.at).unwrap_or(0)
    }

    fn step(&mut self, down: isize) {
        let (rows, place) = (self.rows(), self.place());
        self.at = rows[place.saturating_add_signed(down).min(rows.len() - 1)];
    }

    /// The host of this number.
    fn host(&self, id: HostId) -> Option<&Neighbour> {
        self.hosts.iter().flatten().find(|neighbour| neighbour.host.id == id)
    }

    /// Takes in a message; returns what was chosen, if something was.
    pub fn update(&mut self, message: &Message) -> Option<Choice> {
        match *message {
            Message::Key(key) => self.press(key),
            Message::Mouse(mouse) => self.touch(mouse),
            Message::Resize(columns, lines) => {
                self.size = Rect::new(0, 0, columns, lines);
                None
            }
            _ => None,
        }
    }

    fn press(&mut self, key: KeyEvent) -> Option<Choice> {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && key.code == KeyCode::Char('c') {
            return Some(Choice::Quit);
        }
        if is_small(self.size) {
            return None;
        }
        (self.notice, self.before) = (None, None);
        if let Some(down) = self.help {
            self.help = picture::scrolled(self, down, key.code);
            return None;
        }
        if is_control {
            if key.code == KeyCode::Char('u') {
                self.write(Field::clear);
            }
            return None;
        }
        match key.code {
            KeyCode::Esc if self.failure.take().is_some() => {}
            // It stands in no game and in no address.
            KeyCode::Char('?') | KeyCode::F(1) => self.help = Some(0),
            KeyCode::Enter => return self.choose(),
            KeyCode::Up | KeyCode::BackTab => self.step(-1),
            KeyCode::Down | KeyCode::Tab => self.step(1),
            KeyCode::Left => self.turn(false),
            KeyCode::Right => self.turn(true),
            KeyCode::Backspace => {
                self.write(Field::pop);
            }
            KeyCode::Char(letter) if self.write(|text| text.push(letter, LONGEST)) => {}
            KeyCode::Char('q') | KeyCode::Esc => return Some(Choice::Quit),
            _ => {}
        }
        None
    }

    /// Changes the text that is being typed; returns whether one is. Whoever types something else has read what was wrong.
    fn write(&mut self, change: impl FnOnce(&mut Field)) -> bool {
        let text = match self.at {
            Row::Game => &mut self.game,
            Row::Address => &mut self.address,
            _ => return false,
        };
        self.failure = None;
        change(text);
        true
    }

    fn turn(&mut self, on: bool) {
        match self.at {
            Row::Game => {
                self.game = Field::chosen(super::form::turned(&GAMES, &self.game.as_str(), on));
            }
            Row::Against => self.against = super::form::turned(&Opponent::ALL, &self.against, on),
            Row::Starts => self.starts = super::form::turned(&Starter::ALL, &self.starts, on),
            Row::Host(_) | Row::Address | Row::Kept(_) | Row::Records => {}
        }
    }

    /// A click chooses a line, and one on the chosen line does what Enter does, or turns on what can be turned.
    fn touch(&mut self, mouse: MouseEvent) -> Option<Choice> {
        match mouse.kind {
            _ if is_small(self.size) => return None,
            MouseEventKind::Down(MouseButton::Left) => {}
            MouseEventKind::ScrollUp => return self.wheel(-1),
            MouseEventKind::ScrollDown => return self.wheel(1),
            _ => return None,
        }
        self.notice = None;
        if let Some(down) = self.help.take() {
            let key = picture::key_in_help(self, down, (mouse.column, mouse.row));
            return key.and_then(|key| self.press(KeyEvent::new(key, KeyModifiers::NONE)));
        }
        if let Some(key) = picture::key_at(self, (mouse.column, mouse.row)) {
            return self.press(KeyEvent::new(key, KeyModifiers::NONE));
        }
        let row = picture::row_at(self, (mouse.column, mouse.row))?;
        if std::mem::replace(&mut self.at, row) != row {
            return None;
        }
        match self.at {
            Row::Host(_) | Row::Kept(_) | Row::Address | Row::Records => self.choose(),
            _ => {
                self.turn(true);
                None
            }
        }
    }

    fn wheel(&mut self, down: isize) -> Option<Choice> {
        let key = if down < 0 { KeyCode::Up } else { KeyCode::Down };
        match self.help {
            Some(lines) => self.help = picture::scrolled(self, lines, key),
            None => self.step(down),
        }
        None
    }

    /// What the chosen line stands for, or a word on what is wrong with it.
    fn choose(&mut self) -> Option<Choice> {
        self.failure = None;
        let choice = match self.at {
            Row::Kept(place) => Ok(Choice::Resume(place)),
            Row::Records => Ok(Choice::Records),
            Row::Host(id) => Ok(Choice::Connect(self.host(id)?.address.into())),
            Row::Address => {
                self.address.as_str().parse().map(Choice::Connect).map_err(|bad| format!("{bad}."))
            }
            Row::Game | Row::Against | Row::Starts => {
                let (against, starts) = (self.against, self.starts);
                let play = |variant| Choice::Play { variant, against, starts };
                self.game.as_str().parse().map(play).map_err(|bad| format!("{bad}."))
            }
        };
        choice.map_err(|complaint| self.notice = Some(complaint)).ok()
    }
}

/// The hosts that are there, once something of them is new; never where nobody looks.
async fn hosts(watch: Option<&mut Watch>) -> Vec<Neighbour> {
    match watch {
        Some(watch) => watch.next().await,
        None => std::future::pending().await,
    }
}
