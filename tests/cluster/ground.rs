//! Where the programs of a cluster run: each in a network namespace of its own, so that it can be cut off.
//!
//! The test itself runs in a namespace too, which `.ci/cluster` makes: nothing here touches the machine's own network.
//! Without it all programs share the loopback interface, and nothing can be cut off.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// How long a program may take to start on a busy machine.
pub(crate) const START_DEADLINE: Duration = Duration::from_mins(1);

/// Set by `.ci/cluster` where the test runs in a namespace of its own.
const HUB: &str = "NIM_CLUSTER_HUB";

/// Each ground has a network of its own.
static GROUNDS: AtomicU8 = AtomicU8::new(0);

/// The network of one cluster.
#[derive(Debug)]
pub(crate) struct Ground {
    number: u8,
    is_hub: bool,
    places: Vec<String>,
}

/// Where one program runs.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Its namespace, if it has one.
    namespace: Option<String>,
    /// Its address.
    pub(crate) address: Ipv4Addr,
}

impl Ground {
    /// A network with a bridge.
    pub(crate) fn new() -> Self {
        let number = GROUNDS.fetch_add(1, Ordering::Relaxed);
        let ground = Self { number, is_hub: std::env::var_os(HUB).is_some(), places: Vec::new() };
        if ground.is_hub {
            let bridge = ground.bridge();
            // One that an interrupted test has left.
            let _ = ip(&["link", "del", &bridge]);
            must(&["link", "add", &bridge, "type", "bridge"]);
            must(&["addr", "add", &format!("10.99.{number}.254/24"), "dev", &bridge]);
            must(&["link", "set", &bridge, "up"]);
        }
        ground
    }

    fn bridge(&self) -> String {
        format!("nimbr{}", self.number)
    }

    /// A new place.
    pub(crate) fn place(&mut self, name: &str) -> Place {
        if !self.is_hub {
            return Place { namespace: None, address: Ipv4Addr::LOCALHOST };
        }
        let host = u8::try_from(self.places.len() + 1).expect("few places");
        let address = Ipv4Addr::new(10, 99, self.number, host);
        let namespace = format!("nim{}-{name}", self.number);
        let link = format!("nimv{}x{host}", self.number);
        let _ = ip(&["netns", "del", &namespace]);
        let _ = ip(&["link", "del", &link]);
        must(&["netns", "add", &namespace]);
        must(&["link", "add", &link, "type", "veth", "peer", "name", "eth0", "netns", &namespace]);
        must(&["link", "set", &link, "master", &self.bridge(), "up"]);
        // There is no default route, or a cut connection would find another way.
        must(&["-n", &namespace, "addr", "add", &format!("{address}/24"), "dev", "eth0"]);
        must(&["-n", &namespace, "link", "set", "eth0", "up"]);
        must(&["-n", &namespace, "link", "set", "lo", "up"]);
        self.places.push(namespace.clone());
        Place { namespace: Some(namespace), address }
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        for namespace in &self.places {
            let _ = ip(&["netns", "del", namespace]);
        }
        if self.is_hub {
            let _ = ip(&["link", "del", &self.bridge()]);
        }
    }
}

impl Place {
    /// A command that runs here.
    pub(crate) fn command(&self, program: &str) -> Command {
        match &self.namespace {
            Some(namespace) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", namespace, program]);
                command
            }
            None => Command::new(program),
        }
    }

    /// Drops all that is sent between this place and these addresses, without a word.
    pub(crate) fn cut(&self, from: &[Ipv4Addr]) {
        self.nft("add table inet cut");
        for hook in ["input", "output"] {
            self.nft(&format!("add chain inet cut {hook} {{ type filter hook {hook} priority 0; }}"));
        }
        for address in from {
            self.nft(&format!("add rule inet cut output ip daddr {address} drop"));
            self.nft(&format!("add rule inet cut input ip saddr {address} drop"));
        }
    }

    /// Ends all cuts here.
    pub(crate) fn heal(&self) {
        self.nft("flush ruleset");
    }

    fn nft(&self, rule: &str) {
        let done = self.command("nft").arg(rule).status().expect("nft runs");
        assert!(done.success(), "nft {rule}");
    }
}

fn ip(arguments: &[&str]) -> bool {
    let quiet = Stdio::null;
    Command::new("ip")
        .args(arguments)
        .stdout(quiet())
        .stderr(quiet())
        .status()
        .is_ok_and(|done| done.success())
}

fn must(arguments: &[&str]) {
    let done = Command::new("ip").args(arguments).status().expect("ip runs");
    assert!(done.success(), "ip {}", arguments.join(" "));
}

/// Some ports: free ones where all share an address, else those of the pages and the next ones.
pub(crate) fn ports<const COUNT: usize>(address: Ipv4Addr) -> [u16; COUNT] {
    if !address.is_loopback() {
        let mut ports = 7646..;
        return [(); COUNT].map(|()| ports.next().expect("there are more"));
    }
    let held = [(); COUNT].map(|()| TcpListener::bind((address, 0)).expect("a free port"));
    held.map(|listener| listener.local_addr().expect("it is bound").port())
}
