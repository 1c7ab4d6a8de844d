//! Allocations of a whole server per move: the real server and the bare relays, each on one counted thread
//! of this process. The journal's own thread is not counted.

use std::net::SocketAddr;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use allocation_counter::AllocationInfo;
use anyhow::anyhow;
use nim::server::storage::Sqlite;
use nim::server::storage::sqlite::Durability;
use nim::server::{Config, Server};
use tokio::sync::oneshot;

use crate::load::bare;
use crate::load::guest::Setting;
use crate::load::kind::{Kind, name};
use crate::load::report::{Table, short};
use crate::load::script::Script;
use crate::load::seating::seat;
use crate::load::traffic::Traffic;
use crate::smoke;

const KINDS: [Kind; 4] = [Kind::Framed, Kind::Direct, Kind::Memory, Kind::Process];
const VARIANT: &str = "java-tech";
const LOBBIES: usize = 10;

/// The numbers of moves of the two runs: other allocations are equal in both and cancel out.
const MOVES: [u64; 2] = [5_000, 55_000];

/// Counts for all kinds, and prints a table.
pub(crate) fn run() -> anyhow::Result<()> {
    let mut table = Table::new(&["", "allocations", "bytes"]);
    for kind in KINDS {
        let [some, more] = MOVES.map(|moves| moves / smoke::all_or(100, 1));
        let ((few, some), (many, more)) = (serve(kind, some)?, serve(kind, more)?);
        let moves = more.saturating_sub(some).max(1) as f64;
        let count = many.count_total.saturating_sub(few.count_total) as f64 / moves;
        let bytes = many.bytes_total.saturating_sub(few.bytes_total) as f64 / moves;
        table.row(vec![name(&kind), short(count), short(bytes)]);
    }
    table.print("counts, what a whole server allocates for a move, without the journal's thread");
    Ok(())
}

/// Allocations of a server while it serves `moves` moves, and the actual number of moves.
fn serve(kind: Kind, moves: u64) -> anyhow::Result<(AllocationInfo, u64)> {
    let (listening, address) = channel();
    let (stop, stopped) = oneshot::channel();
    let server = thread::spawn(move || {
        let mut served = Ok(());
        let counted = allocation_counter::measure(|| served = run_server(kind, &listening, stopped));
        served.map(|()| counted)
    });
    let pairs = seat(kind, address.recv()?, Setting::untimed(VARIANT), LOBBIES)?;
    let mut traffic = Traffic::of(pairs, Script::of(VARIANT)?, kind.is_bare())?;
    let moves = traffic.flat_out(|tally| tally.moves >= moves)?.moves;
    traffic.leave()?;
    drop(stop);
    let counted = server.join().map_err(|_| anyhow!("the server has panicked"))??;
    Ok((counted, moves))
}

/// Serves until `stopped`, on this thread.
fn run_server(
    kind: Kind,
    listening: &Sender<SocketAddr>,
    stopped: oneshot::Receiver<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        if kind.is_bare() {
            let listener = bare::listen()?;
            listening.send(listener.local_addr()?)?;
            return tokio::select! {
                ended = bare::relay(kind, listener) => ended,
                _ = stopped => Ok(()),
            };
        }
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let server = if kind == Kind::Memory {
            Server::bind(config())?
        } else {
            let (storage, _) = Sqlite::open(folder.path(), Durability::Process)?;
            Server::bind_with_storage(config(), Box::new(storage))?.0
        };
        listening.send(server.address()?)?;
        server.run(async { drop(stopped.await) }).await;
        Ok(())
    })
}

fn config() -> Config {
    Config {
        bind: ([127, 0, 0, 1], 0).into(),
        bots: false,
        max_requests_each: u32::MAX,
        max_journal_each: u32::MAX,
        ..Config::default()
    }
}
