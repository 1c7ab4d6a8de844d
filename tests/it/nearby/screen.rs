//! What a host that others can reach shows on its terminal.

use crate::harness::{Terminal, TestLan};

#[tokio::test]
async fn the_address_is_shown_as_a_picture_where_the_terminal_can_show_one() {
    let lan = TestLan::of(1).await;
    let [machine] = &lan.machines[..] else { panic!("one machine") };
    if !machine.is_real() {
        // Nobody else reaches a server on the loopback.
        return;
    }
    for (port, (arguments, variables, is_shown)) in (4_000..).zip([
        (&[][..], &[][..], true),
        (&[], &[("NO_COLOR", "1")], true),
        (&["--no-qr"], &[], false),
        (&[], &[("TERM", "dumb")], false),
        (&[], &[("LC_ALL", "C")], false),
    ]) {
        let mut command =
            machine.server_command(&[&["--bind", &format!("10.77.0.1:{port}")], arguments].concat());
        command
            .env_remove("NO_COLOR")
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "xterm")
            .envs(variables.iter().copied());
        let mut terminal = Terminal::running(command.as_std());
        let shown = terminal.until("Ctrl-C stops the server.").await;
        assert!(shown.contains(&format!("type: nim-client connect 10.77.0.1:{port}\r\n")), "{shown}");
        let picture = shown.lines().filter(|line| line.contains("█▀▀▀▀▀█") || line.contains("▄▄▄▄▄")).count();
        assert_eq!(picture > 0, is_shown, "{arguments:?} {variables:?}\n{shown}");
        assert!(shown.contains(&format!("Say it aloud: 10 dot 77 dot 0 dot 1, port {port}\r\n")), "{shown}");
        let is_coloured = shown.contains("\u{1b}[97;40m");
        assert_eq!(is_coloured, is_shown && variables.is_empty(), "{shown}");
    }
}
