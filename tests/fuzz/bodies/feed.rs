//! Turns bytes into choices, one after the other.

/// The remaining bytes. After their end come zeros, so that every choice can be made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Feed<'a>(&'a [u8]);

impl<'a> Feed<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `count` bytes, or all remaining ones.
    pub(crate) fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    fn array<const COUNT: usize>(&mut self) -> [u8; COUNT] {
        let mut array = [0; COUNT];
        let bytes = self.bytes(COUNT);
        array[..bytes.len()].copy_from_slice(bytes);
        array
    }

    pub(crate) fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    pub(crate) fn bool(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    /// True for one value in `count`.
    pub(crate) fn one_in(&mut self, times: u8) -> bool {
        self.byte().is_multiple_of(times)
    }

    /// One of these choices; there has to be one.
    pub(crate) fn choice<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.byte()) % all.len()]
    }
}
