//! Hosts on the local network: the addresses at which others reach one, and discovery by multicast DNS. Knows
//! no lobby and no game.
//!
//! An [`Announcer`] publishes a [`Host`]; a [`Browser`] keeps the list of announced hosts. Both use the
//! interfaces of an [`InterfaceFilter`]. Data from the network is not trusted: text is cleaned and cut, the
//! list is bounded, and addresses outside this machine's own networks are dropped.

pub mod host_list;
mod interfaces;
pub mod label;
mod mdns;

pub use host_list::{Change, Host, HostId};
pub use interfaces::{ChosenInterface, InterfaceFilter, UnknownInterface, reachable};
pub use label::{HostName, Label, Version};
pub use mdns::{Announcer, BETWEEN_ANNOUNCEMENTS, Browser};
