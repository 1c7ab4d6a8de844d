//! Discovery of hosts: the real programs, each in its own network namespace, or on the loopback if there are
//! no namespaces; and hostile announcements.

mod choosing;
mod garbage;
mod hosting;

use nim::client::json::listed::FoundHost;
use nim::lan::{Browser, Change, Host};
use tokio::sync::mpsc::unbounded_channel;

use crate::harness::{Machine, TestLan, campaign, within};

/// The hosts that the client program lists on this machine.
async fn listed(machine: &Machine, wait: &str) -> Vec<FoundHost> {
    let ended = machine.client(&["hosts", "--json", "--wait", wait]).finish().await;
    let expected = if ended.stdout.is_empty() { Some(14) } else { Some(0) };
    assert!(ended.code == expected && (ended.code == Some(14) || ended.stderr.is_empty()), "{ended:?}");
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Lists the hosts repeatedly, until they are as `wanted`.
async fn listed_until(machine: &Machine, wanted: impl Fn(&[FoundHost]) -> bool) -> Vec<FoundHost> {
    within("the list of hosts to be right", async {
        loop {
            let hosts = listed(machine, "500ms").await;
            if wanted(&hosts) {
                return hosts;
            }
        }
    })
    .await
}

/// Waits until this host is found or updated.
async fn found(browser: &mut Browser, name: &str) -> Host {
    within(&format!("{name} to be found"), async {
        loop {
            match browser.next().await {
                Change::Found(host) | Change::Changed(host) if host.name.as_str() == name => return host,
                _ => {}
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_host_is_found_once_with_its_name_address_and_version() {
    let lan = TestLan::of(2).await;
    let [home, guest] = &lan.machines[..] else { panic!("two machines") };
    let (_host, port) = home.hosts("anna's laptop", &["--no-bots"]).await;
    let hosts = listed_until(guest, |hosts| !hosts.is_empty()).await;
    let [host] = &hosts[..] else { panic!("one host: {hosts:?}") };
    assert_eq!((host.name.as_str(), host.version.as_str()), ("anna's laptop", env!("CARGO_PKG_VERSION")));
    assert_eq!((host.address.clone(), host.open_lobbies), (format!("{}:{port}", home.ip), 0));
    assert!(host.round_trip_micros.is_some(), "the server accepts connections");
    // A host answers once per second, and it has just answered the list above.
    let ended = guest.client(&["hosts", "--wait", "2500ms"]).finish().await;
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("host           address "), "{lines:?}");
    assert!(lines[1].starts_with(&format!("anna's laptop  {}", host.address)), "{lines:?}");
}

#[tokio::test]
async fn a_browser_sees_the_host_stop_and_in_a_campaign_lobbies_open() {
    let lan = TestLan::of(2).await;
    let [home, guest] = &lan.machines[..] else { panic!("two machines") };
    let (mut host, port) = home.hosts("tower", &["--no-bots"]).await;
    // The loopback does not deliver the goodbye.
    let (interfaces, has_goodbyes) = (guest.interfaces(), guest.is_real());
    let (tell, mut told) = unbounded_channel();
    let browses = guest.does(async move || {
        let mut browser = Browser::start(interfaces);
        let host = found(&mut browser, "tower").await;
        tell.send(()).unwrap();
        // The next announcement takes seconds.
        while campaign::is_on() && found(&mut browser, "tower").await.open_lobbies == 0 {}
        tell.send(()).unwrap();
        if has_goodbyes {
            while browser.next().await != Change::Gone(host.id) {}
            assert_eq!(browser.hosts().count(), 0);
        }
    });
    let plays = async {
        told.recv().await.unwrap();
        let address = format!("{}:{port}", home.ip);
        let lobby = ["--name", "anna", "--new", "java-tech", "--people-only"];
        let mut anna = guest.client(&[&["connect", &address], &lobby[..]].concat());
        anna.until("Waiting").await;
        told.recv().await.unwrap();
        host.signal("TERM").await;
        host.until_error("stopping").await;
        assert_eq!(host.ended().await.code, Some(0));
    };
    within("the host to be gone", async { tokio::join!(browses, plays) }).await;
}
