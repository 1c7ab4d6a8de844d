//! Hosts on the local network: their reachable addresses, and discovery by multicast DNS. Knows no lobby and
//! no game.
//!
//! An [`Announcer`] publishes a [`Host`]; a [`Browser`] keeps the list of announced hosts. Both use the
//! interfaces that an [`InterfaceFilter`] selects. Data from the network is not trusted: text is filtered and
//! truncated, the list is bounded, and addresses outside this machine's networks are dropped.

pub mod host_list;
mod interfaces;
pub mod label;
mod mdns;

pub use host_list::{Change, Host, HostId};
pub use interfaces::{ChosenInterface, InterfaceFilter, UnknownInterface, reachable};
pub use label::{HostName, ShortLabel, Version};
pub use mdns::{Announcer, BETWEEN_ANNOUNCEMENTS, Browser};
