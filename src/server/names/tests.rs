//! Tests: names that are equal or look alike, on one server and among several.

use std::collections::BTreeSet;
use std::task::{Context, Waker};

use super::super::peers::fake::FakePeers;
use super::*;

#[test]
fn equal_names_get_numbers_until_they_are_free_again() {
    let names = Names::new(None);
    let anna = Name::clean("Anna").unwrap();
    let first = names.claim(&anna);
    let second = names.claim(&Name::clean("anna").unwrap());
    assert_eq!((first.name().as_str(), second.name().as_str()), ("Anna", "anna-2"));
    drop(first);
    assert_eq!(names.claim(&anna).name().as_str(), "Anna");
}

#[test]
fn the_lowest_free_number_is_given_even_if_another_player_chose_one() {
    let (names, anna) = (Names::new(None), Name::clean("anna").unwrap());
    let chosen = names.claim(&Name::clean("anna-3").unwrap());
    let mut claims: Vec<_> = (0..4).map(|_| names.claim(&anna)).collect();
    let called = |claims: &[NameClaim]| -> Vec<_> {
        claims.iter().map(|claim| claim.name().as_str().to_owned()).collect()
    };
    assert_eq!(called(&claims), ["anna", "anna-2", "anna-4", "anna-5"]);
    claims.drain(1..3);
    claims.extend([(); 3].map(|()| names.claim(&anna)));
    assert_eq!(called(&claims), ["anna", "anna-5", "anna-2", "anna-4", "anna-6"]);
    drop((chosen, claims));
    assert_eq!(*names.0.in_use.lock(), *Names::new(None).0.in_use.lock());
}

#[test]
fn a_crowd_of_one_name_is_not_counted_through() {
    let (names, anna) = (Names::new(None), Name::clean("anna").unwrap());
    let claims: Vec<_> = (0..3_000).map(|_| names.claim(&anna)).collect();
    let called: HashSet<_> = claims.iter().map(|claim| claim.name().folded()).collect();
    assert_eq!((called.len(), called.contains("anna-200")), (claims.len(), true));
}

#[test]
fn a_name_that_looks_like_one_in_use_gets_a_number() {
    for (first, second, given) in [
        ("coco", "сосо", "сосо-2"),
        ("Ian", "lan", "lan-2"),
        ("Zoe", "Zoë", "Zoë"),
        ("anna", "𝐚𝐧𝐧𝐚", "𝐚𝐧𝐧𝐚-2"),
        ("вася", "ВАСЯ", "ВАСЯ-2"),
    ] {
        let names = Names::new(None);
        let _first = names.claim(&Name::clean(first).unwrap());
        assert_eq!(names.claim(&Name::clean(second).unwrap()).name().as_str(), given);
    }
}

#[test]
fn nobody_is_called_as_the_bot_is_or_by_a_word_that_means_somebody_else() {
    for (wanted, given) in [
        ("Minimax", "Minimax-2"),
        ("m1nimax", "m1nimax-2"),
        ("You", "You-2"),
        ("Y0u", "Y0u-2"),
        ("ｙou", "ｙou-2"),
        ("nobody", "nobody-2"),
        ("The host", "The host-2"),
    ] {
        assert_eq!(Names::new(None).claim(&Name::clean(wanted).unwrap()).name().as_str(), given);
    }
}

#[test]
fn the_reserved_words_are_folded_and_the_bots_name_is_among_them() {
    assert!([Name::bot(), Name::other_bot()].iter().all(|bot| RESERVED.contains(&bot.folded().as_str())));
    assert!(RESERVED.iter().all(|word| Name::clean(word).unwrap().folded() == *word));
    assert!(RESERVED.iter().all(|word| Names::new(None).0.in_use.lock().keys.contains(*word)));
}

/// What this server's names and the others' are called.
fn called(claims: &[&NameClaim]) -> Vec<String> {
    claims.iter().map(|claim| claim.name().as_str().to_owned()).collect()
}

