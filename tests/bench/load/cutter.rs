//! Counts the frames in a stream of bytes. It reads only the first byte of each body: the kind of the
//! message.

/// The length prefix of a frame, in bytes.
pub(crate) const HEADER: usize = 4;

/// The first byte of a welcome.
pub(crate) const WELCOME: u8 = 0;
/// The first byte of a refused connection.
pub(crate) const UNWELCOME: u8 = 1;
/// The first byte of a request to a lobby.
pub(crate) const TO_LOBBY: u8 = 2;
/// The first byte of a refusal.
pub(crate) const REFUSED: u8 = 2;
/// The first byte of an entered lobby.
pub(crate) const ENTERED: u8 = 4;
/// The first byte of a lobby's event.
pub(crate) const LOBBY: u8 = 5;
/// The first byte of a left lobby.
pub(crate) const OUTSIDE: u8 = 6;
/// The first byte of a ping.
pub(crate) const PING: u8 = 8;
/// The first byte of a pong.
pub(crate) const PONG: u8 = 9;

/// The state of one connection's stream.
#[derive(Debug, Default)]
pub(crate) struct Cutter {
    header: [u8; HEADER],
    /// The header bytes that have arrived.
    headed: usize,
    /// The body bytes still missing, once the header is complete.
    left: usize,
    first: Option<u8>,
}

impl Cutter {
    /// Consumes the bytes of one read. Calls `each` with the first byte of every body that ends in it.
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
