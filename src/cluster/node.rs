//! A node's membership: it joins under a name, is kept alive by a lease, and is fenced off for good once the
//! lease has ended.

mod agreeing;
mod error;
mod joining;
mod living;
mod membership;
mod sequence;
mod writing;

pub use agreeing::check_format;
pub use error::JoinError;
pub use joining::{LEASE, LONGEST_LEASE, Node};
pub use living::{Living, Sealed};
pub use membership::{FencedOff, Membership, TELLING_MARGIN};
pub(crate) use sequence::Sequence;
pub use writing::WriteError;
