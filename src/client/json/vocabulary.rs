//! The words that stand for something in the objects. They are a promise to scripts: what the rest of the
//! program calls these things may change, these words may not.

use serde::{Deserialize, Serialize};

/// Makes enums whose variants are written as words: `NotYourTurn` as `not_your_turn`.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $word:ident,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$doc])* $word,)+ }

        impl $name {
            /// All of them, in the order of the page.
            pub const ALL: &[Self] = &[$(Self::$word,)+];
        }
    )+};
}

words! {
    /// A side of the game.
    Side {
        /// It makes the first move.
        First,
        /// The other one.
        Second,
    }

    /// What sits in a seat.
    Kind {
        /// Somebody at the other end of a connection.
        Person,
        /// The house's bot.
        Bot,
    }

    /// What the lobby is doing that the script sits in.
    Phase {
        /// A seat is empty.
        Waiting,
        /// A game is going on.
        Playing,
        /// The last game has ended.
        Over,
        /// Nobody is left.
        Closed,
    }

    /// What a listed lobby is doing.
    State {
        /// A seat is open, and somebody is there.
        Open,
        /// A game is going on.
        Playing,
        /// The game is over.
        Over,
        /// A seat is empty, and whoever has the other one is away.
        Away,
    }

    /// How a game came out for the one who is told.
    Outcome {
        /// For them.
        Won,
        /// Against them.
        Lost,
        /// Nobody won.
        Draw,
    }

    /// What ended a game.
    Cause {
        /// The last move.
        Rules,
        /// The loser gave up.
        Resigned,
        /// The loser left.
        Left,
        /// A position came up for the third time.
        Repetition,
        /// The loser was away for too long, and the winner claimed the game.
        Forfeited,
        /// Nobody was there any more, and nobody came back.
        Abandoned,
        /// Both agreed on a draw.
        Agreed,
        /// The loser's time was up.
        Time,
    }

    /// What players agree on.
    Offer {
        /// To end the game as a draw.
        Draw,
        /// To take back the last move of whoever offers it.
        Takeback,
        /// To let the game rest.
        Pause,
    }

    /// What the script is in its lobby.
    Role {
        /// It has a seat.
        Player,
        /// It watches.
        Watcher,
    }

    /// Who hears a line of chat.
    Room {
        /// The players.
        Players,
        /// Those who watch.
        Watchers,
    }

    /// How it is known that a player is away.
    Loss {
        /// The connection has closed.
        Closed,
        /// Nothing is heard over it.
        Silent,
    }

    /// Whether somebody is there.
    Presence {
        /// They are.
        Here,
        /// They are away.
        Away,
        /// They are away, and the house's bot plays for them.
        StandIn,
    }

    /// Whose hand made a move.
    Hand {
        /// The player's own.
        Own,
        /// That of the bot that stands in.
        StandIn,
    }

    /// What happens on the turn of somebody who is away.
    WhenAway {
        /// The game waits.
        Wait,
        /// The house's bot plays until they are back.
        StandIn,
        /// The other one may claim the game.
        Forfeit,
    }

    /// How a player went.
    Departure {
        /// On purpose.
        Quit,
        /// The connection broke.
        Lost,
    }

    /// Who makes the first move.
    Starts {
        /// Whoever the game says.
        Variant,
        /// Whoever opens the lobby.
        Me,
        /// The other one.
        Them,
    }

    /// Whether a bot may take the other seat.
    BotWish {
        /// When nobody came within the server's time.
        WhenNobodyComes,
        /// At once.
        AtOnce,
        /// Never.
        PeopleOnly,
        /// Bots take both seats, and the script watches.
        Both,
    }

    /// How strong a bot plays.
    Level {
        /// It goes wrong almost always, unless the end is in sight.
        Beginner,
        /// It goes wrong more often than not.
        Easy,
        /// It goes wrong almost as often as not, by as little as can be.
        Fair,
        /// It goes wrong now and then, by as little as can be.
        Strong,
        /// It does not go wrong.
        Perfect,
    }

    /// Who may ask for hints.
    Hints {
        /// Nobody.
        Nobody,
        /// A player whose opponent is a bot.
        AgainstBots,
        /// Both players, and those who watch.
        All,
        /// Those who watch.
        Watchers,
    }

    /// The word behind `do` in a request.
    Deed {
        /// To list the lobbies.
        Look,
        /// To open a lobby.
        New,
        /// To join the lobby with a code.
        Join,
        /// To join any open lobby of a game, or to open one.
        Quick,
        /// To make a move.
        Play,
        /// To give the game up.
        Resign,
        /// To be told a good move.
        Hint,
        /// To play another game.
        Again,
        /// To wait for the other one, who is away.
        Wait,
        /// To wait no more.
        WaitNoMore,
        /// To be given the game of somebody who is away for too long.
        Claim,
        /// To agree on something.
        Offer,
        /// To answer an offer.
        Answer,
        /// To go on with a game that rests.
        Resume,
        /// To say something.
        Say,
        /// To hear no more of somebody, or again.
        Mute,
        /// To be told what a move was worth.
        Review,
        /// To watch in a lobby.
        Watch,
        /// To be told what the lobby waits for.
        Why,
        /// To be told what was agreed.
        Terms,
        /// To go back to the hall.
        Leave,
        /// To end the program.
        Quit,
    }

    /// What is wrong with a line that was not understood.
    Fault {
        /// It is longer than a line may be.
        TooLong,
        /// It is no JSON object.
        NotJson,
        /// It is a JSON object, and none of the requests.
        NotARequest,
    }

    /// Why a request was not granted.
    Refusal {
        /// The text is no move, or the rules do not allow it now.
        IllegalMove,
        /// The move was for another turn than the present one.
        OtherTurn,
        /// It is the other one's move.
        NotYourTurn,
        /// No game is going on.
        NoGame,
        /// The game is not over.
        NotOver,
        /// Another game was asked for already.
        AlreadyAsked,
        /// Hints are not allowed in this game.
        NoHints,
        /// A hint is being thought of already.
        HintPending,
        /// The game went on while the hint was thought of.
        HintLate,
        /// Whoever opened the lobby is away.
        NobodyHere,
        /// The other one is not away.
        NobodyAway,
        /// There is nothing to put off.
        WaitsAlready,
        /// Nothing has been put off.
        WaitsNot,
        /// There is nothing to claim.
        NothingToClaim,
        /// The other one still has some time to come back.
        ClaimTooEarly,
        /// The game rests.
        Paused,
        /// The game does not rest.
        NotPaused,
        /// The other one's offer has not been answered.
        AnswerFirst,
        /// The same was offered in this turn already.
        OfferedAlready,
        /// There is no offer to answer.
        NoOffer,
        /// There is no move to take back.
        NothingToTakeBack,
        /// The game has no move of that number.
        NoSuchMove,
        /// Nobody may watch there.
        NoWatchers,
        /// As many watch as may.
        TooManyWatchers,
        /// The lobby is closed.
        Closed,
        /// There is nothing in the line that can be read.
        EmptyLine,
        /// The line is too long.
        LongLine,
        /// There is no chat on this server.
        NoChat,
        /// The line comes too soon after others.
        ChatTooFast,
        /// More was asked in a second than is answered.
        TooFast,
        /// The lobby has another password.
        WrongPassword,
        /// Nothing can be recorded, so that nothing is to happen.
        Halted,
        /// The game was given up, since nobody came back to it.
        GivenUp,
        /// The seat was given up, since nobody came back to it.
        Lapsed,
        /// What was recorded of the lobby is damaged.
        SetAside,
        /// A record is not given, for which this face never asks.
        NoRecord,
        /// As many lobbies are open as may be.
        LobbiesFull,
        /// As many lobbies are open as may be from one address.
        TooManyLobbies,
        /// Too many codes or passwords were wrong.
        TooManyGuesses,
        /// The conditions make no sense.
        BadConditions,
        /// The text is no clock.
        BadClock,
        /// The text is no password.
        BadPassword,
        /// The text is no name.
        BadName,
        /// The seat is not kept for the script any more.
        BadTicket,
        /// The text is no game.
        BadVariant,
        /// The position is none of that game, or nothing can begin there.
        BadOrigin,
        /// The text is no lobby's code.
        BadCode,
        /// No lobby has this code.
        NoSuchLobby,
        /// Both seats of that lobby are taken.
        SeatTaken,
        /// This server has no bots.
        NoBots,
        /// The request is for the hall, and the script is in a lobby.
        InLobby,
        /// The request is for a lobby, and the script is in the hall.
        InHall,
        /// A seat was asked for where the script sits already.
        AlreadySeated,
        /// The script has no seat in this lobby.
        NotSeated,
        /// The client said hello twice.
        SecondHello,
    }
}
