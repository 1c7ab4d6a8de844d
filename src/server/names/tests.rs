//! Tests: names that are equal or look alike, on one server and among several.

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
