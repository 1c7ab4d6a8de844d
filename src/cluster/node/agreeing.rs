//! What all nodes have to agree on: the format that they write, and whether they speak TLS with each other.
//!
//! The key `format` has the format that is written. A node sets it in the transaction with which it joins, and the
//! others raise it once the nodes are gone that were too old for more. Each compares that nobody has set it meanwhile,
//! so no node joins that could not read what is written then.

use super::error::JoinError;
use super::living::Living;
use super::membership::Membership;
use super::writing::WriteError;
use crate::cluster::about::About;
use crate::cluster::engine::{Compare, Engine, EngineError, Operation, Range, Revision, Txn};
use crate::cluster::format::Format;
use crate::cluster::keys::{self, NodeName};

/// The format that is written, as it lies in etcd.
#[derive(Debug)]
pub(super) struct Agreed {
    format: Format,
    changed: Option<Revision>,
}

impl Agreed {
    /// Reads it. Before the first node joins it is the first format.
    pub(super) async fn read(engine: &dyn Engine) -> Result<Result<Self, JoinError>, EngineError> {
        let page = engine.range(Range::key(keys::FORMAT.into())).await?;
        let Some(found) = page.found.first() else {
            return Ok(Ok(Self { format: Format::FIRST, changed: None }));
        };
        let damaged = |why| JoinError::DamagedFormat { key: engine.whole_key(&found.key), why };
        let format = Format::read(&found.value).map_err(damaged);
        Ok(format.map(|format| Self { format, changed: Some(found.changed) }))
    }

    /// The comparison that nobody has set it since.
    pub(super) fn unchanged(&self) -> Compare {
        match self.changed {
            Some(changed) => Compare::ChangedAt(keys::FORMAT.into(), changed),
            None => Compare::Absent(keys::FORMAT.into()),
        }
    }

    /// What the others and a node that joins as `name` and says this of itself write together.
    ///
    /// # Errors
    ///
    /// If they do not go together.
    pub(super) fn with(&self, name: &NodeName, about: &About, living: &Living) -> Result<Format, JoinError> {
        let (oldest, newest) = about.formats;
        if newest < self.format {
            return Err(JoinError::TooOld { written: self.format, newest });
        }
        let mut format = newest;
        // An earlier life of the same name has to end before.
        for (other, value) in living.nodes.values().filter(|(other, _)| other != name) {
            let Ok(there) = About::read(value) else {
                // Whatever it is, it can write what is written.
                format = self.format;
                continue;
            };
            if there.formats.1 < oldest {
                let node = other.clone();
                return Err(JoinError::TooNew { node, newest: there.formats.1, oldest });
            }
            if there.tls != about.tls {
                let node = other.clone();
                return Err(if there.tls { JoinError::NeedsTls(node) } else { JoinError::NoTls(node) });
            }
            format = format.min(there.formats.1);
        }
        Ok(format.max(self.format))
    }
}

/// Sets the format.
pub(super) fn put(format: Format) -> Operation {
    Operation::put(keys::FORMAT.into(), format.to_string().into_bytes())
}

/// What is wrong with the key of the format where nodes have joined; nothing if it is sound.
pub async fn check_format(engine: &dyn Engine) -> Result<Option<String>, EngineError> {
    let (key, newest) = (engine.whole_key(&keys::FORMAT.into()), Format::WRITTEN.1);
    Ok(match Agreed::read(engine).await? {
        Ok(Agreed { changed: None, .. }) => {
            Some(JoinError::DamagedFormat { key, why: "it is missing".into() }.to_string())
        }
        Ok(Agreed { format, .. }) if Format::known(format.number()).is_none() => Some(format!(
            "the key `{key}` in etcd says that nodes write format {format}, and this release knows formats up to {newest}: \
             check with the release of the nodes; if that says the same, put the newest format there that the releases of all \
             nodes know, with `etcdctl put {key} NUMBER`"
        )),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    })
}

impl Membership {
    /// Learns which format is written by now, and raises it if all living nodes can write a newer one.
    ///
    /// # Errors
    ///
    /// If this node is no member any more, or etcd does not answer.
    pub async fn raise_format(&self, engine: &dyn Engine) -> Result<(), WriteError> {
        loop {
            let agreed = match Agreed::read(engine).await? {
                Ok(agreed) => agreed,
                Err(error) => {
                    tracing::error!("{error}");
                    return Ok(());
                }
            };
            self.note_format(agreed.format);
            let living = Living::read(engine).await?;
            // A node of which nothing can be read may be old.
            let newest = |value| About::read(value).map_or(agreed.format, |about| about.formats.1);
            let newest = living.nodes.values().map(|(_, value)| newest(value)).min();
            let Some(newest) = newest.filter(|newest| *newest > agreed.format) else { return Ok(()) };
            let (compares, then) = (vec![agreed.unchanged()], vec![put(newest)]);
            if self.write(engine, Txn { compares, then, ..Txn::default() }).await?.held {
                self.note_format(newest);
                tracing::info!("all nodes write format {newest} from now on");
                return Ok(());
            }
        }
    }
}
