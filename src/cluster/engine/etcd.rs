//! A real etcd, 3.4 or newer. Every call has a deadline and asks one server; what may be asked twice is asked
//! of each server in turn until one answers. A transaction is run once: who asked knows what to do in doubt.

mod connection;
mod deadlines;
mod health;
mod options;
mod translate;
mod watching;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use etcd_client::{Client, Error};

use self::connection::{Connection, Whom};
use self::deadlines::{CALL_DEADLINE, KEEP_ALIVE_DEADLINE};
pub use self::health::{Healthy, SeenHealth, ServerHealth, check_one_cluster, health};
pub use self::options::{EtcdOptions, Login, Tls};
use self::translate::Namespace;
use self::watching::Watching;
use super::interface::whole_seconds;
use super::{
    Answer, Engine, EngineError, EngineMaker, Key, Lease, LeaseId, MAX_ANSWER, Page, Range, Revision, Txn,
    TxnReply, Watch, watch_channel,
};

/// The open files of a node for etcd. It has three ways there, each with a connection and, while it changes the server, some
/// that are not closed yet. Besides, it asks each server how it is, and the runtime of its journal takes some.
pub const ETCD_FILES: usize = 32;

/// A real etcd.
#[derive(Debug)]
pub struct Etcd {
    connection: Arc<Connection>,
    namespace: Namespace,
}

impl Etcd {
    /// An etcd that is reached like this. It is not asked yet.
    pub fn new(options: EtcdOptions) -> Self {
        Self::of_cluster(options, Arc::default())
    }

    /// Makes ways to one and the same etcd. A server of another cluster is asked nothing.
    pub fn maker(options: EtcdOptions) -> EngineMaker {
        let cluster = Arc::default();
        Arc::new(move || Arc::new(Self::of_cluster(options.clone(), Arc::clone(&cluster))))
    }

    fn of_cluster(options: EtcdOptions, cluster: Arc<OnceLock<u64>>) -> Self {
        let namespace = Namespace(options.namespace.clone());
        Self { connection: Arc::new(Connection::new(options, cluster)), namespace }
    }

    /// Asks one server of our cluster after the other until one answers, each once.
    async fn ask_each<T, F: Future<Output = Result<T, Error>>>(
        &self,
        deadline: Duration,
        call: impl Fn(Client) -> F,
    ) -> Result<T, EngineError> {
        self.ask_each_of(Whom::OurCluster, deadline, call).await
    }

    /// The same of these servers.
    async fn ask_each_of<T, F: Future<Output = Result<T, Error>>>(
        &self,
        whom: Whom,
        deadline: Duration,
        call: impl Fn(Client) -> F,
    ) -> Result<T, EngineError> {
        let mut answer = self.connection.ask(whom, deadline, &call).await;
        for _ in 1..self.connection.servers() {
            if !answer.as_ref().is_err_and(EngineError::is_in_doubt) {
                break;
            }
            answer = self.connection.ask(whom, deadline, &call).await;
        }
        answer
    }
}

