//! The secret that all nodes of a cluster share, by which they know each other. Programs that can
//! read etcd are trusted.

use std::fmt;

use bytes::Bytes;

use crate::cluster::checked;
use crate::cluster::engine::{Compare, Engine, EngineError, KeyValue, Operation, Range, Txn};
use crate::cluster::format::Format;
use crate::cluster::keys;
use crate::wire::random_bytes;

/// Why there is no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// etcd does not do what was asked.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The value is no secret.
    #[error(
        "the secret of the nodes in etcd, the key `{key}`, is damaged: {why}; stop all nodes, type `etcdctl del {key}`, and \
         start them: they make a new one"
    )]
    Damaged {
        /// The key with the namespace before it.
        key: String,
        /// What is wrong, as the end of a sentence.
        why: String,
    },
}

/// 256 random bits that all nodes of a cluster share. They appear in no log.
#[derive(Clone)]
pub struct SharedSecret([u8; 32]);

impl SharedSecret {
    /// The secret with these bits.
    pub const fn of(bits: [u8; 32]) -> Self {
        Self(bits)
    }

    /// The bits.
    pub(super) fn bits(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads the secret of this cluster. Where there is none, makes one; nodes that do so at the same time all
    /// get the same one.
    pub async fn read_or_create(engine: &dyn Engine) -> Result<Self, SecretError> {
        let made = Self(random_bytes());
        let key = || keys::SECRET.into();
        let txn = Txn {
            compares: vec![Compare::Absent(key())],
            then: vec![Operation::put(key(), made.value())],
            otherwise: vec![Operation::get(key())],
        };
        let reply = match engine.txn(txn.clone()).await {
            // Whatever has become of the first one, the same again finds or makes the secret.
            Err(error) if error.is_in_doubt() => engine.txn(txn).await?,
            reply => reply?,
        };
        match reply.found_key(0) {
            None => Ok(made),
            Some(found) => Self::of_key(engine, found),
        }
    }

    /// Reads the secret of this cluster, if it has one.
    pub async fn read_existing(engine: &dyn Engine) -> Result<Option<Self>, SecretError> {
        let page = engine.range(Range::key(keys::SECRET.into())).await?;
        page.found.first().map(|found| Self::of_key(engine, found)).transpose()
    }

    /// The secret of this key.
    fn of_key(engine: &dyn Engine, found: &KeyValue) -> Result<Self, SecretError> {
        let damaged = |why| SecretError::Damaged { key: engine.whole_key(&found.key), why };
        Self::read(&found.value).map_err(damaged)
    }

    fn value(&self) -> Bytes {
        checked::finish(Format::FIRST, [&[0; checked::HEADER][..], &self.0].concat())
    }

    fn read(value: &[u8]) -> Result<Self, String> {
        let content = checked::content(value)?;
        content.try_into().map(Self).map_err(|_| format!("it has {} bytes, not 32", content.len()))
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryEtcd};

    async fn put(engine: &dyn Engine, value: Bytes) {
        let then = vec![Operation::put(keys::SECRET.into(), value)];
        engine.txn(Txn { then, ..Txn::default() }).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_that_start_at_once_end_with_the_same_secret() {
        let etcd = MemoryEtcd::default();
        let clients = [(); 3].map(|()| etcd.client());
        let secrets = futures_util::future::join_all(
            clients.iter().map(|client| SharedSecret::read_or_create(&**client)),
        );
        let secrets: Vec<_> = secrets.await.into_iter().map(|secret| secret.unwrap().0).collect();
        assert_eq!([secrets[1], secrets[2]], [secrets[0]; 2]);
        let other = SharedSecret::read_or_create(&*MemoryEtcd::default().client()).await.unwrap();
        assert_ne!(other.0, secrets[0], "each cluster has its own");
    }

    #[tokio::test(start_paused = true)]
    async fn a_secret_is_agreed_on_although_the_reply_was_lost() {
        for fate in [Fate::Run, Fate::Lost, Fate::RunLater(DEADLINE * 2)] {
            let etcd = MemoryEtcd::default();
            let client = etcd.client();
            client.lose_reply(fate);
            let secret = SharedSecret::read_or_create(&*client).await.unwrap();
            tokio::time::sleep(DEADLINE * 3).await;
            let again = SharedSecret::read_or_create(&*client).await.unwrap();
            assert_eq!(again.0, secret.0, "{fate:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_damaged_secret_is_said_and_never_used() {
        let client = MemoryEtcd::default().client();
        let value = SharedSecret::of([7; 32]).value();
        let short = checked::finish(Format::FIRST, vec![0; checked::HEADER + 31]);
        let mut flipped = value.to_vec();
        flipped[20] ^= 1;
        for damaged in [Bytes::new(), value.slice(..20), short, flipped.into()] {
            put(&*client, damaged).await;
            let error = SharedSecret::read_or_create(&*client).await.unwrap_err();
            assert!(error.to_string().contains("`etcdctl del nim/secret`"), "{error}");
        }
        put(&*client, value).await;
        assert_eq!(SharedSecret::read_or_create(&*client).await.unwrap().0, [7; 32]);
    }

    #[test]
    fn a_secret_stands_in_no_log() {
        assert_eq!(format!("{:?}", SharedSecret::of([0xab; 32])), "SharedSecret(…)");
    }
}
