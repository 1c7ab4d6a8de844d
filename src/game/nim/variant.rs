//! The variants of Nim, and the parser of their texts.

use super::position::{Ending, MAX_PILE, MAX_PILES, Piles};
use crate::alike::{did_you_mean, most_like};
use crate::game::notation::{BadText, number, shown};

/// The default pile of `java-tech`.
const JAVA_TECH_PILE: u64 = 21;
/// The default pile of `zero-sum`.
const ZERO_SUM_PILE: u64 = 11;
/// The goal of the count in `one-two-ten`.
pub(super) const TEN: u64 = 10;

/// The name of a variant. Two names may have the same rules and show them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NimForm {
    /// One pile with any limit and ending.
    Take,
    /// One pile, limit 3, misère.
    JavaTech,
    /// One pile, limit 2, misère. The player who opens the lobby moves second.
    ZeroSum,
    /// A pile of ten, limit 2, normal play, shown as a count from 0 up to 10.
    OneTwoTen,
    /// Several piles.
    Piles,
}

/// A variant of Nim.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NimVariant {
    pub(super) form: NimForm,
    pub(super) piles: Piles,
    pub(super) max: Option<u64>,
    pub(super) ending: Ending,
}

impl NimVariant {
    fn one_pile(form: NimForm, pile: u64, max: u64, ending: Ending) -> Self {
        Self { form, piles: Piles::from_iter([pile]), max: Some(max), ending }
    }

    /// The goal of the count, for a variant that is shown as a count instead of a pile.
    pub fn counts_to(&self) -> Option<u64> {
        (self.form == NimForm::OneTwoTen).then_some(TEN)
    }
}

impl Default for NimVariant {
    /// `java-tech:21`.
    fn default() -> Self {
        Self::one_pile(NimForm::JavaTech, JAVA_TECH_PILE, 3, Ending::Misere)
    }
}

/// Parses a variant: see [`Rules::parse`](crate::game::Rules::parse).
pub(super) fn parse(name: &str, parameters: &[&str]) -> Option<Result<NimVariant, BadText>> {
    Some(match name {
        "take" => parse_take(parameters),
        "java-tech" => parse_pile(name, parameters, JAVA_TECH_PILE)
            .map(|pile| NimVariant::one_pile(NimForm::JavaTech, pile, 3, Ending::Misere)),
        "zero-sum" => parse_pile(name, parameters, ZERO_SUM_PILE)
            .map(|pile| NimVariant::one_pile(NimForm::ZeroSum, pile, 2, Ending::Misere)),
        "one-two-ten" => match parameters {
            [] => Ok(NimVariant::one_pile(NimForm::OneTwoTen, TEN, 2, Ending::Normal)),
            [extra, ..] => {
                Err(BadText::about(extra, "one-two-ten takes no parameters, it always counts to 10"))
            }
        },
        "nim" => parse_piles(parameters),
        _ => return None,
    })
}

/// The limits of a pile, for error messages.
const PILE_BOUNDS: &str = "a pile has 1 to 10^18 objects";

fn pile(text: &str) -> Option<u64> {
    number(text, 1, MAX_PILE)
}

fn ending(text: &str) -> Option<Ending> {
    match text {
        "normal" => Some(Ending::Normal),
        "misere" | "misère" => Some(Ending::Misere),
        _ => None,
    }
}

/// The error for a wrong pile after a variant's name.
fn bad_pile(name: &str, text: &str, example: u64) -> BadText {
    let part = format!("{name}:{text}");
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return BadText::about(&part, PILE_BOUNDS);
    }
    BadText::about(&part, format!("not a number; {PILE_BOUNDS}, as in {name}:{example}"))
}

fn parse_pile(name: &str, parameters: &[&str], default: u64) -> Result<u64, BadText> {
    match parameters {
        [] => Ok(default),
        [text] => pile(text).ok_or_else(|| bad_pile(name, text, default)),
        [_, extra, ..] => {
            Err(BadText::about(extra, format!("{name} takes one number, as in {name}:{default}")))
        }
    }
}

fn parse_take(parameters: &[&str]) -> Result<NimVariant, BadText> {
    const FORM: &str = "write take:PILE:K, as in take:21:3, and :misere after it if the last object loses";
    let (pile_text, max_text, rest) = match parameters {
        [] => return Err(BadText::about("take", FORM)),
        [pile] => return Err(BadText::about(&format!("take:{pile}"), FORM)),
        [pile, max, rest @ ..] => (pile, max, rest),
    };
    let pile = pile(pile_text).ok_or_else(|| bad_pile("take", pile_text, JAVA_TECH_PILE))?;
    let max = number(max_text, 1, MAX_PILE).ok_or_else(|| {
        BadText::about(
            &format!("take:{pile_text}:{max_text}"),
            "K, the most that a move takes, is 1 to 10^18",
        )
    })?;
    let ending = match rest {
        [] => Ending::Normal,
        [text] => ending(text).ok_or_else(|| BadText::about(text, "the ending is normal or misere"))?,
        [first, extra, ..] => {
            let before = format!("take:{pile_text}:{max_text}:{first}");
            return Err(BadText::about(&format!("{before}:{extra}"), surplus(extra, &before)));
        }
    };
    Ok(NimVariant::one_pile(NimForm::Take, pile, max, ending))
}

fn surplus(extra: &str, before: &str) -> String {
    let rule = match ending(extra) {
        Some(_) => format!("the ending is given once, as in {}", shown(before)),
        None => format!("nothing can follow {}", shown(before)),
    };
    format!("{} is one too many; {rule}", shown(extra))
}

fn parse_piles(parameters: &[&str]) -> Result<NimVariant, BadText> {
    let [piles_text, options @ ..] = parameters else {
        return Err(BadText::about("nim", "write the piles after it, as in nim:3-4-5"));
    };
    let bad = |complaint: String| BadText::about(&format!("nim:{piles_text}"), complaint);
    let mut piles = Piles::new();
    for text in piles_text.split('-') {
        let count = pile(text).ok_or_else(|| {
            bad(if piles_text.contains(',') {
                "write a hyphen between two piles, as in nim:3-4-5".into()
            } else if text.is_empty() {
                "a pile is missing next to a hyphen; write the piles as in nim:3-4-5".into()
            } else {
                format!("{:?} is not a pile: {PILE_BOUNDS}", shown(text))
            })
        })?;
        if piles.len() == MAX_PILES {
            return Err(bad(format!("there are at most {MAX_PILES} piles")));
        }
        piles.push(count);
    }
    let mut variant = NimVariant { form: NimForm::Piles, piles, max: None, ending: Ending::Normal };
    let (mut limited, mut ended) = (false, false);
    for option in options {
        if let (Some(max), false) = (option.strip_prefix("max="), limited) {
            limited = true;
            let max = number(max, 1, MAX_PILE).ok_or_else(|| BadText::about(option, "max is 1 to 10^18"))?;
            variant.max = Some(max);
        } else if let (Some(ending), false) = (ending(option), ended) {
            ended = true;
            variant.ending = ending;
        } else {
            let meant = most_like(option, ["normal", "misere"]).filter(|meant| meant != option);
            let rule = "after the piles come max=K and normal or misere, each at most once";
            return Err(BadText::about(option, format!("{rule}{}", did_you_mean(meant))));
        }
    }
    Ok(variant)
}
