//! What hosts see of a cluster, and what they do to it.

use std::net::SocketAddr;
use std::time::Duration;

use nim::cluster::map::read_map_and_living;
use nim::lobby::{Cause, ClockRule, Code, Text};
use nim::wire::{
    BotWish, ClientKind, Farewell, Greeting, HallRequest, Magic, NewLobby, Refusal, Ticket, ToClient,
    ToServer, VERSION, decode, encode,
};
use rustix::process::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{TestClient, join, pair_at, terms};
use crate::programs::Cluster;

/// What happens in its own time gets so much of it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client that reads frames.
struct Client(TcpStream);

impl Client {
    async fn connect(address: SocketAddr, name: &str) -> Self {
        let mut client = Self(TcpStream::connect(address).await.expect("the node listens"));
        let (version, kind) = (VERSION.into(), ClientKind::Person);
        client.say(ToServer::Hello(Greeting { magic: Magic, version, name: Text::cut(name), kind })).await;
        client
    }

    async fn say(&mut self, message: ToServer) {
        self.0.write_all(&encode(&message)).await.expect("it is sent");
    }

    async fn hear(&mut self) -> ToClient {
        let body = async {
            let length = self.0.read_u32().await.expect("a frame");
            let mut body = vec![0; usize::try_from(length).expect("it is short")];
            self.0.read_exact(&mut body).await.expect("a whole frame");
            body
        };
        let body = timeout(PATIENCE, body).await.expect("it is told in time");
        decode(&body).expect("it is a message")
    }

    /// The first message of which something is wanted.
    async fn until<T>(&mut self, mut wanted: impl FnMut(&ToClient) -> Option<T>) -> T {
        loop {
            let heard = self.hear().await;
            assert!(!matches!(heard, ToClient::Refused { .. }), "{heard:?}");
            if let Some(found) = wanted(&heard) {
                return found;
            }
        }
    }

    async fn enter(&mut self, request: HallRequest) -> Code {
        self.say(ToServer::Hall { id: 1, request }).await;
        self.until(|heard| match heard {
            ToClient::Entered { lobby, .. } => Some(lobby.code),
            _ => None,
        })
        .await
    }

    /// How often it hears these words until it hears the others.
    async fn times(&mut self, words: &str, last: &str) -> usize {
        let mut times = 0;
        self.until(|heard| {
            let ToClient::HostSaid { words: said } = heard else { return None };
            times += usize::from(said.as_str() == words);
            (said.as_str() == last).then_some(())
        })
        .await;
        times
    }
}

