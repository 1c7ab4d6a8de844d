//! `nim-client connect`: plays on a server.

use std::io::{IsTerminal, Write, stderr};
use std::pin::pin;
use std::time::Duration;

use clap::Args;
use nim::client::tui::Exit;
use nim::client::tui::waiting::Waited;
use nim::client::words::nearby::connecting;
use nim::client::{Action, Address, Endpoint, Failure, Model, SeatStore, Session, Settings, Terms};
use nim::game::any::Variant;
use nim::lobby::Code;
use tokio::time::timeout;

use crate::conditions::{ConditionFlags, OriginFlags};
use crate::face::{Face, FaceFlags, SessionStart};
use crate::flags::{self, PlayerName};
use crate::hosts::{self, LookFlags};
use crate::seats::ReturnFlags;

/// The client says that it is connecting after this time.
const SHORT: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// The server: HOST or HOST:PORT [default: the only host on this network; if there are several, you
    /// choose one]
    #[arg(value_name = "HOST[:PORT]")]
    address: Option<Address>,

    /// Your name [default: the setting name, or your login name]
    #[arg(long, value_name = "NAME", value_parser = PlayerName::read)]
    name: Option<PlayerName>,

    /// Open a lobby for this game and wait for an opponent
    #[arg(long, value_name = "GAME", group = "wish", add = flags::games())]
    new: Option<Variant>,

    /// Join the lobby with this code, such as brave-otter
    #[arg(long, value_name = "CODE", group = "wish")]
    join: Option<Code>,

    /// Watch the lobby with this code
    #[arg(long, value_name = "CODE", group = "wish")]
    watch: Option<Code>,

    /// Join the first open lobby with this game, or open one
    #[arg(long, value_name = "GAME", group = "wish", add = flags::games())]
    quick: Option<Variant>,

    #[command(flatten)]
    origin: OriginFlags,

    #[command(flatten)]
    pub(crate) face: FaceFlags,

    #[command(flatten)]
    returning: ReturnFlags,

    #[command(flatten)]
    pub(crate) look: LookFlags,

    // Last, since the help would list later flags under its heading.
    #[command(flatten)]
    terms: ConditionFlags,
}

/// Connects and plays. Returns how the person left.
pub(crate) async fn connect(flags: Connect, settings: &Settings, face: &mut Face) -> Result<Exit, Failure> {
    let preferences = flags.terms.preferences(settings)?;
    let wish = flags.wish(&preferences)?;
    let called = flags.name.unwrap_or_else(|| PlayerName::default_for(settings));
    let (address, news) = match flags.address {
        Some(address) => (address, None),
        None => match Box::pin(hosts::find_host(&flags.look, face)).await? {
            Some(found) => found,
            None => return Ok(Exit::Quit),
        },
    };
    let endpoint = flags.returning.endpoint(&address, called.name());
    let start = SessionStart { called: &called, preferences, action: &wish, news: news.as_slice() };
    session(face, endpoint, flags.returning.state.seats(), start).await
}

/// Plays on a server, and reconnects when the connection is lost. Returns how the person left.
pub(crate) async fn session(
    face: &mut Face,
    endpoint: Endpoint,
    seats: Option<SeatStore>,
    start: SessionStart<'_>,
) -> Result<Exit, Failure> {
    let endpoint = Endpoint { kind: face.client_kind(), ..endpoint };
    let there = connecting(&endpoint.whole_address());
    let is_read = !face.is_json() && !face.is_on_screen() && stderr().is_terminal();
    let going = announced_after(SHORT, is_read.then(|| there.clone()), endpoint.connect());
    let (connection, given) = match face.wait(there, going).await? {
        Waited::Done(welcome) => welcome,
        Waited::Left(left) => return Ok(left),
    };
    let session = Session::new(connection, Model::new(given)).coming_back(endpoint, seats);
    face.run(session, start).await?;
    Ok(Exit::Back)
}

/// Waits for the work, and prints `words` if it takes longer than `time`.
async fn announced_after<T>(time: Duration, words: Option<String>, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    if let Ok(done) = timeout(time, &mut work).await {
        return done;
    }
    if let Some(words) = words {
        // Nobody may read it.
        let _ = writeln!(stderr(), "{words}");
    }
    work.await
}

impl Connect {
    fn wish(&self, preferences: &Terms) -> Result<Action, Failure> {
        if let Some(terms) = self.origin.terms(preferences)? {
            return Ok(Action::Create(terms));
        }
        let terms = |variant: &Variant| Terms { variant: variant.clone(), ..preferences.clone() };
        let password = || preferences.password.clone();
        Ok(match (&self.new, self.join, self.watch, &self.quick) {
            (Some(variant), ..) => Action::Create(terms(variant)),
            (_, Some(code), ..) => Action::Join(code, password()),
            (_, _, Some(code), _) => Action::Watch(code, password()),
            (.., Some(variant)) => Action::Quick(terms(variant)),
            _ => Action::Look,
        })
    }
}
