//! The seats to which this person can come back, kept in files: where each is, and the ticket that proves it. It knows no
//! connection and no lobby beyond its code.
//!
//! One seat is one file, readable by its owner alone, and always whole: it is written beside the old one and put in its
//! place. Several windows may share a folder: one at a time changes what is in it, and none takes another one's ticket away.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use etcetera::app_strategy::{AppStrategy, AppStrategyArgs, choose_app_strategy};
use serde::{Deserialize, Serialize};

use super::Address;
use super::model::{MyLobby, Role};
use super::private;
use super::stubs::Stubs;
use crate::lobby::{Code, Kind, Name, PlayerId};
use crate::wire::Ticket;

/// The longest file that is taken for a seat; ours have a few hundred bytes.
const MAX_FILE: u64 = 4 * 1024;

/// How often a file is written anew while its lobby is heard of, though nothing else in it has changed: nobody wants to know
/// more exactly when that was.
pub const SEEN_EVERY: Duration = Duration::from_mins(1);

/// How the files end.
const ENDING: &str = "seat";

/// The file that is locked by whoever changes anything in the folder.
const LOCK: &str = ".lock";

/// What is left of a seat that was to be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Nothing.
    Nothing,
    /// Another window has come back to it, and kept its own ticket.
    AnotherTicket,
}

/// A seat that somebody can come back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSeat {
    /// The server's address.
    pub server: Address,
    /// What the person is called there.
    pub name: Name,
    /// The lobby's code.
    pub code: Code,
    /// The person's number there.
    pub player: PlayerId,
    /// What is played there, as text.
    pub variant: String,
    /// Who sits opposite, if anybody does.
    pub opponent: Option<String>,
    /// What proves the seat to be theirs.
    pub ticket: Ticket,
}

/// A seat as it stands in a file. Its texts are hostile until they are parsed.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    server: String,
    name: Name,
    code: Code,
    player: PlayerId,
    variant: String,
    opponent: Option<String>,
    ticket: String,
}

impl KeptSeat {
    /// The seat that somebody has in this lobby of that server.
    pub fn of(mine: &MyLobby, server: &Address) -> Option<Self> {
        let lobby = &mine.lobby;
        let Role::Player { id, ticket } = mine.role else { return None };
        let side = lobby.side_of(id)?;
        let opponent = lobby.seats()[!side].as_ref().map(|player| match player.kind {
            Kind::Person => player.name.to_string(),
            Kind::Bot => format!("{} [bot]", player.name),
        });
        Some(Self {
            server: server.clone(),
            name: lobby.seats()[side].as_ref()?.name.clone(),
            code: lobby.code(),
            player: id,
            variant: lobby.variant().text(),
            opponent,
            ticket,
        })
    }

    /// The name of its file: no two seats have the same.
    fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
        let server: String = self.server.to_string().chars().map(plain).collect();
        format!("{}.{}@{server}.{ENDING}", self.code, self.player.0)
    }

    fn record(&self) -> Record {
        Record {
            server: self.server.to_string(),
            name: self.name.clone(),
            code: self.code,
            player: self.player,
            variant: self.variant.clone(),
            opponent: self.opponent.clone(),
            ticket: hex(self.ticket.bits()),
        }
    }
}

impl Record {
    fn seat(self) -> Option<KeptSeat> {
        let variant: crate::game::any::Variant = self.variant.parse().ok()?;
        Some(KeptSeat {
            server: self.server.parse().ok()?,
            name: self.name,
            code: self.code,
            player: self.player,
            variant: variant.text(),
            opponent: self.opponent.map(|name| crate::game::notation::printable(&name).collect()),
            ticket: ticket(&self.ticket)?,
        })
    }
}

/// The bits as digits, two for each byte, the first byte first.
pub(super) fn hex(bits: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(bits))
}

/// Reads what [`hex`] writes.
pub(super) fn ticket(digits: &str) -> Option<Ticket> {
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    Some(Ticket::of(bytes?.try_into().ok()?))
}

