//! Several nodes of one server on etcd: what is recorded there, who owns what, and how a survivor goes on.
//!
//! Only with the cargo feature `cluster`. A fenced transaction is all that keeps two nodes apart: no clock
//! decides. In layers, bottom first:
//! - [`engine`]: the interface of the engine, with an etcd in memory and a real one behind it.
//! - [`format`](mod@format): the versions of what is written; [`keys`]: where everything lies in etcd.
//! - [`node`]: the membership of a node: its lease, its epoch, its fence.
//! - [`log`]: what a node records, batch by batch, and how the log of a dead node is read.
//! - [`pages`]: the same by lobby, written in the background, and how lobbies are restored.
//! - [`map`]: who owns which lobbies.
//! - [`network`]: how nodes connect to each other.
//! - [`tunnel`]: what runs over a connection between two nodes, which carries a client to the node that owns its
//!   lobby. It knows nothing of lobbies, and of etcd only the key that all nodes share. [`tls`]: TLS around it.
//! - [`about`]: what a node says of itself; [`places`]: who is living and where each slot is; `suspicion`: nodes that
//!   have died are not waited for; [`doubt`]: a node that etcd does not answer asks the others whether it has died.
//! - [`numbers`] of lobbies, [`names`] of people, the list of lobbies ([`directory`]), and [`bans`], which all nodes share;
//!   [`archive`]: every lobby in which a game has ended, in the SQLite of every node.
//! - [`paging`]: the task that writes pages; [`storage`]: the journal of the node's server.
//! - [`peering`]: what the server asks of the other nodes; [`accepting`]: clients that they bring.
//! - [`orders`]: what the host of one node asks of all; [`draining`]: whether nodes drain, for those that join meanwhile.
//! - [`stat`]: how a node is, in numbers for hosts; [`overview`]: how the whole cluster is.
//! - [`check`]: verifies all that lies in etcd.
//! - [`keeper`]: slots come and go; [`runtime`]: a node as a whole.

pub mod about;
pub mod accepting;
pub mod archive;
pub mod bans;
pub mod check;
mod checked;
#[cfg(test)]
mod checker;
pub mod directory;
pub mod doubt;
pub mod draining;
pub mod engine;
mod following;
pub mod format;
pub mod keeper;
pub mod keys;
pub mod log;
pub mod map;
#[cfg(test)]
mod mistake;
pub mod names;
pub mod network;
pub mod node;
pub mod numbers;
#[cfg(test)]
mod on_etcd;
pub mod orders;
pub mod overview;
pub mod pages;
pub mod paging;
pub mod peering;
pub mod places;
pub mod runtime;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod simulation;
pub mod stat;
pub mod storage;
mod suspicion;
pub mod tls;
#[cfg(test)]
mod trouble;
pub mod tunnel;
#[cfg(test)]
mod versions;
