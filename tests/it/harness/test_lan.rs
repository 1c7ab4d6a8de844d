//! Machines on a network of their own: temporary network namespaces with a switch between them. Without
//! permission for namespaces, all machines are this machine's loopback, which is on no network. Nothing is
//! sent anywhere else.

use std::net::{IpAddr, Ipv4Addr};

use nim::lan::{ChosenInterface, InterfaceFilter};
use tokio::process::Command;
use tokio::sync::{Mutex, MutexGuard};

use super::{Program, client, server};

/// All tests share the loopback.
static LOOPBACK: Mutex<()> = Mutex::const_new(());

/// Machines, and the switch between them.
pub(crate) struct TestLan {
    pub(crate) machines: Vec<Machine>,
    _switch: Option<Space>,
    _loopback: Option<MutexGuard<'static, ()>>,
}

/// A machine: a namespace, or the loopback.
pub(crate) struct Machine {
    space: Option<Space>,
    /// Its address for the others.
    pub(crate) ip: Ipv4Addr,
}

impl TestLan {
    /// This many machines that reach each other.
    pub(crate) async fn of(count: u8) -> Self {
        if let Some(lan) = real::lan(count) {
            return lan;
        }
        let machine = |_| Machine { space: None, ip: Ipv4Addr::LOCALHOST };
        Self {
            machines: (0..count).map(machine).collect(),
            _switch: None,
            _loopback: Some(LOOPBACK.lock().await),
        }
    }
}

impl Machine {
    /// A discoverable host on this machine, once it listens; and its port.
    pub(crate) async fn hosts(&self, name: &str, arguments: &[&str]) -> (Program, u16) {
        let place: &[&str] = match self.space {
            Some(_) => &["--bind", "0.0.0.0:0"],
            None => &["--bind", "127.0.0.1:0", "--announce-on", "127.0.0.1"],
        };
        let mut program = self.server(&[place, &["--server-name", name], arguments].concat());
        let line = program.line().await;
        let port = line.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        (program, port.unwrap_or_else(|| panic!("no port: {line:?}")))
    }

    /// The server program with exactly these arguments.
    pub(crate) fn server(&self, arguments: &[&str]) -> Program {
        Program::spawn(&mut self.server_command(arguments))
    }

    /// The same as a command.
    pub(crate) fn server_command(&self, arguments: &[&str]) -> Command {
        let mut command = server(arguments);
        command.env_remove("NIM_NO_ANNOUNCE");
        self.here(command)
    }

    /// The client program.
    pub(crate) fn client(&self, arguments: &[&str]) -> Program {
        Program::spawn(&mut self.client_command(arguments))
    }

    /// The same as a command.
    pub(crate) fn client_command(&self, arguments: &[&str]) -> Command {
        self.here(self.command(arguments))
    }

    /// The client program at a terminal.
    #[cfg(unix)]
    pub(crate) fn terminal(&self, arguments: &[&str]) -> super::Terminal {
        let mut command = self.here(self.command(arguments));
        command.env("TERM", "xterm-256color");
        super::Terminal::running(command.as_std())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = client(arguments);
        if self.space.is_some() {
            command.env_remove("NIM_LOOK_ON");
        }
        command
    }

    /// The interfaces on which a program on this machine looks for hosts.
    pub(crate) fn interfaces(&self) -> InterfaceFilter {
        let loopback = ChosenInterface::Address(IpAddr::V4(Ipv4Addr::LOCALHOST));
        InterfaceFilter::for_browser(self.space.is_none().then_some(loopback))
    }

    /// Whether it has a network of its own.
    pub(crate) fn is_real(&self) -> bool {
        self.space.is_some()
    }

    /// The same command on this machine.
    fn here(&self, command: Command) -> Command {
        let Some(Space(name)) = &self.space else { return command };
        let command = command.as_std();
        let mut inside = Command::new("ip");
        inside.args(["netns", "exec", name]).arg(command.get_program()).args(command.get_args());
        for (key, value) in command.get_envs() {
            match value {
                Some(value) => inside.env(key, value),
                None => inside.env_remove(key),
            };
        }
        inside
    }

