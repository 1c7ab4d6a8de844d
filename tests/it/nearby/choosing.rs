//! `nim-client connect` without an address.

use super::listed_until;
use crate::harness::{Machine, Program, TestLan};

#[tokio::test]
async fn connect_without_an_address_takes_the_only_host() {
    let lan = TestLan::of(2).await;
    let [home, guest] = &lan.machines[..] else { panic!("two machines") };
    let (_host, port) = home.hosts("anna's laptop", &["--bot-pace", "0"]).await;
    let address = format!("{}:{port}", home.ip);
    let mut ben = guest.client(&["connect", "--name", "ben", "--new", "take:1:1", "--bot"]);
    let mut script = guest.client(&["connect", "--name", "ben", "--json"]);
    assert_eq!(ben.line().await, format!("Found anna's laptop at {address}."));
    ben.plays("1").await;
    ben.quits().await;
    let welcome = script.line().await;
    assert!(welcome.contains("\"welcome\"") && welcome.contains(&address), "{welcome}");
}

#[tokio::test]
async fn code_14_if_no_host_is_found() {
    let lan = TestLan::of(1).await;
    let runs = async |arguments: &[&str]| {
        let ended = lan.machines[0].client(arguments).finish().await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(14), ""), "{arguments:?}: {ended:?}");
        ended.stderr
    };
    let (connect, hosts, _) = tokio::join!(
        runs(&["connect"]),
        runs(&["hosts", "--wait", "100ms"]),
        runs(&["hosts", "--json", "--wait", "100ms"])
    );
    let sentence = "nim-client: no host was found on this network within";
    assert!(connect.starts_with(&format!("{sentence} 2 seconds\nIs nim-server running")), "{connect}");
    assert!(hosts.starts_with(sentence), "{hosts}");
}

/// The exit codes that the help of `hosts` lists.
async fn listed_codes(machine: &Machine) -> Vec<i32> {
    let help = machine.client(&["hosts", "--help"]).finish().await.stdout;
    let (_, codes) = help.split_once("Exit codes:\n").unwrap();
    let lines = codes.lines().take_while(|line| !line.is_empty());
    lines.map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn hosts_returns_the_codes_that_its_help_lists() {
    let lan = TestLan::of(2).await;
    let [home, guest] = &lan.machines[..] else { panic!("two machines") };
    let code = async |arguments: &[&str]| guest.client(arguments).finish().await.code.unwrap();
    let none = code(&["hosts", "--wait", "100ms"]).await;
    let wrong = code(&["hosts", "--wait", "soon"]).await;
    let (_host, _) = home.hosts("laptop", &[]).await;
    listed_until(guest, |hosts| !hosts.is_empty()).await;
    let listed = code(&["hosts"]).await;
    let full = std::fs::File::create("/dev/full").unwrap();
    let mut unwritten = guest.client_command(&["hosts"]);
    let unwritten = Program::of(unwritten.stdout(full).kill_on_drop(true).spawn().unwrap()).finish().await;
    assert_eq!(listed_codes(guest).await, [listed, unwritten.code.unwrap(), wrong, none]);
}

/// Two hosts, laptop and tower, on their machines, and the addresses of both.
struct TwoHosts<'a> {
    guest: &'a Machine,
    laptop: String,
    tower: String,
}

#[tokio::test]
async fn of_several_hosts_a_person_chooses_one_and_a_script_is_refused() {
    let lan = TestLan::of(3).await;
    let [first, second, guest] = &lan.machines[..] else { panic!("three machines") };
    let ((_laptop, a), (_tower, b)) = (first.hosts("laptop", &[]).await, second.hosts("tower", &[]).await);
    listed_until(guest, |hosts| hosts.len() == 2).await;
    let (laptop, tower) = (format!("{}:{a}", first.ip), format!("{}:{b}", second.ip));
    let hosts = TwoHosts { guest, laptop, tower };
    tokio::join!(hosts.code_14_where_nobody_chooses(), async {
        #[cfg(unix)]
        tokio::join!(hosts.lines_ask_which_is_meant(), hosts.the_screen_asks(), hosts.no_choice_is_no_host());
    });
}

impl TwoHosts<'_> {
    async fn code_14_where_nobody_chooses(&self) {
        let runs = async |arguments: &[&str]| {
            let ended = self.guest.client(arguments).finish().await;
            assert_eq!(ended.code, Some(14), "{ended:?}");
            for (address, name) in [(&self.laptop, "laptop"), (&self.tower, "tower")] {
                let command = format!("nim-client connect {address}");
                assert!(ended.stderr.contains(&command) && ended.stderr.contains(name), "{ended:?}");
            }
        };
        tokio::join!(runs(&["connect"]), runs(&["connect", "--json"]));
    }
}

#[cfg(unix)]
impl TwoHosts<'_> {
    fn terminal(&self, arguments: &[&str]) -> crate::harness::Terminal {
        self.guest.terminal(&[&["connect", "--name", "ben", "--people-only"], arguments].concat())
    }

    /// Waits until the tower has a lobby for this game.
    async fn is_at_the_tower(&self, game: &str) {
        let mut looks = self.guest.client(&["connect", &self.tower, "--name", "eve"]);
        looks.until(game).await;
    }

    async fn lines_ask_which_is_meant(&self) {
        let mut terminal = self.terminal(&["--plain", "--new", "java-tech:9"]);
        let shown = terminal.until("Which host (1 to 2)?").await;
        let tower = shown
            .lines()
            .find(|line| line.contains("tower, ") && line.contains(" open lobb"))
            .expect("the tower");
        let number = tower.trim().split(' ').next().unwrap().to_owned();
        assert!(shown.contains(&self.laptop) && tower.contains(&self.tower), "{shown}");
        for nonsense in ["0", "3", "tower", ""] {
            terminal.asks(nonsense, "Which host (1 to 2)?").await;
        }
        terminal.asks(&number, "Waiting").await;
        self.is_at_the_tower("java-tech:9").await;
    }

    async fn the_screen_asks(&self) {
        let mut terminal = self.terminal(&["--new", "take:9:4"]);
        // The whole screen appears at once.
        let shown = terminal.until("There are several hosts on this network: choose one.").await;
        assert!(shown.contains("\u{1b}[?1049h"), "it is the screen: {shown}");
        assert!(shown.contains(&self.laptop) && shown.contains(&self.tower), "{shown}");
        // One line down is the second host.
        terminal.asks("\x1b[B\r", "Waiting").await;
        self.is_at_the_tower("take:9:4").await;
    }

    async fn no_choice_is_no_host(&self) {
        let mut terminal = self.terminal(&[]);
        terminal.until("choose one.").await;
        terminal.types("q");
        assert_eq!(terminal.ended().await.0, 0);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_first_screen_shows_a_host_as_it_comes_and_goes_there() {
    let lan = TestLan::of(2).await;
    let [home, guest] = &lan.machines[..] else { panic!("two machines") };
    let mut terminal = guest.terminal(&[]);
    terminal.until("No hosts yet").await;
    let (_tower, port) = home.hosts("tower", &[]).await;
    terminal.until(&format!("{}:{port}", home.ip)).await;
    // Three lines down is the host.
    terminal.asks("\x1b[B\x1b[B\x1b[B\r", "The hall: 0 lobbies").await;
}
