//! `nim-client connect` without an address.

use super::listed_until;
use crate::harness::TestLan;

#[tokio::test]
async fn the_only_host_is_the_one_that_is_meant() {
    let lan = TestLan::of(2).await;
    let [home, guest] = &lan.machines[..] else { panic!("two machines") };
    let (_host, port) = home.hosts("anna's laptop", &["--bot-pace", "0"]).await;
    let mut ben = guest.client(&["connect", "--name", "ben", "--new", "take:1:1", "--bot"]);
    assert_eq!(ben.line().await, format!("Found anna's laptop at {}:{port}.", home.ip));
    ben.plays("1").await;
    ben.types("quit\n").await;
    assert_eq!(ben.finish().await.code, Some(0));

    let mut script = guest.client(&["connect", "--name", "ben", "--json"]);
    let welcome = script.line().await;
    assert!(welcome.contains("\"welcome\"") && welcome.contains(&format!("{}:{port}", home.ip)), "{welcome}");
}

#[tokio::test]
async fn code_14_where_there_is_no_host() {
    let lan = TestLan::of(1).await;
    let ended = lan.machines[0].client(&["connect"]).finish().await;
    assert_eq!(ended.code, Some(14), "{ended:?}");
    let sentence = "nim-client: no host was found on this network within 2 seconds\nIs nim-server running";
    assert!(ended.stderr.starts_with(sentence), "{ended:?}");
    let ended = lan.machines[0].client(&["hosts", "--wait", "100ms"]).finish().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(14), ""));
    assert!(ended.stderr.starts_with("nim-client: no host was found on this network within"), "{ended:?}");
    let ended = lan.machines[0].client(&["hosts", "--json", "--wait", "100ms"]).finish().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(14), ""));
}

#[tokio::test]
async fn code_14_where_there_are_several_and_nobody_to_choose() {
    let lan = TestLan::of(3).await;
    let [first, second, guest] = &lan.machines[..] else { panic!("three machines") };
    let ((_laptop, a), (_tower, b)) = (first.hosts("laptop", &[]).await, second.hosts("tower", &[]).await);
    listed_until(guest, |hosts| hosts.len() == 2).await;
    for arguments in [&["connect"][..], &["connect", "--json"]] {
        let ended = guest.client(arguments).finish().await;
        assert_eq!(ended.code, Some(14), "{ended:?}");
        for (machine, port, name) in [(first, a, "laptop"), (second, b, "tower")] {
            let command = format!("nim-client connect {}:{port}", machine.ip);
            assert!(ended.stderr.contains(&command) && ended.stderr.contains(name), "{ended:?}");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn somebody_at_a_terminal_with_lines_is_asked_which_of_several_is_meant() {
    let lan = TestLan::of(3).await;
    let [first, second, guest] = &lan.machines[..] else { panic!("three machines") };
    let (_laptop, a) = first.hosts("laptop", &[]).await;
    let (_tower, b) = second.hosts("tower", &[]).await;
    listed_until(guest, |hosts| hosts.len() == 2).await;
    let lobby = ["--name", "ben", "--new", "java-tech", "--people-only"];
    let mut terminal = guest.terminal(&[&["connect", "--plain"], &lobby[..]].concat());
    let shown = terminal.until("Which host (1 to 2)?").await;
    let tower = shown.lines().find(|line| line.contains("tower, 0 open lobbies")).expect("the tower");
    let number = tower.trim().split(' ').next().unwrap().to_owned();
    assert!(
        shown.contains(&format!("{}:{a}", first.ip)) && tower.contains(&format!("{}:{b}", second.ip)),
        "{shown}"
    );
    for nonsense in ["0", "3", "tower", ""] {
        terminal.types(nonsense);
        terminal.until("Which host (1 to 2)?").await;
    }
    terminal.types(&number);
    terminal.until("Waiting").await;
    let hosts = listed_until(guest, |hosts| hosts.iter().any(|host| host.open_lobbies > 0)).await;
    let chosen = hosts.iter().find(|host| host.open_lobbies > 0).expect("the one with the lobby");
    assert_eq!(chosen.name, "tower");
}

#[cfg(unix)]
#[tokio::test]
async fn the_first_screen_shows_a_host_as_it_comes_and_goes_there() {
    let lan = TestLan::of(2).await;
    let [home, guest] = &lan.machines[..] else { panic!("two machines") };
    let mut terminal = guest.terminal(&[]);
    terminal.until("Nobody hosts here yet").await;
    let (_tower, port) = home.hosts("tower", &[]).await;
    terminal.until(&format!("{}:{port}", home.ip)).await;
    // Three lines down is the host.
    terminal.types("\x1b[B\x1b[B\x1b[B\r");
    terminal.until("The hall: 0 lobbies").await;
}

#[cfg(unix)]
#[tokio::test]
async fn somebody_with_a_screen_is_asked_there_which_of_several_is_meant() {
    let lan = TestLan::of(3).await;
    let [first, second, guest] = &lan.machines[..] else { panic!("three machines") };
    let ((_laptop, a), (_tower, b)) = (first.hosts("laptop", &[]).await, second.hosts("tower", &[]).await);
    listed_until(guest, |hosts| hosts.len() == 2).await;
    let mut terminal = guest.terminal(&["connect", "--name", "ben", "--new", "java-tech", "--people-only"]);
    // All of the screen comes at once.
    let shown = terminal.until("There are several hosts on this network: choose one.").await;
    assert!(shown.contains("\u{1b}[?1049h"), "it is the screen: {shown}");
    for (machine, port) in [(first, a), (second, b)] {
        assert!(shown.contains(&format!("{}:{port}", machine.ip)), "{shown}");
    }
    // One line down is the second one of them.
    terminal.types("\x1b[B\r");
    terminal.until("Waiting").await;
    let hosts = listed_until(guest, |hosts| hosts.iter().any(|host| host.open_lobbies > 0)).await;
    let chosen = hosts.iter().find(|host| host.open_lobbies > 0).expect("the one with the lobby");
    assert_eq!(chosen.name, "tower");
    // Without a choice nothing is connected.
    let mut terminal = guest.terminal(&["connect", "--name", "cleo"]);
    terminal.until("choose one.").await;
    terminal.types("q");
    assert_eq!(terminal.ended().await.0, 0);
}
