//! What is left of the tickets of seats that were given up: they open the records of what was played there, and nothing else.
//! It knows no connection.
//!
//! One is one file, readable by its owner alone, beside the seats; when there are too many, the oldest go.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Address;
use super::private_file;
use super::seats::{SavedSeat, hex, ticket};
use crate::wire::Ticket;
use crate::wire::limits::MAX_TICKETS;

/// How many are kept: so many can be shown with one request.
const MAX_KEPT: usize = MAX_TICKETS;

/// The longest file that is taken for one; ours have a hundred bytes.
const MAX_FILE: u64 = 1024;

/// How the files end.
const ENDING: &str = "stub";

/// A ticket as it stands in a file. Its texts are hostile until they are parsed.
#[derive(Debug, Serialize, Deserialize)]
struct Stub {
    server: String,
    ticket: String,
    /// Those before it, the newest first.
    #[serde(default)]
    former: Vec<String>,
}

/// One that can be read.
#[derive(Debug)]
struct Found {
    path: PathBuf,
    server: Address,
    ticket: Ticket,
    former: Vec<Ticket>,
    since: SystemTime,
}

/// The folder with them.
#[derive(Debug, Clone)]
pub(super) struct Stubs(PathBuf);

impl Stubs {
    /// Those beside the seats in this folder.
    pub(super) fn beside(seats: &Path) -> Self {
        Self(seats.join("stubs"))
    }

    /// Keeps the ticket of a seat that is given up, and those that it had before.
    pub(super) fn keep(&self, seat: &SavedSeat, former: &[Ticket]) -> io::Result<()> {
        private_file::folder(&self.0)?;
        let former = former.iter().map(|ticket| hex(ticket.bits())).collect();
        let stub = Stub { server: seat.server.to_string(), ticket: hex(seat.ticket.bits()), former };
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let name = format!("{}.{}.{}.{ENDING}", seat.code, seat.player.0, since.as_nanos());
        let mut text = serde_json::to_vec(&stub)?;
        text.push(b'\n');
        private_file::write(&self.0.join(name), &text)?;
        self.all()?.into_iter().skip(MAX_KEPT).try_for_each(|found| fs::remove_file(found.path))
    }

    /// The tickets that servers gave whose addresses are these, the newest first; and those before them.
    pub(super) fn tickets(
        &self,
        is_server: impl Fn(&Address) -> bool,
    ) -> io::Result<(Vec<Ticket>, Vec<Ticket>)> {
        let ours: Vec<Found> = self.all()?.into_iter().filter(|found| is_server(&found.server)).collect();
        let newest = ours.iter().map(|found| found.ticket).collect();
        Ok((newest, ours.into_iter().flat_map(|found| found.former).collect()))
    }

    /// All that can be read, the newest first.
    fn all(&self) -> io::Result<Vec<Found>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found: Vec<Found> = entries.filter_map(|entry| read(entry.ok()?.path())).collect();
        found.sort_by(|a, b| (b.since, &b.path).cmp(&(a.since, &a.path)));
        Ok(found)
    }
}

fn read(path: PathBuf) -> Option<Found> {
    let about = fs::metadata(&path).ok()?;
    let is_ours = path.extension().is_some_and(|ending| ending == ENDING);
    if !is_ours || !about.is_file() || about.len() > MAX_FILE {
        return None;
    }
    let stub: Stub = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    let former = stub.former.iter().filter_map(|digits| ticket(digits)).collect();
    let (server, ticket) = (stub.server.parse().ok()?, ticket(&stub.ticket)?);
    Some(Found { path, server, ticket, former, since: about.modified().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::{Code, Name, PlayerId};

    fn seat(player: u32) -> SavedSeat {
        SavedSeat {
            server: "[::1]:7646".parse().unwrap(),
            name: Name::clean("anna").unwrap(),
            code: Code::from_bits(1, 1),
            player: PlayerId(player),
            variant: "java-tech:21".into(),
            opponent: None,
            ticket: Ticket::of(u128::from(player).to_be_bytes()),
            over: false,
        }
    }

    #[test]
    fn the_newest_are_kept_and_shown_to_their_own_server_alone() {
        let folder = tempfile::tempdir().unwrap();
        let stubs = Stubs::beside(folder.path());
        assert_eq!(stubs.tickets(|_| true).unwrap(), (vec![], vec![]));
        for player in 0..300 {
            stubs.keep(&seat(player), &[]).unwrap();
            // As if they had been kept a second apart.
            let all = stubs.all().unwrap();
            let path = &all.iter().find(|found| found.ticket == seat(player).ticket).unwrap().path;
            let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(player.into());
            fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
        }
        let (kept, _) = stubs.tickets(|_| true).unwrap();
        assert_eq!((kept.len(), kept[0]), (MAX_KEPT, seat(299).ticket));
        assert_eq!(stubs.tickets(|server| server.port == Some(7646)).unwrap().0, kept);
        assert_eq!(stubs.tickets(|server| server.port == Some(7647)).unwrap().0, []);
    }

    #[test]
    fn what_is_no_ticket_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let stubs = Stubs::beside(folder.path());
        stubs.keep(&seat(1), &[seat(2).ticket, seat(3).ticket]).unwrap();
        for (number, text) in
            ["", "{}", r#"{"server":"a b","ticket":"00"}"#, r#"{"server":"host","ticket":"00"}"#]
                .iter()
                .enumerate()
        {
            fs::write(folder.path().join(format!("stubs/{number}.{ENDING}")), text).unwrap();
        }
        let former = vec![seat(2).ticket, seat(3).ticket];
        assert_eq!(stubs.tickets(|_| true).unwrap(), (vec![seat(1).ticket], former));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let stubs = Stubs::beside(&folder.path().join("seats"));
        stubs.keep(&seat(1), &[]).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&stubs.all().unwrap()[0].path), 0o600);
        assert_eq!(mode(&stubs.0), 0o700);
    }
}
