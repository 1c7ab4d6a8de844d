//! Saturating conversions between number types.

use std::time::Duration;

/// A number type with a maximum.
pub trait Bounded: Copy {
    /// The maximum.
    const MAX: Self;
}

macro_rules! bounded {
    ($($type:ty),*) => { $(impl Bounded for $type { const MAX: Self = <$type>::MAX; })* };
}

bounded!(u8, u16, u32, u64, usize);

/// Converts an unsigned number to `T`, or returns the maximum of `T` if it does not fit.
pub fn saturating<T: Bounded + TryFrom<N>, N>(number: N) -> T {
    T::try_from(number).unwrap_or(T::MAX)
}

/// A duration in whole milliseconds, rounded down, or the maximum of `T` if it does not fit.
pub fn millis<T: Bounded + TryFrom<u128>>(duration: Duration) -> T {
    saturating(duration.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_does_not_fit_becomes_the_largest() {
        assert_eq!((saturating::<u8, _>(255_u32), saturating::<u8, _>(256_u32)), (255, 255));
        assert_eq!(saturating::<u32, _>(usize::MAX), u32::MAX);
        assert_eq!(
            (millis::<u32>(Duration::from_micros(2_999)), millis::<u32>(Duration::MAX)),
            (2, u32::MAX)
        );
    }
}
