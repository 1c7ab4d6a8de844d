//! Those who are connected, and which of them makes room for one more.
//!
//! Where there is no room for somebody new, whoever takes some up to no purpose has to make it: those who have not even said
//! hello, then those of a crowd from one address who do not play, then whoever has asked for nothing for too long. How long that
//! is they have earned, by what was granted to them before: whoever plays has half a minute to think soon, and whoever only sits
//! there has a moment. A seat is kept for its owner all the same, who comes back with the ticket.
//!
//! It is the address which has most that gives, unless nobody of it can go.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Standing;
use crate::server::connection::Connection;
use crate::wire::{Farewell, HelloRefusal};

/// For how long nobody has to make room: an honest client says hello at once, and takes a seat soon.
const GRACE: Duration = Duration::from_millis(250);

/// With so many connections of one address that have no seat, they are no crowd.
const FEW: usize = 16;

/// How many connections there may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// In all.
    pub(super) most: usize,
    /// From each address.
    pub(super) each: usize,
}

/// All who are connected, by their numbers, and in the orders in which they make room.
#[derive(Default)]
pub(super) struct Here {
    pub(super) all: BTreeMap<u64, Entry>,
    /// Those who have not said hello, by when they came.
    strangers: BTreeSet<Mark>,
    addresses: HashMap<IpAddr, Address>,
    /// The addresses by how many connections they have.
    sizes: BTreeSet<(usize, IpAddr)>,
    /// The addresses by how many of theirs have no seat.
    crowds: BTreeSet<(usize, IpAddr)>,
    /// All who have said hello. What they have earned since is learnt when it is their turn to go.
    known: BTreeSet<Credit>,
    /// The word with which all of them were ended.
    pub(super) ended: Option<Farewell>,
}

/// Since when a connection is what it is, and its number.
type Mark = (Instant, u64);

/// Until which quarter of a second of the server a connection is let be, as far as it is known here, and its number.
type Credit = (u32, u64);

/// One of them.
pub(super) struct Entry {
    pub(super) connection: Arc<Connection>,
    pub(super) standing: Standing,
    pub(super) since: Instant,
    /// Under which of them it stands among those who have said hello.
    pub(super) let_be: u32,
}

/// The connections of one address.
#[derive(Default)]
struct Address {
    count: usize,
    /// Those who have not said hello.
    strangers: BTreeSet<Mark>,
    /// Those who have, and have no seat.
    loose: BTreeSet<Mark>,
    /// All who have.
    known: BTreeSet<Credit>,
}

/// When it is, as marks and as credits count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) instant: Instant,
    pub(super) quarter: u32,
}

impl Here {
    /// Makes room for one more from this address, if there is none and somebody has to.
    pub(super) fn make_room(&mut self, address: IpAddr, room: Room, now: Now) -> Result<(), HelloRefusal> {
        if self.count_of(address) >= room.each {
            let goer = self.goer_of(address, now);
            self.push_out(goer.ok_or(HelloRefusal::Crowded { most: number(room.each) })?);
        }
        if self.all.len() >= room.most {
            let goer = self.goer(address, now);
            self.push_out(goer.ok_or(HelloRefusal::Full { most: number(room.most) })?);
        }
        Ok(())
    }

    /// How many connections an address has.
    fn count_of(&self, address: IpAddr) -> usize {
        self.addresses.get(&address).map_or(0, |here| here.count)
    }

    /// Who of this address has to go for another one of it, if anybody.
    fn goer_of(&mut self, address: IpAddr, now: Now) -> Option<u64> {
        let goer = self.addresses.get(&address).and_then(|here| here.goer(now.instant));
        goer.or_else(|| self.spent(address, now))
    }

    /// Who has to go for somebody from this address where the server is full, if anybody.
    fn goer(&mut self, address: IpAddr, now: Now) -> Option<u64> {
        let crowd = || self.addresses.get(&self.crowds.last()?.1)?.goer(now.instant);
        let goer = oldest(&self.strangers, now.instant).or_else(crowd);
        goer.or_else(|| {
            let mine = self.count_of(address);
            let largest = self.sizes.last().filter(|(count, _)| *count > mine + 1).map(|&(_, whose)| whose);
            let of_largest = largest.and_then(|whose| self.spent(whose, now));
            // Where that address has nobody who can go, it is their own that makes room, or whoever has said nothing for longest.
            of_largest.or_else(|| self.spent(address, now)).or_else(|| {
                self.first_spent(now, |here| here.known.first()).filter(|goer| {
                    self.all.get(goer).is_some_and(|entry| self.count_of(entry.connection.address()) > mine)
                })
            })
        })
    }

    /// Whose credit of those who come from there ran out first, if any has.
    fn spent(&mut self, address: IpAddr, now: Now) -> Option<u64> {
        self.first_spent(now, |here| here.addresses.get(&address)?.known.first())
    }

