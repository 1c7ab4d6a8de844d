//! Hosts on this network: `nim-client hosts` lists them, and `connect` without an address goes to one of
//! them.

use std::io::{IsTerminal, Write, stdin, stdout};
use std::time::Duration;

use clap::Args;
use nim::client::json::listed::FoundHost;
use nim::client::json::write_line;
use nim::client::nearby::{HostSearch, Neighbour, NoHost};
use nim::client::tui::home::{Home, HomeChoice};
use nim::client::tui::waiting::Waited;
use nim::client::words::nearby::{choice, found, looking, looking_at_lines, table};
use nim::client::{Address, Failure};
use nim::lan::{ChosenInterface, InterfaceFilter};
use nim::server::duration;

use crate::face::Face;
use crate::flags::{line, say};

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0   the hosts were listed
  1   the program could not start, or could not write its output
  2   the command line is wrong
  14  no host was found";

/// How long `connect` looks for hosts.
const USUAL: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub(crate) struct HostsFlags {
    /// How long to look
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = duration)]
    wait: Duration,

    /// For scripts: write one JSON object per line, as proto/JSON.md describes
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    look: LookFlags,
}

/// Where to look for hosts.
#[derive(Debug, Clone, Args)]
pub(crate) struct LookFlags {
    /// Look for hosts on this network interface only: its name, or an address of it [default: all interfaces
    /// but tunnels and the loopback]
    #[arg(long, env = "NIM_LOOK_ON", value_name = "INTERFACE")]
    look_on: Option<ChosenInterface>,
}

impl LookFlags {
    /// Watches the hosts come and go.
    pub(crate) fn watch(&self) -> HostSearch {
        HostSearch::start(InterfaceFilter::for_browser(self.look_on.clone()))
    }
}

/// Lists the hosts. Fails if there is none.
pub(crate) async fn list(flags: &HostsFlags) -> Result<(), Failure> {
    let hosts = flags.look.watch().look(flags.wait).await;
    if hosts.is_empty() {
        return Err(Failure::NoHost(NoHost::None(flags.wait)));
    }
    let mut out = stdout().lock();
    let written = if flags.json {
        hosts.iter().try_for_each(|host| write_line(&mut out, &FoundHost::from(host)))
    } else {
        table(&hosts).iter().try_for_each(|line| writeln!(out, "{line}"))
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Returns the address of the only host or of the chosen one, with a message about it. `None` if the person
/// chooses none.
pub(crate) async fn find_host(
    flags: &LookFlags,
    face: &mut Face,
) -> Result<Option<(Address, Option<String>)>, Failure> {
    let is_on_screen = face.is_on_screen();
    let is_asked = !face.is_json() && stdin().is_terminal() && stdout().is_terminal();
    if is_asked && !is_on_screen {
        say(&looking_at_lines(USUAL))?;
    }
    let mut watch = flags.watch();
    let hosts = match face.wait(looking(USUAL), async { Ok(watch.look(USUAL).await) }).await? {
        Waited::Done(hosts) => hosts,
        Waited::Left(_) => return Ok(None),
    };
    let alone = |address: Address| (address, None);
    match &hosts[..] {
        [] => Err(Failure::NoHost(NoHost::None(USUAL))),
        [host] => {
            let told = found(host);
            if !(face.is_json() || is_on_screen) {
                say(&told)?;
            }
            Ok(Some((host.address.into(), is_on_screen.then_some(told))))
        }
        _ if is_on_screen => Ok(on_screen(hosts, watch, face).await?.map(alone)),
        _ if is_asked => choose(hosts).map(alone).map(Some),
        _ => Err(Failure::NoHost(NoHost::Several(hosts))),
    }
}

/// Asks on the screen, where the list stays up to date.
async fn on_screen(
    hosts: Vec<Neighbour>,
    watch: HostSearch,
    face: &mut Face,
) -> Result<Option<Address>, Failure> {
    let look = face.look();
    let app = face.app()?;
    let home = Home::asking(app.size(), look, hosts);
    Ok(match Box::pin(app.run(&mut home.watching(watch))).await? {
        HomeChoice::Connect(address) => Some(address),
        _ => None,
    })
}

fn choose(hosts: Vec<Neighbour>) -> Result<Address, Failure> {
    for (number, host) in hosts.iter().enumerate() {
        say(&format!("{:2}  {}", number + 1, choice(host)))?;
    }
    loop {
        say(&format!("Which host (1 to {})?", hosts.len()))?;
        let Some(line) = line()? else { return Err(Failure::NoHost(NoHost::Several(hosts))) };
        let number = line.trim().parse::<usize>().ok();
        if let Some(host) = number.and_then(|number| hosts.get(number.checked_sub(1)?)) {
            return Ok(host.address.into());
        }
    }
}