/// The folder with the seats.
#[derive(Debug, Clone)]
pub struct Seats(PathBuf);

impl Seats {
    /// The seats in this folder, which is made once it is needed.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The seats where this system keeps such things of this person; `None` if it has no place for them.
    pub fn usual() -> Option<Self> {
        let ours = AppStrategyArgs { app_name: "nim".into(), ..AppStrategyArgs::default() };
        let places = choose_app_strategy(ours).ok()?;
        Some(Self(places.state_dir().unwrap_or_else(|| places.data_dir()).join("seats")))
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Keeps a seat, in place of what was known of it.
    pub fn keep(&self, seat: &KeptSeat) -> io::Result<()> {
        private::folder(&self.0)?;
        let _lock = self.lock()?;
        let mut text = serde_json::to_vec(&seat.record())?;
        text.push(b'\n');
        private::write(&self.0.join(seat.file_name()), &text)
    }

    /// Forgets a seat that is given up, but for its ticket, which opens the records of what was played there. What another
    /// window has kept since then stays.
    pub fn give_up(&self, seat: &KeptSeat) -> io::Result<Left> {
        let left = self.forget(seat)?;
        if left == Left::Nothing {
            Stubs::beside(&self.0).keep(seat)?;
        }
        Ok(left)
    }

    /// The tickets that the server at this address gave, of seats that are kept and of those that were given up, the newest
    /// first. `default_port` stands for the port where none is named.
    pub fn tickets(&self, server: &Address, default_port: u16) -> io::Result<Vec<Ticket>> {
        let place = |address: &Address| (address.host.to_lowercase(), address.port.unwrap_or(default_port));
        let is_server = |address: &Address| place(address) == place(server);
        let seats = self.all()?.into_iter().filter(|seat| is_server(&seat.server)).map(|seat| seat.ticket);
        Ok(seats.chain(Stubs::beside(&self.0).tickets(is_server)?).collect())
    }

    /// Forgets a seat with a ticket that is of no use any more. What another window has kept since then stays.
    pub fn forget(&self, seat: &KeptSeat) -> io::Result<Left> {
        let path = self.0.join(seat.file_name());
        if !path.exists() {
            return Ok(Left::Nothing);
        }
        let _lock = self.lock()?;
        if read(&path).is_some_and(|(kept, _)| kept.ticket != seat.ticket) {
            return Ok(Left::AnotherTicket);
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(Left::Nothing),
        }
    }

    /// The right to change what is kept, until this is dropped. Where the file system knows no locks, everybody has it.
    fn lock(&self) -> io::Result<fs::File> {
        let file = fs::File::options().create(true).append(true).open(self.0.join(LOCK))?;
        match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            _ => Ok(file),
        }
    }

    /// All seats that are kept, the one that was used last first. A file that is none is passed over.
    pub fn all(&self) -> io::Result<Vec<KeptSeat>> {
        Ok(self.seen()?.into_iter().map(|(seat, _)| seat).collect())
    }

    /// The same, each with the time when its lobby was last heard of, to [`SEEN_EVERY`].
    pub fn seen(&self) -> io::Result<Vec<(KeptSeat, SystemTime)>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found: Vec<_> = entries.filter_map(|entry| read(&entry.ok()?.path())).collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.file_name().cmp(&b.0.file_name())));
        Ok(found)
    }
}