    /// Whose credit of these ran out first, if any has.
    fn first_spent(&mut self, now: Now, first: impl Fn(&Self) -> Option<&Credit>) -> Option<u64> {
        loop {
            let first = *first(self)?;
            if let ControlFlow::Break(found) = self.look_at(first, now) {
                return found;
            }
        }
    }

    /// Looks at the first one of some of them: whether it is the one to go, or nobody is. It goes on if it has earned more since,
    /// and another one is the first by now.
    fn look_at(&mut self, (let_be, number): Credit, now: Now) -> ControlFlow<Option<u64>> {
        let Some(entry) = self.all.get_mut(&number).filter(|_| let_be < now.quarter) else {
            return ControlFlow::Break(None);
        };
        let earned = entry.connection.let_be();
        if earned <= let_be {
            return ControlFlow::Break(Some(number));
        }
        entry.let_be = earned;
        let address = entry.connection.address();
        let here = self.addresses.get_mut(&address).map(|here| &mut here.known);
        for known in here.into_iter().chain([&mut self.known]) {
            known.remove(&(let_be, number));
            known.insert((earned, number));
        }
        ControlFlow::Continue(())
    }

    fn push_out(&mut self, number: u64) {
        let Some(Entry { connection, standing, .. }) = self.remove(number) else { return };
        match standing {
            Standing::Stranger => connection.cut(),
            Standing::Loose | Standing::Seated => connection.end(Farewell::NoRoom),
        }
    }

    pub(super) fn insert(&mut self, number: u64, entry: Entry) {
        let (address, mark) = (entry.connection.address(), (entry.since, number));
        let here = self.addresses.entry(address).or_default();
        self.crowds.remove(&(here.loose.len(), address));
        self.sizes.remove(&(here.count, address));
        here.count += 1;
        if entry.standing == Standing::Stranger {
            here.strangers.insert(mark);
            self.strangers.insert(mark);
        } else {
            here.known.insert((entry.let_be, number));
            self.known.insert((entry.let_be, number));
        }
        if entry.standing == Standing::Loose {
            here.loose.insert(mark);
        }
        self.crowds.insert((here.loose.len(), address));
        self.sizes.insert((here.count, address));
        if let Some(word) = &self.ended {
            entry.connection.end(word.clone());
        }
        self.all.insert(number, entry);
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<Entry> {
        let entry = self.all.remove(&number)?;
        let (address, mark) = (entry.connection.address(), (entry.since, number));
        self.strangers.remove(&mark);
        self.known.remove(&(entry.let_be, number));
        let here = self.addresses.get_mut(&address)?;
        self.crowds.remove(&(here.loose.len(), address));
        self.sizes.remove(&(here.count, address));
        here.count -= 1;
        here.strangers.remove(&mark);
        here.loose.remove(&mark);
        here.known.remove(&(entry.let_be, number));
        if here.count == 0 {
            self.addresses.remove(&address);
        } else {
            self.crowds.insert((here.loose.len(), address));
            self.sizes.insert((here.count, address));
        }
        Some(entry)
    }
}

impl Address {
    /// Who of them has to go for another one, if anybody, of those who have not said hello and of a crowd.
    fn goer(&self, now: Instant) -> Option<u64> {
        let crowd = || oldest(&self.loose, now).filter(|_| self.loose.len() > FEW);
        oldest(&self.strangers, now).or_else(crowd)
    }
}

/// The one that has been what it is for the longest, if that is long enough.
fn oldest(marks: &BTreeSet<Mark>, now: Instant) -> Option<u64> {
    let (since, number) = marks.first()?;
    (now >= *since + GRACE).then_some(*number)
}

fn number(most: usize) -> u32 {
    u32::try_from(most).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::{self, IoSlice};
    use std::task::{Context, Poll};

    use super::*;
    use crate::server::socket::{Outgoing, Socket};

    /// A socket that takes everything.
    #[derive(Debug)]
    struct Sink;

    impl Socket for Sink {
        fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
            Ok(parts.iter().map(|part| part.len()).sum())
        }

        fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn shut(&self) -> io::Result<()> {
            Ok(())
        }
    }

    const ROOM: Room = Room { most: 60, each: 40 };

    fn now() -> Now {
        Now { instant: Instant::now(), quarter: 0 }
    }

    /// Somebody comes from an address that ends so, and comes to this.
    fn comes(here: &mut Here, last: u8, number: u64, standing: Standing) -> Result<(), HelloRefusal> {
        comes_in(here, (last, number), standing, now(), 0)
    }

    /// The same at this moment, and is let be until that quarter of a second.
    fn comes_in(
        here: &mut Here,
        (last, number): (u8, u64),
        standing: Standing,
        now: Now,
        let_be: u32,
    ) -> Result<(), HelloRefusal> {
        let connection = Arc::new(Connection::new(Outgoing::Other(Box::new(Sink)), [10, 0, 0, last].into()));
        connection.let_be_until(let_be);
        here.make_room(connection.address(), ROOM, now)?;
        here.insert(number, Entry { connection, standing, since: now.instant, let_be });
        Ok(())
    }

