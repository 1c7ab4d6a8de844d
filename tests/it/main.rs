//! The integration tests: one binary, a file for each thing that is tested.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

/// Players who are away: tickets and returns, stand-ins, waiting and claiming, and lobbies that nobody comes back to.
mod absence;
/// What players agree on in a game: draws, moves taken back, pauses; also with the bot.
mod agreeing;
/// How people come to a server: by which address, under which name, with which flags for later.
mod arriving;
/// What no honest client sends; each kind has its answer, and after each the server still serves.
mod bad_input;
/// When the bot sits down and when it does not, and how it plays.
mod bots;
/// What people say to each other: rooms, limits, what is told to whoever comes, and whom one does not want to hear.
mod chat;
/// The clocks: what they take and give, when they stand, and when a flag falls.
mod clocks;
/// Flags, environment, help, what the programs say first, and logs.
mod command_line;
/// What a shell offers at Tab.
mod completions;
/// A thousand matches at once.
mod crowd;
/// Who comes in: private lobbies, passwords, and the limits of a host.
mod doors;
/// How the player's program ends when something is wrong, also with servers that lie.
mod exit_codes;
/// What people read of each game: rules, pictures, and answers to what they type.
mod faces;
/// What is known of the games: counts, values, lost positions.
mod facts;
/// What the fuzzer keeps, once more: any bytes at every door, and damaged journals.
mod fuzzed;
/// The games beside Nim over a server: at random, with hints, against the bot, and round in circles.
mod games;
/// Games that go on from a position of a record.
mod going_on;
/// How people find each other: names, codes, quick match, the list and what it tells live.
mod hall;
/// A server, clients and the programs, for everyone here.
mod harness;
/// Hints on a connection that goes on meanwhile.
mod hints;
/// A server that keeps a journal: recorded, then told; restarts; a disk that is full.
mod journal;
/// `--json`: the page `proto/JSON.md` and the program hold each other to their word; games played by scripts.
mod json;
/// The bot's levels: their errors against the exact values, and their games against each other.
mod levels;
/// The lobby as a state machine: any requests, any copy, any lie.
mod lobby;
/// The player's program on servers that say anything.
mod lying_server;
/// The pages that both programs write for `man`.
mod manual;
/// Matches between people: moves, ends, rematches, hints, leaving.
mod match_play;
/// Matches of so many games: the score, and when it is decided.
mod matches;
/// What the server measures of itself.
mod metrics;
/// Hosts that are found on the network, and machines there that mean no good.
mod nearby;
/// `proto/PROTOCOL.md`, held to the code: tables, limits, sentences, and the worked session.
mod page;
/// The player's program, piped: games against the bot, at one keyboard and over a server.
mod playing;
/// Whole games as text, held to the files in `tests/data/playthroughs`.
mod playthroughs;
/// The client in Python: its own tests, and whole games on the real server.
mod python;
/// The README, held to the programs.
mod readme;
/// Records: what is written is read, what is changed is noticed, and `nim-client record` says so; `proto/RECORD.md`.
mod record;
/// Records from a server: whose they are, which are found, and that every one of a crowd's is right.
mod records;
/// The player's program when the connection is lost, and when the program itself is.
mod returning;
/// Looking at a game together, once it is over: what each move was worth.
mod reviewing;
/// What is set once: the environment, the file, and `nim-client config`.
mod settings;
/// How the server stops, by a word and by signals, in the middle of games.
mod shutdown;
/// The real server and the real client on a simulated network that loses, delays and breaks whatever it can.
mod simulation;
/// What is kept of lobbies: every storage by one set of tests, and the journal in a folder with all that can befall it.
mod storage;
/// `nim-client study`: figures, reasons, traces, scores, and everything that can be wrong with them.
mod study;
/// The line face at a real terminal: what is said while nobody is there, and after a game; how the screen looks.
#[cfg(unix)]
mod terminal;
/// The order of the modules: who imports whom, and no circles.
mod tidy;
/// The screen: every picture, every message, and the real program in a terminal.
#[cfg(unix)]
mod tui;
/// What people type: variants, positions and moves as text, right and wrong.
mod variants;
/// The golden bytes of `proto/vectors`, in both directions.
mod vectors;
/// People who watch: what they see, may and may not, and games between bots.
mod watching;
/// What people are told, word for word: whom a lobby waits for, and who made which move.
mod words;
/// Which checks could not run.
mod zz_tools;
