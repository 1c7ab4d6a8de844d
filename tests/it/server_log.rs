//! The server's log: what the network can and cannot cause there.

use nim::wire::HelloRefusal;

use crate::harness::{Finished, Program, TestClient, Wire};

/// Stops the server.
async fn stopped(host: Program) -> Finished {
    #[cfg(unix)]
    host.signal("TERM").await;
    #[cfg(not(unix))]
    return host.finish().await;
    #[cfg(unix)]
    host.ended().await
}

fn count(log: &str, words: &str) -> usize {
    log.lines().filter(|line| line.contains(words)).count()
}

#[tokio::test]
async fn a_thousand_refused_connections_write_a_minute_of_lines_and_how_many_were_left_out() {
    for format in ["text", "json"] {
        let flags = ["--max-connections-each", "1", "--max-hellos-each", "100000", "--log-format", format];
        let (host, address) = Program::listening_server(&flags).await;
        let _anna = TestClient::at(address, "anna").await;
        for _ in 0..1_000 {
            // A client says hello at once, whether it is let in or not.
            let mut ben = Wire::connect(address).await;
            let _ = ben.try_send_hello("ben").await;
            assert_eq!(ben.unwelcome().await, HelloRefusal::Crowded { most: 1 });
        }
        let log = stopped(host).await.stderr;
        let told = match format {
            "text" => r#"like="turned away" lines=940 addresses=1"#,
            _ => r#""like":"turned away","lines":940,"addresses":1"#,
        };
        assert_eq!(count(&log, told), 1, "{log}");
        // The last line about them repeats their words.
        assert_eq!(count(&log, "turned away"), 60 + 1, "{log}");
        assert!(log.lines().count() < 80, "{log}");
    }
}

#[tokio::test]
async fn a_name_that_looks_like_fields_is_quoted() {
    for (format, told) in [
        ("text", r#"welcome name="eve you=\"First\"""#),
        ("json", r#""message":"welcome","name":"eve you=\"First\"""#),
    ] {
        let (mut host, address) = Program::listening_server(&["--log-format", format]).await;
        let mut eve = TestClient::at(address, "eve you=\"First\"").await;
        host.until_error(told).await;
        eve.create("java-tech:21").await;
        host.until_error("sat down").await;
    }
}
