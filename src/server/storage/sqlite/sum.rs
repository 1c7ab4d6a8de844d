//! The sums by which a write-ahead log is known to be as it was written, and how they put a wrong byte right. They are those of
//! "Checksum Algorithm", <https://sqlite.org/fileformat2.html#checksum_algorithm>.
//!
//! A sum is of all that stands in front of it: two numbers into which the words flow in turn, each with a weight of its own, which
//! are those of Fibonacci. So what is missing at the sum of some content tells which one of its words is wrong, and by how much.

/// The sum of everything up to a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sum(u32, u32);

/// How numbers stand in what is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// The high byte first.
    High,
    /// The low byte first.
    Low,
}

/// The bytes of a number.
const WORD: usize = 4;

impl Order {
    pub(super) const BOTH: [Self; 2] = [Self::High, Self::Low];

    /// This machine's own.
    pub(super) const fn native() -> Self {
        if cfg!(target_endian = "big") { Self::High } else { Self::Low }
    }

    fn read(self, bytes: &[u8]) -> u32 {
        let mut word = [0; WORD];
        word.copy_from_slice(&bytes[..WORD]);
        match self {
            Self::High => u32::from_be_bytes(word),
            Self::Low => u32::from_le_bytes(word),
        }
    }

    fn write(self, number: u32, bytes: &mut [u8]) {
        let word = match self {
            Self::High => number.to_be_bytes(),
            Self::Low => number.to_le_bytes(),
        };
        bytes[..WORD].copy_from_slice(&word);
    }
}

impl Sum {
    /// A sum as it was written down.
    pub(super) fn read(bytes: &[u8], order: Order) -> Self {
        Self(order.read(bytes), order.read(&bytes[WORD..]))
    }

    /// The sum of all this and of what is behind it. There are an even number of words in it.
    pub(super) fn over(self, content: &[u8], order: Order) -> Self {
        content.chunks_exact(2 * WORD).fold(self, |Self(first, second), pair| {
            let first = first.wrapping_add(order.read(pair)).wrapping_add(second);
            Self(first, second.wrapping_add(order.read(&pair[WORD..])).wrapping_add(first))
        })
    }

    /// Whether the two are the same but for one byte.
    fn is_near(self, other: Self) -> bool {
        let differs =
            |one: u32, other: u32| (one ^ other).to_be_bytes().iter().filter(|byte| **byte > 0).count();
        differs(self.0, other.0) + differs(self.1, other.1) == 1
    }
}

/// A word that may be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slip {
    /// Its first byte.
    pub(super) place: usize,
    /// The number that it should be.
    pub(super) right: u32,
}

impl Slip {
    /// Puts the word right.
    pub(super) fn mend(self, content: &mut [u8], order: Order) {
        order.write(self.right, &mut content[self.place..]);
    }
}

/// What may be wrong with content that has this sum behind it, if it is a single byte. Two wrong ones are taken for one at most once in
/// some hundred times, if both are high bytes of their words; a page that was torn never is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// That of the sum, which should be this one.
    Sum(Sum),
    /// One of these words, mostly the only one. By errors in the high byte of a word those can be told apart that are near each other.
    Word(Vec<Slip>),
}

/// Finds what is wrong. A wrong byte in the last word looks like one in the sum: what goes on from the sum that was written is
/// asked then.
pub(super) fn fault(
    content: &[u8],
    before: Sum,
    written: Sum,
    order: Order,
    goes_on: impl FnOnce(Sum) -> bool,
) -> Option<Fault> {
    let sum = before.over(content, order);
    if sum.is_near(written) && !goes_on(written) {
        return Some(Fault::Sum(sum));
    }
    let missing = (written.0.wrapping_sub(sum.0), written.1.wrapping_sub(sum.1));
    let (mut weight, mut slips) = ((0_u32, 1_u32), Vec::new());
    for place in (0..content.len()).step_by(WORD).rev() {
        let wrong = order.read(&content[place..]);
        let right = error(missing, weight).map(|by| wrong.wrapping_add(by));
        if let Some(right) = right.filter(|right| Sum(wrong, 0).is_near(Sum(*right, 0))) {
            slips.push(Slip { place, right });
        }
        weight = (weight.1, weight.0.wrapping_add(weight.1));
    }
    (!slips.is_empty()).then_some(Fault::Word(slips))
}

/// By how much a word of this weight is wrong if nothing else is, and that is missing.
fn error(missing: (u32, u32), weight: (u32, u32)) -> Option<u32> {
    // Two that follow each other are never both even.
    let by = if weight.1 % 2 == 1 {
        missing.1.wrapping_mul(inverse(weight.1))
    } else {
        missing.0.wrapping_mul(inverse(weight.0))
    };
    let fits = (by.wrapping_mul(weight.0), by.wrapping_mul(weight.1)) == missing;
    fits.then_some(by)
}

/// What an odd number has to be multiplied by to be 1, by Newton's method: each step doubles the bits that are right, of which there
/// are three at first.
fn inverse(odd: u32) -> u32 {
    (0..4).fold(odd, |near, _| near.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(near))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_wrong_byte_is_found_in_either_order() {
        let mut chance = fastrand::Rng::with_seed(1);
        for order in Order::BOTH {
            let content: Vec<u8> = (0..4104).map(|_| chance.u8(..)).collect();
            let before = Sum(chance.u32(..), chance.u32(..));
            let written = before.over(&content, order);
            let mut alone = 0;
            for place in 0..content.len() {
                let mut wrong = content.clone();
                wrong[place] ^= chance.u8(1..);
                let Some(Fault::Word(slips)) = fault(&wrong, before, written, order, |_| true) else {
                    panic!("byte {place} is not found")
                };
                alone += usize::from(slips.len() == 1);
                assert!(slips.iter().any(|slip| {
                    let mut mended = wrong.clone();
                    slip.mend(&mut mended, order);
                    mended == content
                }));
            }
            assert!(alone > 3_000, "{alone}");
            for wrong in [Sum(written.0 ^ 0x100, written.1), Sum(written.0, written.1 ^ 0xff00_0000)] {
                assert_eq!(fault(&content, before, wrong, order, |_| false), Some(Fault::Sum(written)));
            }
        }
    }

    #[test]
    fn what_is_wrong_in_more_places_is_hardly_ever_taken_for_one() {
        let (mut chance, mut mistaken) = (fastrand::Rng::with_seed(2), 0);
        for _ in 0..1_000 {
            let mut content: Vec<u8> = (0..4104).map(|_| chance.u8(..)).collect();
            let written = Sum::default().over(&content, Order::Low);
            for part in 0..chance.usize(2..9) {
                content[part * 400 + chance.usize(..400)] ^= chance.u8(1..);
            }
            mistaken +=
                usize::from(fault(&content, Sum::default(), written, Order::Low, |_| false).is_some());
        }
        assert!(mistaken < 10, "{mistaken} of 1,000");
    }
}
