//! The screen: what it shows of every game and place, what keys and the mouse do, and the real program in a terminal.

/// A screen without a terminal and a server without a network, for the tests here.
mod desk;
/// Objects that are pulled off a pile, also where something comes in between.
mod dragging;
/// Where games and matches end.
mod ending;
/// The hall: choosing, joining, opening, passwords.
mod hall;
/// The first screen.
mod home;
/// Which keys are shown: those that do something now.
mod keys;
/// The learn panel: what every move is worth, the tree below, and the moves of a game that is over.
mod learn;
/// The real program in a terminal whose connection is lost and regained.
mod losing;
/// Somebody at a screen without a terminal, for the tests here.
mod person;
/// What keys and clicks do in a game.
mod playing;
/// Somebody who looks at records, for the tests here.
mod reader;
/// Records: the list, and a game gone through.
mod records;
/// Every screen as text, held to the files in `snapshots`.
mod screens;
/// The real program in a terminal that is read like a screen.
mod terminal;
/// Lines that are typed, and the help beside them.
mod typing;
/// The real program in a terminal before there is a game: what is waited for, and how that is given up.
mod waiting;
/// A terminal in which the real program runs.
mod window;