/// The seat in this file, and when it was written.
fn read(path: &Path) -> Option<(KeptSeat, SystemTime)> {
    let about = fs::metadata(path).ok()?;
    let is_ours = path.extension().is_some_and(|ending| ending == ENDING);
    if !is_ours || !about.is_file() || about.len() > MAX_FILE {
        return None;
    }
    let record: Record = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    Some((record.seat()?, about.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(code: u16, player: u32) -> KeptSeat {
        KeptSeat {
            server: "[::1]:7646".parse().unwrap(),
            name: Name::clean("anna").unwrap(),
            code: Code::from_bits(code, 1),
            player: PlayerId(player),
            variant: "java-tech:21".into(),
            opponent: Some("ben".into()),
            ticket: Ticket::of([0xa5; 16]),
        }
    }

    fn codes(seats: &Seats) -> Vec<Code> {
        let mut codes: Vec<Code> = seats.all().unwrap().iter().map(|seat| seat.code).collect();
        codes.sort_by_key(Code::to_string);
        codes
    }

    #[test]
    fn a_seat_is_kept_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let seats = Seats::at(folder.path().join("not/yet/there"));
        assert_eq!(seats.all().unwrap(), []);
        let first = seat(1, 1);
        seats.keep(&first).unwrap();
        assert_eq!(seats.all().unwrap(), std::slice::from_ref(&first));
        let newer = KeptSeat { ticket: Ticket::of([7; 16]), opponent: None, ..first };
        seats.keep(&newer).unwrap();
        assert_eq!(seats.all().unwrap(), std::slice::from_ref(&newer), "the same seat has one file");
        for _ in 0..2 {
            assert_eq!(seats.forget(&newer).unwrap(), Left::Nothing);
        }
        assert_eq!(seats.all().unwrap(), []);
    }

    #[test]
    fn a_ticket_that_is_not_ones_own_is_not_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let (seats, older) = (Seats::at(folder.path()), seat(1, 1));
        let newer = KeptSeat { ticket: Ticket::of([7; 16]), ..older.clone() };
        seats.keep(&older).unwrap();
        seats.keep(&newer).unwrap();
        assert_eq!(seats.forget(&older).unwrap(), Left::AnotherTicket);
        assert_eq!(seats.all().unwrap(), [newer]);
    }

    #[test]
    fn windows_that_forget_what_was_never_kept_make_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let seats = Seats::at(folder.path().join("none"));
        assert_eq!(seats.forget(&seat(1, 1)).unwrap(), Left::Nothing);
        assert!(!seats.folder().exists());
    }

    #[test]
    fn a_seat_was_seen_when_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let seats = Seats::at(folder.path());
        seats.keep(&seat(1, 1)).unwrap();
        let path = folder.path().join(seat(1, 1).file_name());
        let earlier = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        fs::File::options().write(true).open(&path).unwrap().set_modified(earlier).unwrap();
        seats.keep(&seat(2, 1)).unwrap();
        let seen = seats.seen().unwrap();
        assert_eq!((seen[0].0.code, seen[1].0.code), (seat(2, 1).code, seat(1, 1).code));
        assert_eq!(seen[1].1, earlier);
    }

    #[test]
    fn two_seats_of_one_lobby_are_two() {
        let folder = tempfile::tempdir().unwrap();
        let seats = Seats::at(folder.path());
        for seat in [seat(1, 1), seat(1, 2), seat(2, 1)] {
            seats.keep(&seat).unwrap();
        }
        assert_eq!(codes(&seats).len(), 3);
    }

    #[test]
    fn what_is_no_seat_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let seats = Seats::at(folder.path());
        seats.keep(&seat(1, 1)).unwrap();
        let good = fs::read_to_string(folder.path().join(seat(1, 1).file_name())).unwrap();
        let worse = [
            String::new(),
            "{}".into(),
            good.replace("java-tech:21", "chess"),
            good.replace("a5a5", "zz"),
            good.replace("a5a5", "é5é"),
            good.replace("[::1]:7646", "a b"),
            good.replace("anna", "\\u001b[2J"),
            good.replace("ben", &"x".repeat(10_000)),
        ];
        for (number, text) in worse.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.{ENDING}")), text).unwrap();
        }
        fs::write(folder.path().join("readme.txt"), &good).unwrap();
        fs::create_dir(folder.path().join(format!("folder.{ENDING}"))).unwrap();
        assert_eq!(seats.all().unwrap(), [seat(1, 1)]);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_a_ticket() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let seats = Seats::at(folder.path().join("seats"));
        seats.keep(&seat(1, 1)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&seats.0.join(seat(1, 1).file_name())), 0o600);
        assert_eq!(mode(&seats.0), 0o700);
    }
}
