//! Where everything lies in etcd, and the parts of which the keys are made. Numbers in keys have a fixed
//! number of hexadecimal digits, so that the order of keys is that of the numbers.
//!
//! | key | value |
//! |---|---|
//! | `o/<node>` | what a node says of itself, under its lease; its create revision is the node's [`Epoch`] |
//! | `format` | the [format](super::format) that all nodes write |
//! | `map` | which node owns which slots |
//! | `secret` | the key of 256 random bits that all nodes share |
//! | `log/<epoch>/<seq>` | a segment of a node's log |
//! | `start/<epoch>` | the first segment of a log that is still kept, once earlier ones were deleted |
//! | `h/<slot>/<lobby>` | the head of a lobby |
//! | `p/<slot>/<lobby>/<first number>` | a page of its events |
//! | `covered/<slot>` | the revision up to which all that was recorded of a slot is in its heads and pages |
//! | `d/<lobby>` | a closed lobby that is to be archived: its slot |
//! | `e/<lobby>` | a lobby in which a game has ended: where its last events are in its pages |
//! | `a/<node>` | up to which revision a node has archived the closed lobbies, and when it said so |
//! | `ids` | the first number that no lobby ever had |
//! | `n/<text>` | whose name this is, folded or by its look: an epoch, under the node's lease |
//! | `named/<epoch>` | is set by every change that a node makes of names, under its lease |
//! | `dir/<epoch>/<lobby>` | a lobby's entry in the list of a node, under the node's lease |
//! | `dir/<epoch>` | is set by every change of these, under the lease |
//! | `ban/banned/<address>`, `ban/muted/<address>` | until when, under a lease of its own if it ends |
//! | `acts/<epoch>` | is set by every change that a node makes of bans, under its lease |
//! | `drains/<epoch>` | is there while a node drains, under its lease |
//! | `drain/<epoch>` | is set by every change of that, under the lease |
//! | `stat/<epoch>` | how a node is, as numbers for hosts, under its lease |
//! | `order/<epoch>/<number>` | what the host of a node asks of all others, under a short lease |
//! | `order/<epoch>/<number>/<epoch>` | what became of that at one of them, under the same lease |

mod parts;
mod recorded;
mod shared;

pub use parts::{BadNodeName, Epoch, NodeName, Seq, Slot};
pub use recorded::{
    ARCHIVERS, CLOSED, COVERED, ENDED, HEADS, LOGS, PAGES, archiver, archiver_of, closed, closed_lobby,
    covered, covered_slot, ended, ended_lobby, epoch_of, head, headed, heads, log, page, paged, pages,
    pages_of_slot, segment, seq_of, start,
};
pub use shared::{
    BANS, DIRECTORY, DRAINS, FORMAT, IDS, MAP, NODES, ORDERS, SECRET, STATS, acts, answer, answer_of,
    directory, drain, drains, listing, listing_of, name, named, node, node_of, order, order_of, stat,
    stat_of,
};
