//! Which thought is next: those that take no time first, and of the others a fair share of the time for each address. It runs
//! nothing.
//!
//! How long a thought takes is known only when it is over. So each is tried for a moment; one that takes longer makes way for
//! others that were never tried, or that had made way themselves after a small part of its time. It begins anew when it is its
//! turn again, with twice the time at least, so that it loses no more than it takes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::bot::Stop;

/// How long a thought is let be at first: most of those that a bot has in a game take no longer.
const SLICE: Duration = Duration::from_millis(5);

/// Whoever was tried makes nobody make way who has not had twice the time so often more.
const FAR: u32 = 3;

/// Whoever has had so much more time than others is no more before them with what was never tried.
const AHEAD: Duration = Duration::from_millis(20);

/// For how long thoughts that were never tried are before others of the same address, until one of those has its turn.
const NEW: Duration = Duration::from_millis(50);

/// What a turn costs an address at least.
const LEAST: Duration = Duration::from_millis(1);

/// A thought's number: behind how many it came.
pub(super) type Number = u64;

/// Of so many addresses it is known how much time they have had, also of those that ask for nothing any more; of more only as long
/// as that matters, and then of so many at most.
const KEPT: usize = 64;
const MOST_KEPT: usize = 4_096;

/// Thoughts that wait, and those that are being thought.
pub(super) struct Queue<J> {
    shares: HashMap<IpAddr, Share<J>>,
    /// The addresses of which thoughts wait.
    turns: BTreeSet<(Claim, IpAddr)>,
    /// How much time the address had had whose turn was last: whoever comes begins there.
    now: Duration,
    came: Number,
    waiting: usize,
    running: HashMap<Number, Running>,
    pub(super) closed: bool,
}

/// Whose turn is before whose: first whoever waits for what was never tried and has had no more time than others, then whoever has
/// had less, then whoever has waited longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    late: bool,
    used: Duration,
    since: Number,
}

/// What one address has asked for.
struct Share<J> {
    /// Its place among the others, if anything of it waits.
    claim: Option<Claim>,
    /// How much time it has had.
    used: Duration,
    /// Its place among those that have had as much.
    since: Number,
    /// How much time went to what was never tried since it last went to anything else.
    new: Duration,
    /// By how often each was tried, and the order in which they came.
    jobs: BTreeMap<(u32, Number), J>,
    running: usize,
}

/// A thought that is being thought.
struct Running {
    address: IpAddr,
    tries: u32,
    began: Instant,
    stop: Stop,
    given_up: bool,
}

/// A thought whose turn it is.
pub(super) struct Turn<J> {
    pub(super) number: Number,
    pub(super) job: J,
    /// Raised when it is to make way, or nobody waits for it any more.
    pub(super) stop: Stop,
}

impl<J> Default for Queue<J> {
    fn default() -> Self {
        Self {
            shares: HashMap::new(),
            turns: BTreeSet::new(),
            now: Duration::ZERO,
            came: 0,
            waiting: 0,
            running: HashMap::new(),
            closed: false,
        }
    }
}

impl<J> Default for Share<J> {
    fn default() -> Self {
        Self {
            claim: None,
            used: Duration::ZERO,
            since: 0,
            new: Duration::ZERO,
            jobs: BTreeMap::new(),
            running: 0,
        }
    }
}

/// So often something was tried that has taken so long.
fn tries_of(took: Duration) -> u32 {
    let slices = u32::try_from(took.as_nanos() / SLICE.as_nanos()).unwrap_or(u32::MAX);
    u32::BITS - slices.leading_zeros()
}

/// How long something is let be that was tried so often.
fn allowed(tries: u32) -> Duration {
    SLICE * 2u32.saturating_pow(tries)
}

impl<J> Queue<J> {
    /// How many wait, and how many are being thought.
    pub(super) fn load(&self) -> (usize, usize) {
        (self.waiting, self.running.len())
    }