    fn numbers(here: &Here) -> Vec<u64> {
        here.all.keys().copied().collect()
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_said_no_hello_makes_room_after_a_moment() {
        let mut here = Here::default();
        for number in 0..40 {
            comes(&mut here, 1, number, Standing::Stranger).unwrap();
        }
        assert_eq!(comes(&mut here, 1, 40, Standing::Loose), Err(HelloRefusal::Crowded { most: 40 }));
        tokio::time::advance(GRACE).await;
        comes(&mut here, 1, 41, Standing::Loose).unwrap();
        assert_eq!(numbers(&here)[0], 1, "the first one has gone");
        for number in 42..62 {
            comes(&mut here, 2, number, Standing::Seated).unwrap();
        }
        comes(&mut here, 3, 62, Standing::Loose).unwrap();
        assert_eq!((here.all.len(), numbers(&here)[0]), (60, 2), "also for somebody from elsewhere");
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_makes_room_and_nobody_who_is_let_be_does() {
        let mut here = Here::default();
        for number in 0..20 {
            comes(&mut here, 1, number, Standing::Seated).unwrap();
        }
        for number in 20..40 {
            comes(&mut here, 1, number, Standing::Loose).unwrap();
        }
        for number in 40..60 {
            comes(&mut here, 2, number, Standing::Seated).unwrap();
        }
        tokio::time::advance(GRACE).await;
        for number in 60..64 {
            comes(&mut here, 3, number, Standing::Seated).unwrap();
        }
        assert_eq!(here.addresses[&IpAddr::from([10, 0, 0, 1])].loose.len(), FEW, "four have gone");
        assert_eq!(comes(&mut here, 3, 64, Standing::Seated), Err(HelloRefusal::Full { most: 60 }));
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_is_let_be_no_more_makes_room_and_whoever_asked_since_does_not() {
        let mut here = Here::default();
        let at = |quarter| Now { quarter, ..now() };
        for number in 0..40 {
            let let_be = 10 + u32::try_from(number).unwrap();
            comes_in(&mut here, (1, number), Standing::Seated, at(9), let_be).unwrap();
        }
        here.all[&0].connection.let_be_until(70);
        let mut newcomer =
            |number, quarter| comes_in(&mut here, (1, number), Standing::Seated, at(quarter), 90);
        assert_eq!(newcomer(40, 11), Err(HelloRefusal::Crowded { most: 40 }));
        assert_eq!([newcomer(41, 12), newcomer(42, 13)], [Ok(()), Ok(())]);
        assert_eq!(newcomer(43, 13), Err(HelloRefusal::Crowded { most: 40 }));
        assert_eq!(numbers(&here)[..2], [0, 3], "two have gone, and not the one who asked");
    }

    #[tokio::test(start_paused = true)]
    async fn where_the_server_is_full_the_address_that_has_most_makes_room_for_one_that_has_less() {
        let mut here = Here::default();
        let later = Now { quarter: 5, ..now() };
        for number in 0..60 {
            let last = if number < 31 { 1 } else { 2 };
            comes(&mut here, last, number, Standing::Seated).unwrap();
        }
        let mut newcomer = |number| comes_in(&mut here, (2, number), Standing::Seated, later, 90);
        assert_eq!([newcomer(60), newcomer(61)], [Ok(()), Ok(())]);
        let gone = |number| !here.all.contains_key(&number);
        let counts = [1, 2].map(|last| here.count_of([10, 0, 0, last].into()));
        assert_eq!(
            (gone(0), gone(31), counts),
            (true, true, [30, 30]),
            "where both have as many, one of their own"
        );
        comes_in(&mut here, (3, 62), Standing::Loose, later, 90).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn where_every_address_has_one_whoever_asked_for_nothing_for_longest_makes_room_for_one_that_has_none()
     {
        let mut here = Here::default();
        for last in 0..60 {
            comes_in(&mut here, (last, last.into()), Standing::Loose, now(), 9 + u32::from(last)).unwrap();
        }
        here.all[&0].connection.let_be_until(90);
        let later = Now { quarter: 20, ..now() };
        comes_in(&mut here, (60, 60), Standing::Loose, later, 90).unwrap();
        assert_eq!(numbers(&here)[..2], [0, 2]);
        assert_eq!(
            comes_in(&mut here, (60, 61), Standing::Loose, later, 90),
            Err(HelloRefusal::Full { most: 60 })
        );
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_left_of_those_who_have_gone() {
        let mut here = Here::default();
        for (number, standing) in (0..).zip([Standing::Stranger, Standing::Loose, Standing::Seated]) {
            comes(&mut here, 1, number, standing).unwrap();
        }
        for number in 0..3 {
            here.remove(number).unwrap();
        }
        assert!(here.strangers.is_empty() && here.addresses.is_empty());
        assert!(here.crowds.is_empty() && here.sizes.is_empty() && here.known.is_empty());
    }
}
