//! Which keys are shown.

use nim::client::session::ConnectionStatus;
use nim::client::tui::Appearance;
use nim::lobby::{AwayRule, ClockRule, Conditions, ConnectionLoss, LobbyRequest, Offer, Request, WhenAway};

use super::person::Person;
use super::player::{ANNA, BEN, Player};

/// A game in which it is anna's turn again.
fn both_have_moved(game: &str) -> Player {
    let mut player = Player::sized(game, (120, 40), Appearance::default());
    player.moves(ANNA, "take 2");
    player.moves(BEN, "take 1");
    player
}

#[test]
fn only_available_offers_have_keys() {
    let mut player = Player::sized("java-tech", (120, 40), Appearance::default());
    player.hides("u take back");
    player.asks("u", "This key does nothing here");
    assert_eq!(player.asked(), "[]");
    player.moves(ANNA, "take 2");
    player.shows("u take back");
    player.moves(BEN, "take 1");
    player.shows("u take back");
    // While there is an offer to answer, only the same one can be made, as an answer.
    player.wants(BEN, LobbyRequest::Offer(Offer::Draw));
    player.hides_all(["u take back", "p pause"]);
    player.shows_all(["d draw", "y accept   n decline"]);
    player.causes("d", "Offer(Draw)");
    player.causes("n", "accept: false");
    // An offer can be made once in a turn.
    let mut player = both_have_moved("java-tech");
    player.wants(ANNA, LobbyRequest::Offer(Offer::Pause));
    player.hides("p pause");
    player.shows_all(["d draw", "u take back"]);
}

#[test]
fn without_a_connection_only_working_keys_are_shown() {
    let mut player = both_have_moved("java-tech");
    player.shows_all(["t talk", "u take back", "d draw"]);
    player.link = Some(ConnectionStatus::Lost);
    player.hides_all(["t talk", "u take back", "d draw", "p pause", "r resign", "h hint"]);
    player.shows_all(["⏎ take 1", "q quit"]);
    for key in ["u", "r"] {
        player.asks(key, "That has to wait until the server is back.");
        assert_eq!(player.asked(), "[]", "{key}");
    }
    player.asks("z", "This key does nothing here");
}

#[test]
fn after_a_game_the_help_has_no_moves() {
    let mut player = both_have_moved("java-tech");
    player.asks("?", "The arrow keys, digits");
    player.types("?");
    player.wants(BEN, LobbyRequest::Resign);
    player.asks("?", "play another game");
    player.hides("The arrow keys, digits");
}

#[test]
fn a_paused_game_names_the_key_that_resumes_it() {
    let mut player = both_have_moved("java-tech");
    player.wants(ANNA, LobbyRequest::Offer(Offer::Pause));
    player.accepts(BEN);
    player.shows("The game is paused. Press p to");
    player.hides("Type resume");
    player.shows("p resume");
    // Nobody can resume it alone.
    let since = player.now;
    player.happens(BEN, Request::Disconnect { loss: ConnectionLoss::Closed, since });
    player.hides("p resume");
}

#[test]
fn the_question_about_quitting_closes_with_the_game() {
    let clock = ClockRule::Move(8_000);
    let conditions = Conditions { clock, ..Conditions::default() };
    let mut player = Player::agreed(conditions, "java-tech");
    player.moves(ANNA, "take 2");
    player.asks("q", "Leave this game?");
    player.falls_due();
    player.hides("Leave this game?");
    player.shows("You won: ben ran out of time.");
    player.causes("a", "Again");
    player.causes("q", "Quit");
}

