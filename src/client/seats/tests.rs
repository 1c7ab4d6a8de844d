//! How seats are kept, held and forgotten.

use super::*;
use crate::lobby::{Code, Name, PlayerId};

fn seat(code: u16, player: u32) -> SavedSeat {
    SavedSeat {
        server: "[::1]:7646".parse().unwrap(),
        name: Name::clean("anna").unwrap(),
        code: Code::from_bits(code, 1),
        player: PlayerId(player),
        variant: "java-tech:21".into(),
        opponent: Some("ben".into()),
        ticket: Ticket::of([0xa5; 16]),
        over: false,
    }
}

fn codes(seats: &SeatStore) -> Vec<Code> {
    let mut codes: Vec<Code> = seats.all().unwrap().iter().map(|seat| seat.code).collect();
    codes.sort_by_key(Code::to_string);
    codes
}

#[test]
fn that_a_game_is_over_is_kept_and_a_file_that_does_not_say_so_is_of_one_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path());
    for over in [true, false] {
        seats.keep(&SavedSeat { over, ..seat(1, 1) }).unwrap();
        assert_eq!(seats.all().unwrap()[0].over, over);
    }
    let text = fs::read_to_string(seats.path(&seat(1, 1))).unwrap();
    assert!(!text.contains("over"), "{text}");
}

#[test]
fn a_seat_is_kept_until_it_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path().join("not/yet/there"));
    assert_eq!(seats.all().unwrap(), []);
    let first = seat(1, 1);
    seats.keep(&first).unwrap();
    assert_eq!(seats.all().unwrap(), std::slice::from_ref(&first));
    let newer = SavedSeat { opponent: None, ..first };
    seats.keep(&newer).unwrap();
    assert_eq!(seats.all().unwrap(), std::slice::from_ref(&newer), "the same seat has one file");
    for _ in 0..2 {
        seats.forget(&newer).unwrap();
    }
    assert_eq!(seats.all().unwrap(), []);
}

#[test]
fn the_tickets_of_seats_that_were_given_up_are_shown_after_those_of_seats_that_are_kept_and_to_their_own_server_alone()
 {
    let folder = tempfile::tempdir().unwrap();
    let (seats, gone) = (SeatStore::at(folder.path()), seat(1, 1));
    let (same, other) = (
        SavedSeat { ticket: Ticket::of([7; 16]), ..seat(1, 1) },
        SavedSeat { ticket: Ticket::of([8; 16]), ..seat(2, 2) },
    );
    for seat in [&gone, &other] {
        seats.keep(seat).unwrap();
    }
    seats.give_up(&gone).unwrap();
    seats.give_up(&gone).unwrap();
    assert_eq!(seats.all().unwrap(), std::slice::from_ref(&other));
    assert_eq!(seats.tickets(&gone.server, 7646).unwrap(), [other.ticket, gone.ticket]);
    // Codes are given again, and so are the numbers of players.
    seats.keep(&same).unwrap();
    seats.give_up(&same).unwrap();
    assert_eq!(seats.tickets(&gone.server, 7646).unwrap().len(), 3);
    assert_eq!(seats.tickets(&"[::1]:7647".parse().unwrap(), 7646).unwrap(), []);
}

#[test]
fn of_too_many_seats_that_were_given_up_the_oldest_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path());
    for number in 0..=u8::MAX {
        let seat = SavedSeat { ticket: Ticket::of([number; 16]), ..seat(1, 1) };
        seats.keep(&seat).unwrap();
        age(&seats, &seat, Duration::from_secs(1_000 - u64::from(number)));
        seats.give_up(&seat).unwrap();
    }
    seats.keep(&seat(2, 1)).unwrap();
    seats.give_up(&seat(2, 1)).unwrap();
    let left = seats.tickets(&seat(1, 1).server, 7646).unwrap();
    assert_eq!((left.len(), left.contains(&Ticket::of([0; 16]))), (MAX_TICKETS, false));
}

#[test]
fn a_window_knows_that_another_one_has_taken_its_seat_over() {
    let folder = tempfile::tempdir().unwrap();
    let [mine, others] = [SeatStore::at(folder.path()), SeatStore::at(folder.path())];
    mine.keep(&seat(1, 1)).unwrap();
    assert!(!mine.is_superseded(&seat(1, 1)) && !mine.clone().is_superseded(&seat(1, 1)));
    others.keep(&seat(1, 1)).unwrap();
    assert!(mine.is_superseded(&seat(1, 1)));
}

#[test]
fn a_seat_was_seen_when_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path());
    seats.keep(&seat(1, 1)).unwrap();
    let path = folder.path().join(file_name(&seat(1, 1)));
    let earlier = SystemTime::now() - Duration::from_hours(24);
    fs::File::options().write(true).open(&path).unwrap().set_modified(earlier).unwrap();
    seats.keep(&seat(2, 1)).unwrap();
    let seen = seats.seen().unwrap();
    assert_eq!((seen[0].0.code, seen[1].0.code), (seat(2, 1).code, seat(1, 1).code));
    assert_eq!(seen[1].1, earlier);
}

