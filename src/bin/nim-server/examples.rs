//! The examples in the help of the host's program, each a line that can be typed.

use nim::cli::Example;

pub(crate) const PROGRAM: &[Example] = &[
    ("nim-server", "host for everyone on this network"),
    ("nim-server --server-name classroom --metrics 7647", "under another name, with metrics"),
    ("nim-server check", "verify the journal"),
];

pub(crate) const HOST: &[Example] = &[
    ("nim-server host", "the same as nim-server alone"),
    ("nim-server host --bind 127.0.0.1:0 --memory", "to test your own client, on this machine only"),
    ("nim-server host --bot-after 1m --paused-kept 30d", "with more patience"),
    ("nim-server host --durability power --data /srv/nim", "lose nothing, even in a power failure"),
];

pub(crate) const CHECK: &[Example] = &[
    ("nim-server check", "verify the journal"),
    ("nim-server check --data /srv/nim", "the same in another folder"),
    #[cfg(feature = "cluster")]
    ("nim-server check --cluster http://10.0.0.1:2379", "verify what a cluster keeps in etcd"),
];

pub(crate) const BACKUP: &[Example] = &[
    ("nim-server backup copy.sqlite", "copy the journal"),
    ("nim-server backup copy.sqlite --data /srv/nim", "the same from another folder"),
];

pub(crate) const STATUS: &[Example] = &[
    ("nim-server status", "the report of the server on this machine"),
    ("nim-server status --data /srv/nim", "of the server with this data folder"),
    ("nim-server status --memory --port 7646", "of a server that records nothing"),
    #[cfg(feature = "cluster")]
    ("nim-server status --cluster http://10.0.0.1:2379,http://10.0.0.2:2379", "of a whole cluster"),
];

pub(crate) const ADMIN: &[Example] = &[
    ("nim-server admin who", "who is connected, and which lobbies there are"),
    ("nim-server admin kick 12", "close connection 12"),
    ("nim-server admin ban 192.168.1.7 --for 1h", "keep an address out for an hour"),
    ("nim-server admin drain", "begin no new games, and stop after the last"),
];

pub(crate) const WHO: &[Example] = &[
    ("nim-server admin who", "of the server on this machine"),
    ("nim-server admin who --data /srv/nim", "of the server with this data folder"),
];

pub(crate) const KICK: &[Example] = &[
    ("nim-server admin kick 12", "close connection 12, as who shows it"),
    ("nim-server admin kick 192.168.1.7", "close all connections of an address"),
];

pub(crate) const MUTE: &[Example] = &[
    ("nim-server admin mute 12", "refuse the chat of connection 12 until it ends"),
    ("nim-server admin mute 192.168.1.7 --for 10m", "of an address, for ten minutes"),
];

pub(crate) const UNMUTE: &[Example] = &[
    ("nim-server admin unmute 12", "let connection 12 chat again"),
    ("nim-server admin unmute 192.168.1.7", "lift the mute of an address"),
];

pub(crate) const BAN: &[Example] = &[
    ("nim-server admin ban 192.168.1.7 --for 1h", "keep an address out for an hour"),
    ("nim-server admin ban 2001:db8:1:2::/64", "a network, until that is lifted"),
];

pub(crate) const UNBAN: &[Example] = &[
    ("nim-server admin unban 192.168.1.7", "let an address in again"),
    ("nim-server admin unban 2001:db8:1:2::/64", "let a network in again"),
];

pub(crate) const CLOSE: &[Example] = &[
    ("nim-server admin close brave-otter", "close this lobby for all"),
    ("nim-server admin close brave-otter --data /srv/nim", "of the server with this data folder"),
];

pub(crate) const SAY: &[Example] = &[
    ("nim-server admin say We stop at noon.", "tell everybody"),
    ("nim-server admin say \"Don't panic\"", "what the shell would read needs quotes"),
];

pub(crate) const DRAIN: &[Example] = &[
    ("nim-server admin drain", "begin no new games, and stop after the last"),
    ("nim-server admin drain --cancel", "begin games again"),
    #[cfg(feature = "cluster")]
    ("nim-server admin drain --all", "begin no new games at any node of a cluster"),
];

pub(crate) const COMPLETIONS: &[Example] =
    &[("nim-server completions bash --to nim-server.bash", "write the script for bash into a file")];

pub(crate) const MAN: &[Example] = &[
    ("nim-server man | man -l -", "show the page of the program"),
    ("nim-server man --to ~/.local/share/man/man1", "install all pages"),
];
