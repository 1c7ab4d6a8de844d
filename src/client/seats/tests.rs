//! Tests: how seats are saved, locked and removed.

use tempfile::TempDir;

use super::pending_ticket::PendingTicket;
use super::*;
use crate::lobby::{Code, Name, PlayerId};

fn seat(code: u16, player: u32) -> SavedSeat {
    SavedSeat {
        server: "[::1]:7646".parse().unwrap(),
        others: Vec::new(),
        name: Name::clean("anna").unwrap(),
        code: Code::from_bits(code, 1),
        player: PlayerId(player),
        variant: "java-tech:21".into(),
        opponent: Some("ben".into()),
        ticket: Ticket::of([0xa5; 16]),
        over: false,
        turn: 1,
        happened: None,
    }
}

/// Seats in a folder of their own, which may not be there yet.
fn store() -> (TempDir, SeatStore) {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path().join("not/yet/there"));
    (folder, seats)
}

/// Makes the file of this seat this much older.
fn age(seats: &SeatStore, seat: &SavedSeat, by: Duration) {
    let file = fs::File::options().write(true).open(seats.path(seat)).unwrap();
    file.set_modified(SystemTime::now() - by).unwrap();
}

#[test]
fn a_seat_is_kept_until_it_is_forgotten() {
    let (_folder, seats) = store();
    assert_eq!(seats.all().unwrap(), []);
    let first = seat(1, 1);
    seats.keep(&first).unwrap();
    assert_eq!(seats.all().unwrap(), std::slice::from_ref(&first));
    let newer = SavedSeat { opponent: None, over: true, ..first };
    seats.keep(&newer).unwrap();
    assert_eq!(seats.all().unwrap(), std::slice::from_ref(&newer), "the same seat has one file");
    age(&seats, &newer, Duration::from_hours(24));
    seats.keep(&seat(2, 1)).unwrap();
    let seen = seats.seen().unwrap();
    assert_eq!([&seen[0].0, &seen[1].0], [&seat(2, 1), &newer], "the last used is the first");
    assert!(seen[1].1.elapsed().unwrap() >= Duration::from_hours(24));
    seats.forget(&seat(2, 1)).unwrap();
    for _ in 0..2 {
        seats.forget(&newer).unwrap();
    }
    assert_eq!(seats.all().unwrap(), []);
}

#[test]
fn the_tickets_of_seats_that_were_given_up_are_shown_after_those_of_seats_that_are_kept_and_to_their_own_server_alone()
 {
    let ((_folder, seats), gone) = (store(), seat(1, 1));
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
fn what_is_no_seat_is_passed_over() {
    let (_folder, seats) = store();
    seats.keep(&seat(1, 1)).unwrap();
    let good = fs::read_to_string(seats.path(&seat(1, 1))).unwrap();
    assert!(!good.contains("over"), "a game goes on that does not say so: {good}");
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
        fs::write(seats.folder.join(format!("{number}.{EXTENSION}")), text).unwrap();
    }
    fs::write(seats.folder.join("readme.txt"), &good).unwrap();
    fs::create_dir(seats.folder.join(format!("folder.{EXTENSION}"))).unwrap();
    assert_eq!(seats.all().unwrap(), [seat(1, 1)]);
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_a_ticket() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, seats) = store();
    seats.keep(&seat(1, 1)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&seats.path(&seat(1, 1))), 0o600);
    assert_eq!(mode(&seats.folder), 0o700);
}

#[test]
fn seats_that_nobody_comes_back_to_are_forgotten_but_for_their_tickets() {
    let (_folder, seats) = store();
    for number in [1, 2, 3] {
        seats.keep(&seat(number, 1)).unwrap();
    }
    for number in [1, 2, 3] {
        age(&seats, &seat(number, 1), MAX_AGE + Duration::from_hours(1));
    }
    age(&seats, &seat(1, 1), MAX_AGE / 2);
    let _window = seats.lock(&seat(2, 1)).unwrap();
    seats.prune().unwrap();
    assert_eq!(
        seats.all().unwrap(),
        [seat(1, 1), seat(2, 1)],
        "the young one, and the one that a window has"
    );
    assert_eq!(seats.tickets(&seat(3, 1).server, 7646).unwrap().len(), 3, "its records stay open");
}

