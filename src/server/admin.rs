//! What a host asks of the running server over a local socket: who is connected, how the server is, and acts
//! such as to close a connection.
//!
//! [`message`] has the requests and answers, [`place`] where the socket is. [`acts`] carries requests out,
//! with [`overview`] for what is only shown; [`spreading`] has other servers carry them out too. [`socket`] takes them
//! in.

mod acts;
mod message;
mod overview;
mod place;
#[cfg(unix)]
mod socket;
#[cfg(not(unix))]
#[path = "admin/no_socket.rs"]
mod socket;
mod spreading;

pub use message::{
    AddressRow, AdminAnswer, AdminRequest, ConnectionRow, LobbyRow, Recording, Role, Status, Target,
    Whereabouts, Who,
};
pub use place::{AdminPlace, NoPlace};
pub(super) use socket::AdminSocket;
pub use socket::ask;
pub(super) use spreading::carry_out_order;
