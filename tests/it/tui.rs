//! The screens: what they show, what keys and the mouse do, and the program in a terminal.

/// The bell, the title of the window, and the line after the screen.
mod alerts;
/// The program in a terminal at a server that does not read or answer.
mod deaf;
/// Dragging objects off a pile.
mod dragging;
/// The ends of games and matches.
mod ending;
/// The goal of a game, the turn, and what a game is.
mod goal;
/// The hall.
mod hall;
/// The home screen.
mod home;
/// Which keys are shown.
mod keys;
/// The learn panel.
mod learn;
/// The program in a terminal that leaves a game and comes back to it.
mod leaving;
/// The program in a terminal while the connection is lost.
mod losing;
/// The list of all actions.
mod palette;
/// What a person does at a screen.
pub(crate) mod person;
/// A player at a screen without a terminal.
mod player;
/// What keys and clicks do in a game.
mod playing;
/// A person with records.
mod reader;
/// Records.
mod records;
/// Every screen as text, compared with the files in `snapshots`.
mod screens;
/// Signals, and a program that is stopped.
mod stopping;
/// The program in a terminal.
mod terminal;
/// The tutorial.
mod tutorial;
/// Typed texts, and the help beside them.
mod typing;
/// The program in a terminal while it waits for a server or for hosts.
mod waiting;
/// A terminal with the program.
mod window;