#[tokio::test]
async fn a_name_that_another_server_has_gets_a_number_and_is_released_in_the_end() {
    let peers = FakePeers::new();
    peers.have_names(&["anna", "anna-3"]);
    let names = Names::new(Some(Arc::clone(&peers) as Arc<dyn Peers>));
    let anna = Name::clean("anna").unwrap();
    let second = names.claim_among_all(&anna).await;
    let fourth = names.claim_among_all(&anna).await;
    assert_eq!(called(&[&second, &fourth]), ["anna-2", "anna-4"]);
    let all = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(peers.names().here, all(&["anna-2", "anna-4"]));
    drop(second);
    assert_eq!(peers.names().here, all(&["anna-4"]));
    drop(fourth);
    assert_eq!((peers.names().here, peers.names().elsewhere), (all(&[]), all(&["anna", "anna-3"])));
    assert_eq!(*names.0.in_use.lock(), *Names::new(None).0.in_use.lock());
}

#[tokio::test]
async fn where_others_have_many_names_in_order_the_number_is_random() {
    let peers = FakePeers::new();
    peers.have_names(&["anna", "anna-2", "anna-3", "anna-4", "anna-5", "anna-6"]);
    let names = Names::new(Some(Arc::clone(&peers) as Arc<dyn Peers>));
    let claim = names.claim_among_all(&Name::clean("anna").unwrap()).await;
    let number: u32 = claim.name().as_str().strip_prefix("anna-").unwrap().parse().unwrap();
    assert!(DRAWN.contains(&number), "{number}");
    drop(claim);
    assert_eq!(*names.0.in_use.lock(), *Names::new(None).0.in_use.lock(), "those that were refused are free");
}

#[tokio::test(start_paused = true)]
async fn while_nobody_knows_what_others_have_a_name_has_a_random_number() {
    let peers = FakePeers::new();
    let names = Names::new(Some(Arc::clone(&peers) as Arc<dyn Peers>));
    let anna = Name::clean("anna").unwrap();
    peers.know_nothing_of_names(true);
    let began = Instant::now();
    let claim = names.claim_among_all(&anna).await;
    assert!(began.elapsed() <= CLAIM_WITHIN + Duration::from_millis(1), "{:?}", began.elapsed());
    let drawn = claim.name().as_str().to_owned();
    assert!(DRAWN.contains(&drawn.strip_prefix("anna-").unwrap().parse().unwrap()), "{drawn}");
    assert_eq!(peers.names().here, BTreeSet::from([drawn]), "the others hear of it later");
    peers.know_nothing_of_names(false);
    assert_eq!(names.claim_among_all(&anna).await.name().as_str(), "anna", "nobody keeps it");
    drop(claim);
    assert_eq!(peers.names().here, BTreeSet::new());
    assert_eq!(*names.0.in_use.lock(), *Names::new(None).0.in_use.lock());
}

#[tokio::test]
async fn who_stops_waiting_for_a_name_does_not_keep_it() {
    let peers = FakePeers::new();
    let names = Names::new(Some(Arc::clone(&peers) as Arc<dyn Peers>));
    let anna = Name::clean("anna").unwrap();
    let mut claiming = Box::pin(names.claim_among_all(&anna));
    assert!(claiming.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(claiming);
    assert_eq!(*names.0.in_use.lock(), *Names::new(None).0.in_use.lock());
}

#[test]
fn who_comes_with_a_name_keeps_it_whoever_has_it_and_it_is_free_after_the_last() {
    let peers = FakePeers::new();
    peers.have_names(&["anna"]);
    let names = Names::new(Some(Arc::clone(&peers) as Arc<dyn Peers>));
    let anna = Name::clean("anna").unwrap();
    let here = names.claim(&anna);
    let (seat, again) = (names.take(&anna), names.take(&anna));
    assert_eq!(called(&[&here, &seat, &again]), ["anna"; 3]);
    for claim in [here, again, seat] {
        assert_eq!(names.claim(&anna).name().as_str(), "anna-2");
        assert!(peers.names().here.contains("anna"));
        drop(claim);
    }
    assert!(!peers.names().here.contains("anna"));
    assert_eq!(*names.0.in_use.lock(), *Names::new(None).0.in_use.lock());
}

#[test]
fn who_comes_with_a_name_like_another_one_leaves_that_in_use() {
    let names = Names::new(Some(FakePeers::new() as Arc<dyn Peers>));
    let [latin, cyrillic] = ["coco", "сосо"].map(|name| Name::clean(name).unwrap());
    let (here, comes) = (names.claim(&latin), names.take(&cyrillic));
    drop(comes);
    assert_eq!(names.claim(&latin).name().as_str(), "coco-2");
    drop(here);
    assert_eq!(*names.0.in_use.lock(), *Names::new(None).0.in_use.lock());
}