/// Waits until the status has all of these texts. Returns its exit code.
async fn status_with(cluster: &Cluster, lines: &[&str]) -> i32 {
    let url = cluster.url();
    let mut last = String::new();
    let has_all = async {
        loop {
            let (code, said) = cluster.command(&["status", "--cluster", &url]).await;
            if lines.iter().all(|line| said.contains(line)) {
                return code;
            }
            last = said;
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    let found = timeout(PATIENCE, has_all).await;
    found.unwrap_or_else(|_| panic!("{lines:?} are not in\n{last}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_sees_the_whole_cluster_and_acts_at_all_nodes() {
    let Some(mut cluster) = Cluster::start(2).await else { return };
    let url = cluster.url();
    // Who is in a lobby that moves would have to come back.
    let at_rest = ["nodes: 2\n", "; 128 slots, ", "slots that are being taken over: 0\n"];
    assert_eq!(status_with(&cluster, &at_rest).await, 0);
    let mut anna = Client::connect(cluster.addresses[0], "anna").await;
    let mut ben = Client::connect(cluster.addresses[1], "ben").await;
    let wish = NewLobby { bot: BotWish::PeopleOnly, ..terms("tic-tac-toe") };
    let code = anna.enter(HallRequest::Create(wish)).await;
    let (text, seat) = (Text::cut(&code.to_string()), Ticket::random().hash());
    ben.enter(HallRequest::Join { code: text, password: None, seat }).await;
    let lines = [
        "nodes: 2\n",
        "connections: 2\n",
        "lobbies: 1\n",
        "games being played: 1\n",
        "slots without a living node: 0\n",
    ];
    assert_eq!(status_with(&cluster, &lines).await, 0);
    let (exit, said) = cluster.command(&["check", "--cluster", &url]).await;
    assert!(exit == 0 && said.starts_with("sound: 1 lobby, 1 of them open"), "{exit}: {said}");
    let (exit, said) = cluster.admin("A", &["say", "we stop"]).await;
    assert_eq!((exit, &*said), (0, "sent to 1 connection; node B: sent to 1 connection."));
    cluster.admin("B", &["say", "at noon"]).await;
    for client in [&mut anna, &mut ben] {
        assert_eq!(client.times("we stop", "at noon").await, 1, "who is carried is told once");
    }
    let (_, said) = cluster.admin("B", &["who"]).await;
    assert!(said.contains("this node alone"), "{said}");
    let (exit, said) = cluster.admin("B", &["close", &code.to_string()]).await;
    assert!(exit == 0 && said.contains(&format!("closed the lobby {code}")), "{exit}: {said}");
    let goodbye = |heard: &ToClient| match heard {
        ToClient::Goodbye(farewell) => Some(farewell.clone()),
        _ => None,
    };
    assert_eq!(anna.until(goodbye).await, Farewell::LobbyClosed);
    assert_eq!(ben.until(goodbye).await, Farewell::LobbyClosed);
    let (exit, said) = cluster.admin("B", &["close", "brave-otter-7"]).await;
    assert!(exit == 1 && said.contains("no lobby has this code"), "{exit}: {said}");
    ban_while_cut_off(&cluster).await;
    let taken_before = taken(&cluster);
    cluster.nodes[1].kill();
    let alone = ["nodes: 1\n", "; 256 slots, ", "slots without a living node: 0\n"];
    assert_eq!(status_with(&cluster, &alone).await, 0);
    assert_eq!(taken(&cluster), taken_before + 1, "{}", cluster.log(0));
    cluster.start_node(1).await;
    cluster.until_settled().await;
    all_drain(&mut cluster).await;
    cluster.etcds.iter_mut().for_each(crate::programs::Program::kill);
    for command in ["status", "check"] {
        let (exit, said) = cluster.command(&[command, "--cluster", &url]).await;
        assert!(exit == 1 && said.contains("etcd did not answer"), "{exit}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_hangs_for_less_than_its_lease_keeps_its_lobbies() {
    let Some(cluster) = Cluster::start_with(2, &["--no-web"]).await else { return };
    cluster.until_settled().await;
    let shared_out = async || {
        let (stored, living) = read_map_and_living(&cluster.engine()).await.expect("etcd answers");
        (stored.map, living.nodes.into_keys().collect::<Vec<_>>())
    };
    let before = shared_out().await;
    cluster.nodes[0].signal(Signal::STOP);
    // How long it hangs is what is tested: with a lease of a second the other node has its lobbies by then.
    tokio::time::sleep(Duration::from_secs(4)).await;
    cluster.nodes[0].signal(Signal::CONT);
    let mut anna = TestClient::at(cluster.addresses[0], "anna").await;
    anna.create("java-tech:21").await;
    assert_eq!(shared_out().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_in_which_nobody_moves_stands_still_too_while_etcd_is_silent() {
    let Some(cluster) = Cluster::start_with(1, &["--no-web"]).await else { return };
    let clock = ClockRule::Move(5_000);
    let (mut anna, mut ben) =
        pair_at(cluster.addresses[0], NewLobby { clock, ..terms("java-tech:21") }).await;
    let signal = |signal| cluster.etcds.iter().for_each(|etcd| etcd.signal(signal));
    let halted = |heard: &ToClient| match heard {
        ToClient::Halted { why, .. } => Some(why.is_some()),
        _ => None,
    };
    signal(Signal::STOP);
    for player in [&mut anna, &mut ben] {
        assert!(player.until(halted).await, "they are told");
    }
    // How long etcd is silent is what is tested: longer than who is to move may think.
    tokio::time::sleep(Duration::from_secs(6)).await;
    signal(Signal::CONT);
    for player in [&mut anna, &mut ben] {
        assert!(!player.until(halted).await, "it goes on");
    }
    anna.resigns().await;
    let result = ben.result().await;
    assert_eq!(result.cause, Cause::Resigned);
}

/// How often the log of the first node says that the second one has died, and that it has the slots of that.
fn taken(cluster: &Cluster) -> usize {
    let line = r#"shared out the slots that no living node had node=A dead=B heirs="A 128""#;
    cluster.log(0).matches(line).count()
}

/// Waits for something.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let waits = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, waits).await.unwrap_or_else(|_| panic!("{what}"));
}

/// A node that is cut off from etcd until the other one has taken over bans an address. The other one knows of it once the
/// node has joined anew.
async fn ban_while_cut_off(cluster: &Cluster) {
    if std::env::var_os("NIM_CLUSTER_HUB").is_none() {
        return eprintln!(
            "\n== NOT CHECKED: a ban at a node that is cut off, since the test has no network namespace"
        );
    }
    cluster.nodes[1].place.cut(&cluster.etcd_addresses());
    let banned = "192.0.2.7 is banned until that is lifted";
    let (exit, said) = cluster.admin("B", &["ban", "192.0.2.7"]).await;
    assert_eq!((exit, said), (0, format!("{banned}; the other nodes do not know of it yet.")));
    until("the slots of a node that is cut off are taken over", async || taken(cluster) == 1).await;
    assert!(!cluster.admin("A", &["who"]).await.1.contains(banned));
    cluster.nodes[1].place.heal();
    until("the ban is known once the node is back", async || {
        cluster.admin("A", &["who"]).await.1.contains(banned)
    })
    .await;
    assert!(cluster.log(1).contains("it joins anew"), "{}", cluster.log(1));
    cluster.until_settled().await;
}

/// All nodes drain: each stops once no game is being played at it, and gives the rest to those that still run.
async fn all_drain(cluster: &mut Cluster) {
    let [a, b] = [cluster.addresses[0], cluster.addresses[1]];
    let for_people = || NewLobby { bot: BotWish::PeopleOnly, ..terms("java-tech:21") };
    let (mut anna, mut ben) = (TestClient::at(a, "anna").await, TestClient::at(b, "ben").await);
    let played = anna.create_on(for_people()).await;
    ben.join(played).await;
    anna.until_playing().await;
    let open = TestClient::at(b, "cleo").await.create_on(for_people()).await;
    let mut dora = TestClient::at(a, "dora").await;
    let drain = ["drain", "--all"];
    let (exit, said) = cluster.admin("B", &drain).await;
    let (none, one) = (
        "no game is being played: the server stops now",
        "no new games begin; the server stops after the one that is being played",
    );
    assert_eq!((exit, said), (0, format!("{none}; node A: {one}.")));
    let none_begins = async |client: &mut TestClient| {
        for variant in ["nim:3-4-5", "nim:3-4-6", "nim:3-4-7", "nim:3-4-8", "nim:3-4-9"] {
            let quick = HallRequest::Quick(terms(variant));
            assert_eq!(client.refused_in_hall(quick).await, Refusal::Draining, "{variant}");
        }
    };
    none_begins(&mut dora).await;
    cluster.nodes[1].wait();
    assert!(cluster.log(1).contains("ms node=B to=A slots=8 lobbies=1"), "{}", cluster.log(1));
    // One that starts meanwhile finds that the other one drains.
    cluster.start_node(1).await;
    cluster.nodes[1].wait();
    assert!(cluster.log(1).contains("other nodes drain"), "{}", cluster.log(1));
    none_begins(&mut dora).await;
    assert_eq!(dora.refused_in_hall(join(open)).await, Refusal::Draining);
    dora.watch(open).await;
    let (mut ben, _) = ben.reconnects(a).await;
    ben.returns().await;
    ben.resigns().await;
    cluster.nodes[0].wait();
    // What is open waits in etcd.
    let (exit, said) = cluster.command(&["check", "--cluster", &cluster.url()]).await;
    assert!(exit == 0 && said.starts_with("sound: "), "{exit}: {said}");
    cluster.start_node(0).await;
    TestClient::at(a, "anna").await.watch(open).await;
}