    /// Takes a thought in that somebody at this address asked for.
    pub(super) fn push(&mut self, address: IpAddr, job: J) -> Number {
        self.came += 1;
        self.insert(address, (0, self.came), job);
        self.came
    }

    fn insert(&mut self, address: IpAddr, place: (u32, Number), job: J) {
        let (now, came) = (self.now, self.came);
        self.change(address, |share| {
            if share.jobs.is_empty() {
                (share.used, share.since) = (share.used.max(now), came);
            }
            share.jobs.insert(place, job);
        });
        self.waiting += 1;
    }

    /// Changes what is known of an address, and its place among the others.
    fn change<T>(&mut self, address: IpAddr, change: impl FnOnce(&mut Share<J>) -> T) -> T {
        let share = self.shares.entry(address).or_default();
        if let Some(claim) = share.claim {
            self.turns.remove(&(claim, address));
        }
        let changed = change(share);
        share.claim = share.claim_at(self.now);
        if let Some(claim) = share.claim {
            self.turns.insert((claim, address));
        }
        changed
    }

    /// The next one, from now on being thought.
    pub(super) fn pop(&mut self, now: Instant) -> Option<Turn<J>> {
        let &(claim, address) = self.turns.first()?;
        if claim.late {
            self.now = self.now.max(claim.used);
        }
        let came = self.came;
        let ((tries, number), job) = self.change(address, |share| {
            share.running += 1;
            share.used += LEAST;
            share.since = came;
            share.take()
        })?;
        self.waiting -= 1;
        let stop = Stop::new();
        let running = Running { address, tries, began: now, stop: stop.clone(), given_up: false };
        self.running.insert(number, running);
        self.forget();
        Some(Turn { number, job, stop })
    }

    /// A thought is over, or was stopped: then its `job` is still to be done, unless nobody waits for it any more.
    pub(super) fn done(&mut self, number: Number, job: Option<J>, now: Instant) {
        let Some(Running { address, tries, began, given_up, .. }) = self.running.remove(&number) else {
            return;
        };
        let took = now.saturating_duration_since(began);
        self.change(address, |share| {
            share.running -= 1;
            share.used += took.saturating_sub(LEAST);
            share.new = if tries == 0 { share.new + took.max(LEAST) } else { Duration::ZERO };
        });
        if let Some(job) = job.filter(|_| !given_up) {
            self.insert(address, (tries_of(took).max(tries + 1), number), job);
        }
        if self.load() == (0, 0) {
            // Whoever comes now waits for nobody, whatever was before.
            (self.shares, self.now) = (HashMap::new(), Duration::ZERO);
        }
    }

    /// Nobody waits for this one any more.
    pub(super) fn give_up(&mut self, address: IpAddr, number: Number) {
        if let Some(running) = self.running.get_mut(&number) {
            running.given_up = true;
            running.stop.raise();
        } else if self.shares.contains_key(&address) {
            let is_waiting = self.change(address, |share| {
                let place = share.jobs.keys().find(|(_, job)| *job == number).copied();
                place.and_then(|place| share.jobs.remove(&place)).is_some()
            });
            self.waiting -= usize::from(is_waiting);
        }
    }

    /// Has those make way whose time is over while others wait whose turn it is. When it is to be looked again; `None` if that
    /// makes no difference before something else comes.
    pub(super) fn look(&self, now: Instant) -> Option<Instant> {
        let &(Claim { late, used, .. }, waits) = self.turns.first()?;
        let (tries, _) = self.shares.get(&waits)?.next()?;
        let looks = self.running.values().filter(|running| !running.stop.is_raised()).filter_map(|running| {
            let took = now.saturating_duration_since(running.began);
            let so_far = tries_of(took).max(running.tries);
            if took < allowed(running.tries) {
                return Some(running.began + allowed(running.tries));
            }
            let had = self.shares.get(&running.address)?.used + took.saturating_sub(LEAST);
            let is_short = tries + FAR <= so_far;
            if !late || is_short && (waits == running.address || used < had) {
                running.stop.raise();
                return None;
            }
            Some(running.began + allowed(so_far))
        });
        looks.min()
    }

