//! The browser's face: `nim-server` is a web site too, on the port on which it plays.
//!
//! A browser's session is a client's session on the server's side of a WebSocket. It is connected to the server
//! inside the process, as any client is over the network. It ends with its WebSocket and keeps nothing: the
//! browser keeps the ticket of its seat, and returns with it. The page is rendered here, with the words of the
//! other faces; the script in the browser puts regions of HTML in place, and sends what the person does.
//!
//! - [`host`]: what the site needs of its server; `hand_over`: the one place where the two meet.
//! - [`site`]: connections that open with HTTP, the paths, and what all answers have in common; `host_name` and
//!   [`origin`]: the names by which it may be asked for, and the pages that may use it.
//! - `upgrade`: requests for a WebSocket; `line`: what is sent and received over it. `api`: that of a program, which
//!   speaks the JSON face.
//! - `socket`: one browser's WebSocket; `browser`: its session, and what its page shows.
//! - `inside`: sessions with the server inside this process.
//! - `action`: what the script sends; `request`: the same as an action of the client; `update`: what it receives.
//! - `wall` and `records`: pages that are no lobby. `reading`: what a person does with records.
//! - `form` and `choices`: what is agreed on for a new game.
//! - `view`: the regions of the page as HTML.

mod action;
mod api;
mod browser;
mod choices;
mod events;
mod form;
mod hand_over;
pub mod host;
mod host_name;
mod inside;
mod learning;
mod line;
pub mod origin;
mod own_address;
mod page;
mod qr;
mod reading;
mod records;
mod request;
mod returning;
mod search;
mod shell;
pub mod site;
mod socket;
mod update;
mod upgrade;
mod view;
mod wall;

pub use host_name::HostName;
pub use origin::Origin;
pub use shell::version as page_version;
pub use site::Site;
