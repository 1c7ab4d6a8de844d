//! Hosts that are found on the network: the real programs on machines of their own, or on the loopback where those cannot
//! be made; and what comes from machines that mean no good.

mod choosing;
mod garbage;
mod quiet;
#[cfg(unix)]
mod screen;

use nim::client::json::nearby::FoundHost;
use nim::lan::{Change, Host, Lookout};
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;

use crate::harness::{Filter, Machine, Town, within};

/// The hosts that the player's program lists on this machine.
async fn listed(machine: &Machine, wait: &str) -> Vec<FoundHost> {
    let ended = machine.client(&["hosts", "--json", "--wait", wait]).finish().await;
    let expected = if ended.stdout.is_empty() { Some(14) } else { Some(0) };
    assert!(ended.code == expected && (ended.code == Some(14) || ended.stderr.is_empty()), "{ended:?}");
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Lists the hosts again and again, until they are as `wanted`.
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

/// Looks until this host is found.
async fn found(lookout: &mut Lookout, name: &str) -> Host {
    within(&format!("{name} to be found"), async {
        loop {
            match lookout.next().await {
                Change::Found(host) | Change::Changed(host) if host.name.as_str() == name => return host,
                _ => {}
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_host_is_found_once_with_its_name_address_version_and_open_lobbies() {
    let town = Town::of(2).await;
    let [home, guest] = &town.machines[..] else { panic!("two machines") };
    let (_host, port) = home.hosts("anna's laptop", &["--no-bots"]).await;
    let hosts = listed_until(guest, |hosts| !hosts.is_empty()).await;
    let [host] = &hosts[..] else { panic!("one host: {hosts:?}") };
    assert_eq!((host.name.as_str(), host.version.as_str()), ("anna's laptop", env!("CARGO_PKG_VERSION")));
    assert_eq!((host.address.clone(), host.open_lobbies), (format!("{}:{port}", home.ip), 0));
    assert!(host.round_trip_micros.is_some(), "it takes connections");

    let mut anna =
        guest.client(&["connect", &host.address, "--name", "anna", "--new", "java-tech", "--people-only"]);
    anna.until("Waiting").await;
    let hosts = listed_until(guest, |hosts| hosts.first().is_some_and(|host| host.open_lobbies > 0)).await;
    assert_eq!((hosts.len(), hosts[0].open_lobbies), (1, 1));
    let ended = guest.client(&["hosts", "--wait", "1s"]).finish().await;
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("host           address "), "{lines:?}");
    assert!(lines[1].starts_with(&format!("anna's laptop  {}", hosts[0].address)), "{lines:?}");
}

#[tokio::test]
async fn hosts_are_found_by_the_one_way_where_the_network_filters_the_other() {
    for filter in [Filter::Multicast, Filter::Broadcast] {
        let town = Town::of(2).await;
        if !town.has_switch() {
            // There is no network whose filters could be tried.
            return;
        }
        town.filters(0, filter);
        town.filters(1, filter);
        let (host, port) = town.machines[0].hosts("tower", &[]).await;
        let hosts = listed_until(&town.machines[1], |hosts| !hosts.is_empty()).await;
        assert_eq!(hosts[0].address, format!("{}:{port}", town.machines[0].ip), "without {filter:?}");
        host.signal("TERM").await;
        assert_eq!(host.ended().await.code, Some(0));
        listed_until(&town.machines[1], <[_]>::is_empty).await;
    }
}

#[tokio::test]
async fn whoever_looks_is_told_of_lobbies_that_open_and_of_a_host_that_stops() {
    let town = Town::of(2).await;
    let [home, guest] = &town.machines[..] else { panic!("two machines") };
    if town.has_switch() {
        // So that it is told by multicast, where a goodbye is said.
        town.filters(0, Filter::Broadcast);
    }
    let (mut host, port) = home.hosts("tower", &["--no-bots"]).await;
    let (reach, hears_goodbyes) = (guest.reach(), guest.is_real());
    let (told, mut tells) = unbounded_channel();
    let (over, is_over) = oneshot::channel();
    let looks = guest.does(async move || {
        let mut lookout = Lookout::start(reach).unwrap();
        let host = found(&mut lookout, "tower").await;
        told.send(()).unwrap();
        while found(&mut lookout, "tower").await.open_lobbies == 0 {}
        told.send(()).unwrap();
        is_over.await.unwrap();
        if !hears_goodbyes {
            // Then silence says it, and no time has to pass for that.
            tokio::time::pause();
        }
        while lookout.next().await != Change::Gone(host.id) {}
        lookout.hosts().count()
    });
    let plays = async {
        tells.recv().await.unwrap();
        let address = format!("{}:{port}", home.ip);
        let lobby = ["--name", "anna", "--new", "java-tech", "--people-only"];
        let mut anna = guest.client(&[&["connect", &address], &lobby[..]].concat());
        anna.until("Waiting").await;
        tells.recv().await.unwrap();
        host.signal("TERM").await;
        host.until_error("stopping").await;
        over.send(()).unwrap();
        assert_eq!(host.ended().await.code, Some(0));
    };
    let (left, ()) = within("the host to be gone", async { tokio::join!(looks, plays) }).await;
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_host_that_dies_leaves_the_list_once_it_has_been_silent_for_too_long() {
    let town = Town::of(2).await;
    let [home, guest] = &town.machines[..] else { panic!("two machines") };
    let (mut host, _) = home.hosts("tower", &[]).await;
    let (found_it, dead) = (oneshot::channel(), oneshot::channel());
    let reach = guest.reach();
    if town.has_switch() {
        // So that it is found by its answers.
        town.filters(0, Filter::Multicast);
        town.filters(1, Filter::Multicast);
    }
    let looks = guest.does(async move || {
        let mut lookout = Lookout::start(reach).unwrap();
        let host = found(&mut lookout, "tower").await;
        found_it.0.send(()).unwrap();
        dead.1.await.unwrap();
        // From now on nothing comes, and no time has to pass for that.
        tokio::time::pause();
        assert_eq!(lookout.next().await, Change::Gone(host.id));
    });
    let dies = async {
        found_it.1.await.unwrap();
        host.dies().await;
        dead.0.send(()).unwrap();
    };
    within("the host to be gone", async { tokio::join!(looks, dies) }).await;
}
