//! Hosts on the local network: the addresses at which others reach one, and discovery by multicast DNS. Knows
//! no lobby and no game.
//!
//! A host describes itself in a [`HostInfo`], which an [`Announcer`] publishes; a [`Browser`] keeps the list
//! of [`Host`]s that are announced. Both use the interfaces of an [`InterfaceFilter`]. Data from the network
//! is not trusted: text is cleaned and cut, the list is bounded, and addresses outside this machine's own
//! networks are dropped.

mod announcer;
mod browser;
pub mod host_list;
mod interfaces;
pub mod label;
mod mdns;

pub use announcer::{Announcer, BETWEEN_ANNOUNCEMENTS};
pub use browser::Browser;
pub use host_list::{Change, Host, HostId};
pub use interfaces::{ChosenInterface, InterfaceFilter, UnknownInterface, reachable};
pub use label::{HostName, Label, Version};
pub use mdns::HostInfo;