#[test]
fn the_question_how_to_leave_says_what_happens_to_the_game_meanwhile() {
    let says = |player: &mut Player, words: &[&str]| {
        player.asks("q", "Leave this game?");
        for part in words {
            player.shows(part);
        }
        player.types("s");
    };
    let on = |then, clock| {
        let away = AwayRule { then, ..AwayRule::default() };
        Player::agreed(Conditions { away, clock, ..Conditions::default() }, "java-tech")
    };
    let clock = ClockRule::Move(300_000);
    let mut player = on(WhenAway::StandIn, clock);
    let kept = "If ben leaves too, the game is kept for 15 minutes.";
    let stand_in = "A stand-in [bot, beginner] plays for you after 10 seconds.";
    says(&mut player, &[stand_in, "Your clock keeps running.", kept]);
    player.link = Some(ConnectionStatus::Lost);
    says(&mut player, &["The connection is lost.", stand_in, "you lose it as soon as the connection is"]);
    let mut player = on(WhenAway::Wait, ClockRule::None);
    says(&mut player, &["The game waits for you.", kept]);
    player.hides("Your clock");
    let mut player = on(WhenAway::Forfeit, ClockRule::None);
    says(&mut player, &["On your turn ben may claim the game after 10 seconds.", kept]);
    player.wants(ANNA, LobbyRequest::Offer(Offer::Pause));
    player.accepts(BEN);
    says(&mut player, &["The game stays paused.", "If ben leaves too, the game is kept for 7 days."]);
    let since = player.now;
    player.happens(BEN, Request::Disconnect { loss: ConnectionLoss::Closed, since });
    says(&mut player, &["The game stays paused. It is kept for 7 days."]);
    let mut player = on(WhenAway::StandIn, ClockRule::None);
    player.happens(BEN, Request::Disconnect { loss: ConnectionLoss::Closed, since });
    says(&mut player, &["The game stands still until one of you is back. It is kept for 15"]);
}

#[test]
fn two_at_one_keyboard_see_no_values_during_a_pause() {
    let mut player = Player::for_two("java-tech");
    player.moves(ANNA, "1");
    player.does_jobs = true;
    player.asks("s", "Best:");
    player.wants(ANNA, LobbyRequest::Offer(Offer::Pause));
    player.shows("The game is paused.");
    player.hides_all(["Best:", "s learn", "h hint"]);
    player.asks("s", "No hints while the game is paused.");
}

#[test]
fn two_at_one_keyboard_confirm_a_draw() {
    let mut player = Player::for_two("java-tech");
    player.asks("d", "Is this game a draw?");
    assert_eq!(player.asked(), "[]");
    player.types("n");
    player.hides("Is this game a draw?");
    player.causes("dy", "Offer(Draw)");
    // At two keyboards the opponent is asked.
    let mut player = both_have_moved("java-tech");
    player.causes("d", "Offer(Draw)");
}

#[test]
fn a_draw_with_a_bot_is_confirmed_since_it_accepts_wherever_it_cannot_win() {
    let mut player = Player::against_the_bot("java-tech", (80, 24), Appearance::default());
    player.moves(ANNA, "take 2");
    player.moves(BEN, "take 1");
    player.asks("d", "The bot accepts where it cannot win. Offer a draw?");
    player.types("n");
    assert_eq!(player.asked(), "[]");
    player.causes("dy", "Offer(Draw)");
}

#[test]
fn the_claim_key_is_shown_once_a_game_can_be_claimed() {
    let away = AwayRule { then: WhenAway::Forfeit, ..AwayRule::default() };
    let mut player = Player::agreed(Conditions { away, ..Conditions::default() }, "java-tech");
    player.moves(ANNA, "take 2");
    let since = player.now;
    player.happens(BEN, Request::Disconnect { loss: ConnectionLoss::Closed, since });
    player.shows("The game can be claimed in");
    player.hides("c claim");
    player.shows("w wait");
    player.types("c");
    assert_eq!(player.asked(), "[]");
    player.now = player.now + std::time::Duration::from_mins(5);
    player.shows_all(["The game can be claimed.", "c claim"]);
    // The opponent may come back at this moment.
    player.asks("c", "Take this game?");
    assert_eq!(player.asked(), "[]");
    player.types("n");
    player.hides("Take this game?");
    player.causes("cy", "Claim");
}

#[test]
fn an_offer_can_be_answered_from_the_learn_panel() {
    let mut player = both_have_moved("java-tech");
    player.types("s");
    player.hides("y accept");
    player.wants(BEN, LobbyRequest::Offer(Offer::Draw));
    player.shows_all(["y accept", "n decline"]);
    player.causes("n", "Answer");
    player.hides("Sure?");
}