    /// Runs a function on this machine, in a thread with its own runtime, and returns the result.
    pub(crate) async fn does<T: Send + 'static>(&self, what: impl AsyncFnOnce() -> T + Send + 'static) -> T {
        let space = self.space.as_ref().map(|space| space.0.clone());
        let work = move || {
            if let Some(space) = space {
                real::enter(&space);
            }
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(what())
        };
        let (send, receive) = tokio::sync::oneshot::channel();
        // The thread stays in the namespace, so it must not come from a pool.
        std::thread::spawn(move || send.send(work()));
        receive.await.expect("it did not panic")
    }
}

/// A namespace, removed on drop.
struct Space(String);

impl Drop for Space {
    fn drop(&mut self) {
        done(&format!("ip netns del {}", self.0));
    }
}

fn done(command: &str) -> bool {
    let mut words = command.split(' ');
    let output = std::process::Command::new(words.next().unwrap_or_default()).args(words).output();
    output.is_ok_and(|output| output.status.success())
}

#[cfg(target_os = "linux")]
mod real {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

    use super::{Ipv4Addr, Machine, Space, TestLan, done};

    static MADE: AtomicU32 = AtomicU32::new(0);

    /// A lan with a switch; `None` if the system lets this user create no namespaces.
    pub(super) fn lan(count: u8) -> Option<TestLan> {
        let switch = space()?;
        let name = &switch.0;
        let hub = done(&format!("ip -n {name} link add hub type bridge mcast_snooping 0"))
            && done(&format!("ip -n {name} link set hub up"));
        let machines: Option<Vec<Machine>> = (0..count).map(|number| machine(name, number)).collect();
        let machines = machines.filter(|_| hub)?;
        let known = machines.iter().all(|machine| knows_others(machine, count));
        known.then_some(TestLan { machines, _switch: Some(switch), _loopback: None })
    }

    /// A machine at a port of the switch.
    fn machine(switch: &str, number: u8) -> Option<Machine> {
        let space = space()?;
        let (name, ip) = (&space.0, ip(number));
        let peer = format!("peer name eth0 netns {name} address {}", hardware(number));
        let made = [
            format!("ip -n {switch} link add port{number} type veth {peer}"),
            format!("ip -n {switch} link set port{number} master hub up"),
            format!("ip -n {name} addr add {ip}/24 brd + dev eth0"),
            format!("ip -n {name} link set lo up"),
            format!("ip -n {name} link set eth0 up"),
        ];
        made.iter().all(|command| done(command)).then_some(Machine { space: Some(space), ip })
    }

    /// Hardware addresses are set in advance, since asking for them is a broadcast too.
    fn knows_others(machine: &Machine, count: u8) -> bool {
        let Some(Space(name)) = &machine.space else { return false };
        (0..count).filter(|other| ip(*other) != machine.ip).all(|other| {
            let (ip, hardware) = (ip(other), hardware(other));
            done(&format!("ip -n {name} neigh replace {ip} lladdr {hardware} dev eth0 nud permanent"))
        })
    }

    fn ip(number: u8) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, 0, number + 1)
    }

    fn hardware(number: u8) -> String {
        format!("02:00:00:00:00:{number:02x}")
    }

    fn space() -> Option<Space> {
        let name = format!("nim-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        done(&format!("ip netns add {name}")).then_some(Space(name))
    }

    /// Moves this thread into a namespace.
    pub(super) fn enter(space: &str) {
        let file = File::open(format!("/run/netns/{space}")).expect("the namespace is there");
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network)).expect("it may be entered");
    }
}

#[cfg(not(target_os = "linux"))]
mod real {
    pub(super) fn lan(_: u8) -> Option<super::TestLan> {
        None
    }

    pub(super) fn enter(_: &str) {
        unreachable!("there are no namespaces")
    }
}
