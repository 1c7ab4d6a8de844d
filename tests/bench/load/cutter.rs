//! Counts the frames in a stream of bytes, and looks at nothing but the first byte of each: what that is, and
//! no more.

/// The bytes in front of a body, which say how long it is.
pub(crate) const HEADER: usize = 4;

/// The first byte of a welcome.
pub(crate) const WELCOME: u8 = 0;
/// That of its opposite.
pub(crate) const UNWELCOME: u8 = 1;
/// The first byte of a request to a lobby.
pub(crate) const TO_LOBBY: u8 = 2;
/// That of a refusal.
pub(crate) const REFUSED: u8 = 2;
/// That of the word that somebody has a seat.
pub(crate) const ENTERED: u8 = 4;
/// That of an event in a lobby.
pub(crate) const LOBBY: u8 = 5;
/// That of the word that a lobby was left.
pub(crate) const OUTSIDE: u8 = 6;
/// That of a ping.
pub(crate) const PING: u8 = 8;

/// Where the stream of one connection is.
#[derive(Debug, Default)]
pub(crate) struct Cutter {
    header: [u8; HEADER],
    /// How many bytes of the header are here.
    headed: usize,
    /// How many bytes of the body are to come, once the header is here.
    left: usize,
    first: Option<u8>,
}

impl Cutter {
    /// Takes in what was read; calls `each` with the first byte of every frame that ends in it.
    pub(crate) fn take(&mut self, mut bytes: &[u8], mut each: impl FnMut(u8)) {
        while !bytes.is_empty() {
            if self.headed < HEADER {
                self.header[self.headed] = bytes[0];
                self.headed += 1;
                bytes = &bytes[1..];
                if self.headed == HEADER {
                    self.left = usize::try_from(u32::from_be_bytes(self.header)).unwrap_or(usize::MAX);
                }
                continue;
            }
            let first = *self.first.get_or_insert(bytes[0]);
            let count = self.left.min(bytes.len());
            self.left -= count;
            bytes = &bytes[count..];
            if self.left == 0 {
                *self = Self::default();
                each(first);
            }
        }
    }
}
