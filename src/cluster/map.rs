//! Which node owns which slots: the map, how it is planned, and how it is changed.

mod changing;
mod plan;
mod slots;

pub use changing::{MapError, StoredMap, change_map, read_map, read_map_and_living};
pub use plan::{Move, moves, share_out};
pub use slots::SlotMap;