    /// Forgets addresses that ask for nothing any more, once there are many of which it makes no difference.
    fn forget(&mut self) {
        let known = self.shares.len();
        if known > KEPT + 2 * self.turns.len() {
            let (now, all) = (self.now, known > MOST_KEPT);
            self.shares.retain(|_, share| {
                !share.jobs.is_empty() || share.running > 0 || (share.used > now + AHEAD && !all)
            });
        }
    }
}

impl<J> Share<J> {
    /// Which one is next: the one that was tried least often, unless such ones have had their time.
    fn next(&self) -> Option<(u32, Number)> {
        let first = self.jobs.keys().next().copied();
        let tried = || self.jobs.range((1, 0)..).next().map(|(place, _)| *place);
        first.map(|first| if self.new > NEW { tried().unwrap_or(first) } else { first })
    }

    fn take(&mut self) -> Option<((u32, Number), J)> {
        let place = self.next()?;
        Some((place, self.jobs.remove(&place)?))
    }

    /// When it is its turn, where others have had so much time; `None` if nothing of it waits.
    fn claim_at(&self, now: Duration) -> Option<Claim> {
        let (tries, _) = self.next()?;
        let late = tries > 0 || self.used > now + AHEAD;
        Some(Claim { late, used: self.used, since: self.since })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn millis(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// A queue and its time.
    struct Desk {
        queue: Queue<&'static str>,
        now: Instant,
    }

    impl Desk {
        fn of(asked: &[(IpAddr, &'static str)]) -> Self {
            let mut queue = Queue::default();
            for (address, job) in asked {
                queue.push(*address, *job);
            }
            Self { queue, now: Instant::now() }
        }

        /// Thinks the next one for so long, or until it is to make way; which one, and whether it is done.
        fn think(&mut self, takes: Duration) -> Option<(&'static str, bool)> {
            self.think_by(|_| takes)
        }

        /// The same, where it takes as long as this says.
        fn think_by(&mut self, takes: impl Fn(&str) -> Duration) -> Option<(&'static str, bool)> {
            let Turn { number, job, stop } = self.queue.pop(self.now)?;
            let ends = self.now + takes(job);
            while !stop.is_raised() && self.now < ends {
                self.now = self.queue.look(self.now).unwrap_or(ends).clamp(self.now, ends);
                self.queue.look(self.now);
            }
            let is_done = !stop.is_raised();
            self.queue.done(number, (!is_done).then_some(job), self.now);
            Some((job, is_done))
        }
    }

    #[test]
    fn each_address_has_its_share_of_the_time_however_much_it_asks_for() {
        let asked = [(MANY, "a"), (MANY, "b"), (MANY, "c"), (OTHER, "d"), (OTHER, "e"), (OTHER, "f")];
        let mut desk = Desk::of(&asked);
        let takes = |job| if job < "d" { millis(3) } else { millis(1) };
        let mut order = String::new();
        for next in ["a", "d", "e", "f", "b", "c"] {
            order.push_str(desk.think(takes(next)).unwrap().0);
        }
        assert_eq!(order, "adefbc", "three of one take as long as one of the other");
    }

    #[test]
    fn whoever_comes_late_has_no_time_to_catch_up_on() {
        let mut desk = Desk::of(&[(MANY, "a"), (MANY, "b"), (MANY, "c")]);
        let first: String = (0..4).map(|_| desk.think(millis(7)).unwrap().0).collect();
        assert_eq!(first, "abca", "as long as others were never tried");
        for job in ["d", "e", "f"] {
            desk.queue.push(OTHER, job);
        }
        let order: String = (0..8).map_while(|_| Some(desk.think(millis(7))?.0)).collect();
        assert_eq!(order, "defbde");
    }

    #[test]
    fn a_long_thought_makes_way_for_one_that_was_tried_less_often_and_begins_anew_with_more_time() {
        let mut desk = Desk::of(&[(MANY, "long"), (MANY, "short")]);
        let start = desk.now;
        assert_eq!(desk.think(millis(400)), Some(("long", false)));
        assert_eq!(desk.now - start, SLICE);
        assert_eq!(desk.think(millis(5)), Some(("short", true)));
        desk.queue.push(MANY, "late");
        assert_eq!(desk.think(millis(5)), Some(("late", true)), "short ones first");
        assert_eq!(desk.think(millis(400)), Some(("long", true)), "nobody else waits");
        assert_eq!(desk.think(millis(1)), None);
    }

    #[test]
    fn one_that_has_made_way_is_thought_before_the_end_of_one_that_takes_much_longer() {
        let mut desk = Desk::of(&[(MANY, "a"), (OTHER, "b")]);
        assert_eq!(desk.think(millis(60)), Some(("a", false)));
        assert_eq!(desk.think(millis(10_000)), Some(("b", false)));
        assert_eq!(desk.think(millis(60)), Some(("a", true)));
        assert_eq!(desk.think(millis(10_000)), Some(("b", true)));
    }

    #[test]
    fn two_long_thoughts_do_not_keep_each_other_from_the_end() {
        let mut desk = Desk::of(&[(MANY, "a"), (OTHER, "b")]);
        let mut done = Vec::new();
        let start = desk.now;
        while let Some((job, is_done)) = desk.think(millis(390)) {
            done.extend(is_done.then_some(job));
        }
        assert_eq!(done, ["b", "a"]);
        assert!(desk.now - start < 2 * millis(780), "no more is lost than it takes");
    }

    #[test]
    fn whoever_asks_for_something_new_again_and_again_leaves_others_their_share() {
        let mut desk = Desk::of(&[(OTHER, "hard")]);
        desk.queue.push(MANY, "new");
        assert_eq!(desk.think(millis(90)), Some(("hard", false)));
        let mut others = 0;
        let asks = |desk: &mut Desk| desk.queue.push(MANY, "new");
        while desk.think(millis(4)).is_some_and(|(job, _)| job == "new") {
            others += 1;
            asks(&mut desk);
        }
        assert!((3..20).contains(&others), "{others} before its turn");
    }

    #[test]
    fn whoever_asks_for_something_new_again_and_again_is_answered_what_they_asked_before_as_well() {
        let mut desk = Desk::of(&[(MANY, "hard")]);
        let start = desk.now;
        let takes = |job: &str| millis(if job == "hard" { 80 } else { 4 });
        while desk.think_by(takes) != Some(("hard", true)) {
            assert!(desk.now - start < millis(1_000), "it is never its turn");
            desk.queue.push(MANY, "new");
            desk.queue.push(MANY, "new");
        }
    }

    #[test]
    fn what_nobody_waits_for_any_more_is_not_tried_again() {
        let mut desk = Desk::of(&[]);
        let [first, second] = ["first", "second"].map(|job| desk.queue.push(MANY, job));
        let turn = desk.queue.pop(desk.now).unwrap();
        assert_eq!(turn.number, first);
        desk.queue.give_up(MANY, first);
        assert!(turn.stop.is_raised());
        desk.queue.done(first, Some(turn.job), desk.now);
        desk.queue.give_up(MANY, second);
        assert_eq!((desk.queue.load(), desk.think(millis(1))), ((0, 0), None));
    }

    #[test]
    fn addresses_that_ask_for_nothing_any_more_are_forgotten() {
        let mut desk = Desk::of(&[(MANY, "a")]);
        for number in 0..1_000u16 {
            let [high, low] = number.to_be_bytes();
            desk.queue.push(MANY, "again");
            desk.queue.push(IpAddr::from([10, 1, high, low]), "once");
            desk.think(millis(1)).unwrap();
            desk.think(millis(1)).unwrap();
        }
        assert!(desk.queue.shares.len() <= KEPT + 5, "{}", desk.queue.shares.len());
        while desk.think(millis(1)).is_some() {}
        assert!(desk.queue.shares.is_empty());
    }
}