#[test]
fn of_too_many_seats_and_of_too_many_that_were_given_up_the_oldest_are_forgotten() {
    let (_folder, seats) = store();
    fs::create_dir_all(&seats.folder).unwrap();
    let numbered = |number: u16| SavedSeat {
        ticket: Ticket::of(u128::from(number).to_be_bytes()),
        ..seat(number / 10 * 256 + number % 10, 1)
    };
    let all: Vec<SavedSeat> = (0..).map(numbered).take(MAX_SEATS + MAX_TICKETS + 2).collect();
    let [before @ .., newest] = &all[..] else { unreachable!("there are many") };
    for (seat, seconds) in before.iter().zip((0..100_000).rev()) {
        // Nothing waits for the disk.
        fs::write(seats.path(seat), serde_json::to_vec(&SeatFile::of(seat, 0)).unwrap()).unwrap();
        age(&seats, seat, Duration::from_secs(seconds));
    }
    seats.keep(newest).unwrap();
    let newest_first: Vec<SavedSeat> = all.iter().rev().take(MAX_SEATS + 1).cloned().collect();
    assert_eq!(seats.all().unwrap(), newest_first);
    let tickets = seats.tickets(&newest.server, 7646).unwrap();
    assert_eq!((tickets.len(), tickets.contains(&all[0].ticket)), (all.len() - 1, false));
}

#[test]
fn a_new_seat_in_a_lobby_replaces_the_old_one_which_still_opens_records() {
    let (_folder, seats) = store();
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

/// The pending ticket of this person on the tests' server.
fn pending(seats: &SeatStore, name: &str) -> PendingTicket {
    seats.pending_ticket(&seat(1, 1).server, &Name::clean(name).unwrap()).unwrap()
}

#[test]
fn a_pending_ticket_stays_the_same_until_it_is_removed_and_replaces_what_is_no_ticket() {
    let (_folder, seats) = store();
    let first = pending(&seats, "anna").ticket;
    let (_, path) = seats.paths("asked").unwrap().remove(0);
    let again = pending(&seats, "anna");
    assert!(again.ticket == first && again.is_earlier);
    drop(again);
    for other in [String::new(), "no ticket".into(), "z".repeat(100)] {
        fs::write(&path, other).unwrap();
        let new = pending(&seats, "anna");
        assert!(new.ticket != first && !new.is_earlier);
        let ticket = new.ticket;
        drop(new);
        assert_eq!(pending(&seats, "anna").ticket, ticket);
    }
    pending(&seats, "anna").remove();
    assert!(!path.exists());
}

#[test]
fn pending_tickets_are_removed_like_seats_and_with_their_own_seat() {
    let (_folder, seats) = store();
    let used = pending(&seats, "used");
    let count = || seats.paths("asked").unwrap().len();
    let make_older = |skipped: usize, by: Duration| {
        for (_, path) in seats.paths("asked").unwrap().into_iter().skip(skipped) {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - by).unwrap();
        }
    };
    make_older(0, MAX_AGE / 2);
    for number in 0..MAX_SEATS {
        fs::write(seats.folder.join(format!("{number}.asked")), "").unwrap();
    }
    drop(pending(&seats, "anna"));
    assert_eq!(count(), MAX_SEATS + 1, "one is beyond the maximum, and a window uses the oldest");
    make_older(1, MAX_AGE + Duration::from_hours(1));
    seats.prune().unwrap();
    assert_eq!(count(), 2, "the young one, and the one in use");
    drop(used);
    let ticket = pending(&seats, "anna").ticket;
    seats.give_up(&SavedSeat { ticket, ..seat(1, 1) }).unwrap();
    assert_eq!(count(), 1);
}

#[test]
fn the_addresses_of_other_servers_are_kept_with_a_seat_as_far_as_its_file_has_room() {
    let (_folder, seats) = store();
    let long = format!("{}:1", "x".repeat(200));
    let others =
        |range: std::ops::Range<u8>| range.map(|last| format!("10.0.0.{last}:7646").parse().unwrap());
    let many = std::iter::once(long.parse().unwrap()).chain(others(0..20)).collect();
    let kept = SavedSeat { others: many, ..seat(1, 1) };
    seats.keep(&kept).unwrap();
    let found = seats.all().unwrap();
    assert_eq!(found, [SavedSeat { others: others(0..8).collect(), ..kept }]);
}

#[test]
fn a_seat_without_other_addresses_is_kept_as_it_was_before_there_were_any() {
    let (_folder, seats) = store();
    seats.keep(&seat(1, 1)).unwrap();
    let text = fs::read_to_string(seats.path(&seat(1, 1))).unwrap();
    assert!(!text.contains("others"), "{text}");
    assert_eq!(seats.all().unwrap(), [seat(1, 1)]);
}