impl Engine for Etcd {
    fn txn(&self, txn: Txn) -> Answer<'_, TxnReply> {
        Box::pin(async move {
            let txn = self.namespace.txn(&txn);
            let reply = self
                .connection
                .ask(Whom::OurCluster, CALL_DEADLINE, |client: Client| async move {
                    client.kv_client().max_decoding_message_size(MAX_ANSWER).txn(txn).await
                })
                .await?;
            Ok(self.namespace.reply(&reply))
        })
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            let (from, options) = (self.namespace.key(&range.from), self.namespace.range(&range));
            let get = |client: Client| {
                let (from, options) = (from.clone(), options.clone());
                let mut client = client.kv_client().max_decoding_message_size(MAX_ANSWER);
                async move { client.get(from, Some(options)).await }
            };
            Ok(self.namespace.page(&self.ask_each(CALL_DEADLINE, get).await?))
        })
    }

    fn count(&self, from: Key, to: Key) -> Answer<'_, u64> {
        Box::pin(async move {
            let (from, options) = (self.namespace.key(&from), self.namespace.count(&to));
            let get = |mut client: Client| {
                let (from, options) = (from.clone(), options.clone());
                async move { client.get(from, Some(options)).await }
            };
            let counted = self.ask_each(CALL_DEADLINE, get).await?;
            Ok(u64::try_from(counted.count()).unwrap_or_default())
        })
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        let (sender, watch) = watch_channel();
        let (connection, namespace) = (Arc::clone(&self.connection), self.namespace.clone());
        Box::pin(async move {
            tokio::spawn(Watching { connection, namespace, prefix, from, sender }.run());
            Ok(watch)
        })
    }

    fn grant(&self, ttl: Duration) -> Answer<'_, Lease> {
        Box::pin(async move {
            let seconds = i64::try_from(whole_seconds(ttl)).unwrap_or(i64::MAX);
            let grant = move |mut client: Client| async move { client.lease_grant(seconds, None).await };
            // One that was granted without an answer ends by itself.
            let granted = self.ask_each(CALL_DEADLINE, grant).await?;
            let ttl = Duration::from_secs(u64::try_from(granted.ttl()).unwrap_or_default());
            Ok(Lease { id: LeaseId(granted.id()), ttl })
        })
    }

    fn keep_alive(&self, lease: LeaseId) -> Answer<'_, ()> {
        Box::pin(async move {
            // Its answer comes before the stream is returned, which is not needed after it.
            let keep =
                move |mut client: Client| async move { client.lease_keep_alive(lease.0).await.map(drop) };
            match self.ask_each_of(Whom::AnyCluster, KEEP_ALIVE_DEADLINE, keep).await {
                // It may be a server of another cluster that says so.
                Err(EngineError::NoSuchLease) => self.ask_each(KEEP_ALIVE_DEADLINE, keep).await,
                kept => kept,
            }
        })
    }

    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        Box::pin(async move {
            let revoke =
                move |mut client: Client| async move { client.lease_revoke(lease.0).await.map(drop) };
            self.ask_each(CALL_DEADLINE, revoke).await
        })
    }

    fn whole_key(&self, key: &Key) -> String {
        Key::of(self.namespace.key(key)).to_string()
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::cluster::engine::certificates::{make_certificates, tls_of};
    use crate::cluster::engine::real::RealEtcd;
    use crate::cluster::engine::{Operation, only_forward};

    /// An address at which nobody listens, and one at which nobody says anything.
    async fn dead_and_silent() -> (String, String, TcpListener) {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let dead = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        (format!("http://{dead}"), format!("http://{}", silent.local_addr().unwrap()), silent)
    }

    #[tokio::test]
    async fn where_a_server_is_dead_or_silent_the_next_one_answers() {
        let Some(etcd) = RealEtcd::start("etcd with servers that do not answer").await else { return };
        let (dead, silent, _listener) = dead_and_silent().await;
        let endpoints = vec![dead, silent, etcd.address().to_owned()];
        let engine = Etcd::new(EtcdOptions { endpoints, ..EtcdOptions::default() });
        assert!(!engine.range(Range::key("a".into())).await.unwrap().has_more);
        let put = Txn { then: vec![Operation::put("a".into(), "1")], ..Txn::default() };
        assert!(engine.txn(put).await.unwrap().held);
    }

    #[tokio::test]
    async fn where_no_server_answers_that_is_said_in_bounded_time() {
        let (dead, silent, _listener) = dead_and_silent().await;
        let engine = Etcd::new(EtcdOptions { endpoints: vec![dead, silent], ..EtcdOptions::default() });
        for _ in 0..2 {
            let asked = tokio::time::timeout(CALL_DEADLINE * 6, engine.txn(Txn::default())).await;
            let error = asked.unwrap().unwrap_err();
            assert!(error.is_in_doubt(), "{error}");
            assert!(error.to_string().starts_with("etcd did not answer"), "{error}");
        }
    }

    #[tokio::test]
    async fn servers_of_two_clusters_are_not_taken_for_one() {
        let (one, other) = ("two clusters of etcd", "two clusters of etcd");
        let (Some(one), Some(other)) = (RealEtcd::start(one).await, RealEtcd::start(other).await) else {
            return;
        };
        let endpoints = vec![one.address().to_owned(), other.address().to_owned()];
        let options = EtcdOptions { endpoints, ..EtcdOptions::default() };
        let error = check_one_cluster(&options).await.unwrap_err().to_string();
        assert!(error.contains(other.address()) && error.contains("of another cluster"), "{error}");
        assert_eq!(check_one_cluster(&one.options("")).await, Ok(()));
        let maker = Etcd::maker(options);
        let engine = maker();
        assert!(engine.txn(Txn::default()).await.unwrap().held);
        let lease = engine.grant(Duration::from_mins(1)).await.unwrap().id;
        drop(one);
        // Its node is a member until its lease ends: the other cluster tells nothing of that.
        let put = || Txn { then: vec![Operation::put("a".into(), "1")], ..Txn::default() };
        for engine in [engine, maker()] {
            for _ in 0..4 {
                for error in [engine.txn(put()).await.err(), engine.keep_alive(lease).await.err()] {
                    assert!(error.as_ref().is_some_and(EngineError::is_in_doubt), "{error:?}");
                }
            }
        }
        assert_eq!(other.engine("").range(Range::key("a".into())).await.unwrap().found, []);
    }

    #[tokio::test]
    async fn where_all_servers_are_of_another_cluster_that_is_said() {
        let Some(etcd) = RealEtcd::start("an etcd that was made anew").await else { return };
        let endpoints = vec![etcd.address().to_owned(); 2];
        let before = Arc::new(OnceLock::from(1));
        let engine = Etcd::of_cluster(EtcdOptions { endpoints, ..EtcdOptions::default() }, before);
        let put = Txn { then: vec![Operation::put("a".into(), "1")], ..Txn::default() };
        let error = engine.txn(put).await.unwrap_err();
        assert!(error.is_of_another() && error.to_string().contains("of another cluster"), "{error}");
        assert_eq!(etcd.engine("").range(Range::key("a".into())).await.unwrap().found, []);
    }

    #[test]
    fn a_whole_key_has_the_namespace_also_behind_the_guard() {
        let options = EtcdOptions { namespace: "school/".into(), ..EtcdOptions::default() };
        let engine = only_forward(Etcd::maker(options))();
        assert_eq!(engine.whole_key(&"map".into()), "school/map");
    }

    #[tokio::test]
    async fn certificates_that_cannot_be_read_are_named() {
        let tls =
            Some(Tls { authority: b"no certificate".into(), identity: Some((b"a".into(), b"b".into())) });
        let endpoints = vec!["https://127.0.0.1:1".into()];
        let error = Etcd::new(EtcdOptions { endpoints, tls, ..EtcdOptions::default() });
        let error = error.txn(Txn::default()).await.unwrap_err();
        assert!(matches!(&error, EngineError::NotAllowed(_)), "{error}");
    }

    #[tokio::test]
    async fn a_watch_goes_on_after_etcd_has_crashed() {
        let Some(mut etcd) = RealEtcd::start("a watch over a crash of etcd").await else { return };
        let engine = etcd.engine("a");
        let put =
            |value: &'static str| Txn { then: vec![Operation::put("a".into(), value)], ..Txn::default() };
        let first = engine.txn(put("1")).await.unwrap().revision;
        let mut watch = engine.watch("a".into(), first).await.unwrap();
        assert_eq!(watch.next().await.unwrap().revision, first);
        etcd.crash_and_restart().await;
        let second = etcd.engine("a").txn(put("2")).await.unwrap().revision;
        assert_eq!(watch.next().await.unwrap().revision, second);
        let third = loop {
            // The connection from before the crash is found to be lost.
            if let Ok(reply) = engine.txn(put("3")).await {
                break reply.revision;
            }
        };
        assert_eq!(watch.next().await.unwrap().revision, third);
    }

    #[tokio::test]
    async fn who_has_the_wrong_password_is_told_so() {
        let Some(etcd) = RealEtcd::start("a password of etcd").await else { return };
        etcd.require_login("root", "right").await;
        let with = |login| Etcd::new(EtcdOptions { login, ..etcd.options("a") });
        let login = |password: &str| Some(Login { user: "root".into(), password: password.into() });
        let put = || Txn { then: vec![Operation::put("a".into(), "1")], ..Txn::default() };
        assert!(with(login("right")).txn(put()).await.unwrap().held);
        for wrong in [login("wrong"), None] {
            let error = with(wrong).txn(put()).await.unwrap_err();
            assert!(matches!(&error, EngineError::NotAllowed(_)), "{error}");
            assert!(error.to_string().contains("check the user, the password"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_lease_is_kept_alive_without_a_read_for_which_a_slow_disk_would_be_waited() {
        let Some(etcd) = RealEtcd::start("a lease without a read").await else { return };
        let lease = etcd.engine("a").grant(Duration::from_mins(1)).await.unwrap().id;
        etcd.add_user_who_may_not_read("guest", "secret").await;
        etcd.require_login("root", "right").await;
        let login = Some(Login { user: "guest".into(), password: "secret".into() });
        let engine = Etcd::new(EtcdOptions { login, ..etcd.options("a") });
        let error = engine.range(Range::key("a".into())).await.unwrap_err();
        assert!(matches!(&error, EngineError::NotAllowed(_)), "{error}");
        engine.keep_alive(lease).await.unwrap();
    }

    #[tokio::test]
    async fn etcd_is_reached_by_tls_and_only_with_the_right_certificates() {
        let Some(etcd) = RealEtcd::start_with_tls("etcd by TLS").await else { return };
        assert!(etcd.engine("a").txn(Txn::default()).await.unwrap().held);
        let other = tempfile::tempdir().unwrap();
        make_certificates(other.path()).unwrap();
        let wrong = Etcd::new(EtcdOptions { tls: tls_of(other.path()), ..etcd.options("a") });
        let error = wrong.txn(Txn::default()).await.unwrap_err();
        assert!(error.to_string().contains("certificate"), "{error}");
        let authority = etcd.options("a").tls.unwrap().authority;
        let nobody = EtcdOptions { tls: Some(Tls { authority, identity: None }), ..etcd.options("a") };
        assert!(Etcd::new(nobody).txn(Txn::default()).await.is_err());
    }
}
