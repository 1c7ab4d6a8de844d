//! The hello and the welcome.

use std::sync::Arc;

use super::receiver::{End, Receiver};
use crate::lobby::{Name, Text};
use crate::number::millis;
use crate::server::names::NameClaim;
use crate::wire::{Greeting, HelloRefusal, Opening, ToClient, ToServer, VERSION, decode, opening};

/// What this program calls itself in the welcome.
const PROGRAM: &str = concat!("nim-server ", env!("CARGO_PKG_VERSION"));

/// For the host. A returning player asks for the name of the seat once more: they have another one
/// until they return to it.
fn note_welcome(asked: &Name, given: &Name) {
    if asked == given {
        tracing::info!(name = %asked, "welcome");
    } else {
        tracing::info!(name = %asked, called = %given, "welcome: the name is in use");
    }
}

/// Waits for the hello, and returns the name that the client has from then on.
pub(super) async fn greet(receiver: &mut Receiver) -> Result<Arc<NameClaim>, End> {
    let asked = hear_hello(receiver).await?;
    let app = &receiver.app;
    let name = Arc::new(app.services.names.claim(&asked));
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

/// The name that the client asks for.
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
