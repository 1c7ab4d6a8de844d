//! Requests at an even pace, many times as fast as allowed: from one connection, and from many of one address.
//! Everything is in memory, and time passes only while nobody has anything to do.

use std::net::IpAddr;
use std::time::Duration;

use bytes::BytesMut;
use nim::server::Config;
use nim::wire::{HallRequest, ToClient, ToServer, decode, encode, next_body};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use crate::bodies::memory_server::{ClientEnd, MemoryServer, run, settle};
use crate::harness::hello;
use crate::storage::memory::Memory;

/// Requests a second that one address may make.
const ALLOWED: u32 = 400;

/// The pace: this many requests in each step, which is three times as fast as allowed.
const STEP: Duration = Duration::from_millis(5);
const EACH_STEP: usize = 6;

/// How long the clients go on, or longer where the server reads so slowly that they cannot send.
const TIME: Duration = Duration::from_secs(10);

const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

/// Whether a message is an answer to the requests.
type Wanted = fn(&ToClient) -> bool;

/// A connection that counts its answers.
struct Asker {
    line: ClientEnd,
    inbox: BytesMut,
    answers: u32,
}

impl Asker {
    async fn greet(server: &MemoryServer, number: usize) -> Self {
        let mut line = server.connect(ADDRESS);
        line.send(&encode(&hello(&format!("asker {number}")))).await;
        Self { line, inbox: BytesMut::new(), answers: 0 }
    }

    /// What has come.
    fn messages(&mut self) -> Vec<ToClient> {
        self.inbox.extend_from_slice(&self.line.take_received());
        std::iter::from_fn(|| next_body(&mut self.inbox).unwrap())
            .map(|body| decode(&body).unwrap())
            .collect()
    }

    /// Reads what has come, and counts what `is_answer` accepts.
    fn read(&mut self, is_answer: Wanted) {
        let answers = self.messages().iter().filter(|message| is_answer(message)).count();
        self.answers += u32::try_from(answers).unwrap();
    }
}

/// How many of these requests are answered over this number of connections, and in how many seconds.
async fn answered(request: &ToServer, connections: usize, is_answer: Wanted) -> (u32, u32) {
    let config = Config {
        max_requests_each: ALLOWED,
        max_hellos_each: u32::MAX,
        max_connections_each: connections,
        ..Config::default()
    };
    let mut server = MemoryServer::open_with(&Memory::default(), &config);
    let mut askers = Vec::new();
    for number in 0..connections {
        askers.push(Asker::greet(&server, number).await);
    }
    settle().await;
    let (frame, mut next) = (encode(request), 0);
    let (began, mut steps) = (Instant::now(), interval(STEP));
    steps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while began.elapsed() < TIME {
        steps.tick().await;
        for _ in 0..EACH_STEP {
            askers[next % connections].line.send(&frame).await;
            next += 1;
        }
    }
    for asker in &mut askers {
        asker.read(is_answer);
    }
    let seconds = u32::try_from(began.elapsed().as_secs() + 1).unwrap();
    server.close().await;
    (askers.iter().map(|asker| asker.answers).sum(), seconds)
}

#[test]
fn a_client_that_waits_while_it_is_not_read_is_not_silent() {
    run(async {
        let config = Config { max_requests_each: 1, ..Config::default() };
        let mut server = MemoryServer::open_with(&Memory::default(), &config);
        let mut asker = Asker::greet(&server, 0).await;
        // The list costs 50, so the pings are answered half a minute apart. The client waits for all answers.
        let look = encode(&ToServer::Hall { id: 1, request: HallRequest::Look });
        let pings: Vec<u8> = (1..=3).flat_map(|number| encode(&ToServer::Ping(number)).to_vec()).collect();
        asker.line.send(&[&look[..], &pings].concat()).await;
        let (mut answered_pings, mut is_pinged) = (0, false);
        for _ in 0..150 {
            sleep(Duration::from_secs(1)).await;
            for message in asker.messages() {
                match message {
                    ToClient::Pong(_) => answered_pings += 1,
                    ToClient::Ping(number) => {
                        is_pinged = true;
                        asker.line.send(&encode(&ToServer::Pong(number))).await;
                    }
                    ToClient::Goodbye(word) => panic!("after {answered_pings} answers: {word:?}"),
                    _ => {}
                }
            }
        }
        assert_eq!((answered_pings, is_pinged), (3, true));
        server.close().await;
    });
}

#[test]
fn an_address_whose_requests_come_at_an_even_pace_gets_its_rate_and_no_more() {
    let is_pong = |message: &ToClient| matches!(message, ToClient::Pong(_));
    let is_list = |message: &ToClient| matches!(message, ToClient::Hall(_));
    let look = ToServer::Hall { id: 1, request: HallRequest::Look };
    let cases: [(ToServer, u32, Wanted); 2] = [(ToServer::Ping(1), 1, is_pong), (look, 50, is_list)];
    for (request, price, is_answer) in cases {
        for connections in [1, 3, 50, 600] {
            run(async {
                let (answers, seconds) = answered(&request, connections, is_answer).await;
                // As many at once as in a second, and a debt of a second or of one request of each connection.
                let debt = (ALLOWED / price + 1).max(u32::try_from(connections).unwrap());
                let most = (seconds + 1) * ALLOWED / price + debt;
                let least = seconds * ALLOWED / price * 8 / 10;
                let what = format!("{answers} of {request:?} over {connections} connections in {seconds} s");
                assert!((least..=most).contains(&answers), "{what}, not {least} to {most}");
            });
        }
    }
}
