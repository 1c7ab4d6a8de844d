//! Orders of the hosts of several nodes.

use std::sync::Arc;

use parking_lot::Mutex;
use proptest::prelude::proptest;

use super::{LIES_FOR, Orders, WAIT, carry_out_orders, text, value};
use crate::cluster::about::About;
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::engine::{Engine, Key, Operation, Range, Txn};
use crate::cluster::keys;
use crate::cluster::node::{LEASE, Living, Node};
use crate::cluster::places::Places;
use crate::server::PeerAnswer;

struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    places: Arc<Places>,
    orders: Orders,
    acts: Arc<Mutex<Vec<String>>>,
}

impl Member {
    async fn join(etcd: &MemoryEtcd, name: &str) -> Self {
        let (client, places) = (etcd.client(), Arc::<Places>::default());
        let about = About::new("10.0.0.1:7650".parse().unwrap(), None, "attic");
        let node = Node::join(client.clone(), &name.parse().unwrap(), &about, LEASE * 60).await.unwrap();
        let orders = Orders::new(client.clone(), node.membership().clone(), Arc::clone(&places));
        let acts = Arc::<Mutex<Vec<String>>>::default();
        let (acted, said) = (Arc::clone(&acts), format!("done by {name}"));
        let act = move |order| {
            acted.lock().push(order);
            std::future::ready(Some(said.clone()))
        };
        tokio::spawn(carry_out_orders(client.clone(), node.membership().clone(), act));
        Self { client, node, places, orders, acts }
    }

    async fn pass_on(&self, order: &str) -> Result<Vec<(String, Option<String>)>, String> {
        self.places.set_nodes(&Living::read(&*self.client).await.unwrap());
        let answers = self.orders.pass_on(order).await?;
        Ok(answers.into_iter().map(|PeerAnswer { server, said }| (server, said)).collect())
    }

    fn acts(&self) -> Vec<String> {
        self.acts.lock().clone()
    }
}

fn answered(name: &str) -> (String, Option<String>) {
    (format!("node {name}"), Some(format!("done by {name}")))
}

/// How many keys of orders there are.
async fn left(client: &MemoryClient) -> usize {
    client.range(Range::prefix(&Key::from(keys::ORDERS), 100)).await.unwrap().found.len()
}

#[tokio::test(start_paused = true)]
async fn every_other_node_carries_an_order_out_once_and_answers() {
    let etcd = MemoryEtcd::default();
    let one = Member::join(&etcd, "a").await;
    assert_eq!(one.pass_on("alone").await, Ok(vec![]));
    let (other, third) = (Member::join(&etcd, "b").await, Member::join(&etcd, "c").await);
    assert_eq!(one.pass_on("first").await, Ok(vec![answered("b"), answered("c")]));
    assert_eq!(left(&one.client).await, 0, "nothing of it is left");
    assert_eq!(other.pass_on("second").await, Ok(vec![answered("a"), answered("c")]));
    tokio::time::sleep(LIES_FOR).await;
    assert_eq!((one.acts(), other.acts()), (vec!["second".into()], vec!["first".into()]));
    assert_eq!(third.acts(), ["first", "second"]);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_was_cut_off_carries_it_out_later_and_one_that_joins_later_does_not() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    tokio::time::sleep(LEASE).await;
    other.client.cut_off();
    assert_eq!(one.pass_on("order").await, Ok(vec![("node b".into(), None)]));
    let late = Member::join(&etcd, "c").await;
    other.client.heal();
    tokio::time::sleep(WAIT).await;
    assert_eq!(other.acts(), ["order"]);
    assert_eq!(late.acts(), [""; 0]);
    tokio::time::sleep(LIES_FOR).await;
    assert_eq!(left(&one.client).await, 0);
}

#[tokio::test(start_paused = true)]
async fn an_order_is_carried_out_once_although_the_reply_was_lost() {
    for fate in [Fate::Run, Fate::Lost, Fate::RunLater(DEADLINE / 2), Fate::RunLater(DEADLINE * 2)] {
        let etcd = MemoryEtcd::default();
        let (one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
        tokio::time::sleep(LEASE).await;
        one.client.lose_reply(fate);
        assert_eq!(one.pass_on("order").await, Ok(vec![answered("b")]), "{fate:?}");
        tokio::time::sleep(LIES_FOR).await;
        assert_eq!(other.acts(), ["order"], "{fate:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_does_not_reach_the_others_or_is_no_member_is_told_so() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    one.places.set_nodes(&Living::read(&*one.client).await.unwrap());
    one.client.cut_off();
    assert!(one.orders.pass_on("order").await.unwrap_err().contains("did not answer"));
    one.client.heal();
    let Member { client, node, orders, .. } = one;
    node.leave().await.unwrap();
    assert_eq!(orders.pass_on("order").await, Err("they have taken over from this node".into()));
    assert!(other.acts().is_empty());
    assert!(orders.pass_on(&"x".repeat(9_000)).await.is_err());
    // Damage is not carried out, and what comes later is.
    for damaged in [true, false] {
        let key = keys::order(keys::Epoch(etcd.revision()), 1);
        let value = if damaged { "nonsense".into() } else { value("sound") };
        client.txn(Txn { then: vec![Operation::put(key, value)], ..Txn::default() }).await.unwrap();
    }
    tokio::time::sleep(WAIT).await;
    assert_eq!(other.acts(), ["sound"]);
}

proptest! {
    #[test]
    fn any_bytes_are_refused(bytes: Vec<u8>) {
        assert!(text(&bytes).is_err());
    }
}