#[test]
fn what_is_no_seat_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path());
    seats.keep(&seat(1, 1)).unwrap();
    let good = fs::read_to_string(folder.path().join(file_name(&seat(1, 1)))).unwrap();
    let worse = [
        String::new(),
        "{}".into(),
        good.replace("java-tech:21", "chess"),
        good.replace("a5a5", "zz"),
        good.replace("a5a5", "é5é"),
        good.replace("[::1]:7646", "a b"),
        good.replace("anna", "\\u001b[2J"),
        good.replace("ben", &"x".repeat(10_000)),
    ];
    for (number, text) in worse.iter().enumerate() {
        fs::write(folder.path().join(format!("{number}.{ENDING}")), text).unwrap();
    }
    fs::write(folder.path().join("readme.txt"), &good).unwrap();
    fs::create_dir(folder.path().join(format!("folder.{ENDING}"))).unwrap();
    assert_eq!(seats.all().unwrap(), [seat(1, 1)]);
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_a_ticket() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path().join("seats"));
    seats.keep(&seat(1, 1)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&seats.folder.join(file_name(&seat(1, 1)))), 0o600);
    assert_eq!(mode(&seats.folder), 0o700);
}

/// As if nothing had been heard of this seat since then.
fn age(seats: &SeatStore, seat: &SavedSeat, by: Duration) {
    let file = fs::File::options().write(true).open(seats.path(seat)).unwrap();
    file.set_modified(SystemTime::now() - by).unwrap();
}

#[test]
fn seats_that_nobody_comes_back_to_are_forgotten_but_for_their_tickets() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path());
    for number in [1, 2, 3] {
        seats.keep(&seat(number, 1)).unwrap();
    }
    for number in [1, 2, 3] {
        age(&seats, &seat(number, 1), MAX_AGE + Duration::from_hours(1));
    }
    age(&seats, &seat(1, 1), MAX_AGE / 2);
    let _window = seats.hold(&seat(2, 1)).unwrap();
    seats.tidy().unwrap();
    assert_eq!(codes(&seats).len(), 2, "the young one, and the one that a window has");
    assert!(!seats.all().unwrap().contains(&seat(3, 1)));
    assert_eq!(seats.tickets(&seat(3, 1).server, 7646).unwrap().len(), 3, "its records stay open");
}

#[test]
fn of_too_many_seats_the_oldest_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path());
    let all: Vec<SavedSeat> =
        (0..=u16::try_from(MAX_SEATS).unwrap()).map(|lobby| seat(lobby / 10 * 256 + lobby % 10, 1)).collect();
    for (number, seat) in (0..).zip(&all) {
        seats.keep(seat).unwrap();
        age(&seats, seat, Duration::from_secs(100_000 - number));
    }
    seats.keep(&seat(60 * 256, 1)).unwrap();
    let kept = seats.all().unwrap();
    assert_eq!((kept.len(), kept.contains(&all[0])), (MAX_SEATS + 1, false));
}

#[test]
fn a_window_holds_its_seat_as_long_as_it_lives() {
    let folder = tempfile::tempdir().unwrap();
    let (seats, mine) = (SeatStore::at(folder.path()), seat(1, 1));
    seats.keep(&mine).unwrap();
    assert!(!seats.is_held(&mine));
    let hold = seats.hold(&mine).unwrap();
    assert!(hold.is_of(&seats, &mine) && !hold.is_of(&seats, &seat(1, 2)));
    assert!(seats.is_held(&mine) && seats.hold(&mine).is_none());
    seats.keep(&SavedSeat { over: true, ..mine.clone() }).unwrap();
    assert!(seats.is_held(&mine), "it is the same seat");
    drop(hold);
    assert!(!seats.is_held(&mine));
}

#[test]
fn a_folder_that_is_none_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = SeatStore::at(file.path()).keep(&seat(1, 1)).unwrap_err();
    assert_eq!(error.to_string(), format!("{} is no folder", file.path().display()));
}

#[test]
fn a_new_seat_in_a_lobby_replaces_the_old_one_which_still_opens_records() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path());
    let (before, now) = (seat(1, 2), SavedSeat { ticket: Ticket::of([7; 16]), ..seat(1, 3) });
    let other = SavedSeat { name: Name::clean("ben").unwrap(), ..seat(1, 4) };
    seats.keep(&other).unwrap();
    seats.keep(&before).unwrap();
    seats.keep(&now).unwrap();
    let mut players: Vec<PlayerId> = seats.all().unwrap().iter().map(|seat| seat.player).collect();
    players.sort_unstable_by_key(|player| player.0);
    assert_eq!(players, [PlayerId(3), PlayerId(4)]);
    assert!(seats.tickets(&now.server, 0).unwrap().contains(&before.ticket));
}
