//! The hello and the welcome.

use std::sync::Arc;
use std::time::Duration;

use super::pace::SLOWED;
use super::{End, Receiver};
use crate::lobby::{Name, Text};
use crate::server::connections::Standing;
use crate::server::names::NameClaim;
use crate::wire::{Greeting, HelloRefusal, Opening, ToClient, ToServer, VERSION, decode, opening};

/// What this program calls itself in the welcome.
const PROGRAM: &str = concat!("nim-server ", env!("CARGO_PKG_VERSION"));

/// For the host. Whoever comes back to a seat has its name, and asks for it once more: another is given until then.
fn note_welcome(asked: &Name, given: &Name) {
    if asked == given {
        tracing::info!(name = %asked, "welcome");
    } else {
        tracing::info!(name = %asked, called = %given, "welcome: the name is in use");
    }
}

/// How many hellos it costs an address that somebody opens with anything else: no program of ours does, and to hear what they
/// are costs as much as to welcome them.
const STRANGE: u32 = 10;

/// What whoever came is called, once they have said hello.
pub(super) async fn greet(receiver: &mut Receiver) -> Result<Arc<NameClaim>, End> {
    let asked = hear_hello(receiver).await;
    if asked.is_ok() {
        receiver.connected.stands(Standing::Loose);
    }
    if !may_be_answered(receiver, &asked) {
        receiver.hold(SLOWED);
        receiver.wait_for_the_welcome().await?;
    }
    let (asked, app) = (asked?, receiver.connected.app());
    let name = Arc::new(app.names.claim(&asked));
    note_welcome(&asked, name.name());
    receiver.connection.tell(&ToClient::Welcome {
        version: VERSION,
        name: name.name().clone(),
        server: Text::cut(PROGRAM),
        ping_after: millis(app.config.ping_after),
        gone_after: millis(app.config.gone_after),
    });
    Ok(name)
}

/// What whoever came wants to be called.
async fn hear_hello(receiver: &mut Receiver) -> Result<Name, End> {
    let body = receiver.first_body().await?;
    let hello = match opening(&body) {
        Opening::Stranger => return Err(End::Unwelcome(HelloRefusal::NotHello)),
        Opening::Hello(yours) if yours != VERSION => {
            return Err(End::Unwelcome(HelloRefusal::Version { yours: yours.into(), ours: VERSION.into() }));
        }
        Opening::Hello(_) => decode(&body),
    };
    let name = match hello {
        Ok(ToServer::Hello(Greeting { name, .. })) => name,
        Ok(_) => return Err(End::Unwelcome(HelloRefusal::NotHello)),
        Err(error) => return Err(End::Unwelcome(HelloRefusal::Malformed(Text::cut(&error.to_string())))),
    };
    Name::clean(name.as_str()).map_err(|fault| End::Unwelcome(HelloRefusal::Name(fault)))
}

/// Whether whoever came is answered at once, and not one of too many at their address. Whoever asked too much over the connections
/// before this one is so as well.
fn may_be_answered(receiver: &Receiver, asked: &Result<Name, End>) -> bool {
    let (app, address) = (receiver.connected.app(), receiver.connection.address());
    let is_in_time = |price| app.hellos.take_some(address, price) || receiver.connected.has_waited();
    match asked {
        Ok(_) => {
            let asks_too_much = || app.crowd.is_spent() && !app.requests.is_whole(address);
            let may_ask = || receiver.connected.has_waited() || !app.requests.is_spent(address);
            is_in_time(1) && may_ask() && !asks_too_much()
        }
        Err(End::Unwelcome(_) | End::Stranger(_)) => is_in_time(STRANGE),
        // Nobody hears the answer, or it was waited for already.
        Err(End::Gone | End::Farewell(_)) => true,
    }
}

/// A duration as the protocol carries it; the longest is 49 days.
pub(super) fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
