//! Which of some words a misspelt one is most like.

/// How much alike two words have to be, from 0 to 1.
const ALIKE: f64 = 0.8;

/// The longest text that is taken for a misspelt word, in bytes: a longer one takes long to compare.
const LONGEST: usize = 40;

/// The word that this unknown one is most like, if any is much like it. It measures by Jaro and Winkler, which
/// forgives missing and swapped letters and favours the same beginning; of a short word it forgives one wrong,
/// missing or swapped letter.
pub fn most_like<'a>(unknown: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    most_like_by(unknown, words.into_iter().map(|word| (word, word)))
}

/// The same for words that each stand for something: returns what the most similar one stands for.
pub fn most_like_by<'a, T>(unknown: &str, words: impl IntoIterator<Item = (&'a str, T)>) -> Option<T> {
    if unknown.len() > LONGEST {
        return None;
    }
    let alike = words.into_iter().map(|(word, meant)| (likeness(unknown, word), meant));
    alike.filter(|(alike, _)| *alike >= ALIKE).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, meant)| meant)
}

/// The word that differs from this unknown one in a single slip: one wrong, missing or additional letter, or two
/// swapped ones. It is for words beside which a person may type anything.
pub fn one_slip_from<'a>(unknown: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    words.into_iter().find(|word| unknown.len() <= LONGEST && strsim::osa_distance(unknown, word) == 1)
}

/// How much alike two words are, from 0 to 1.
fn likeness(unknown: &str, word: &str) -> f64 {
    let alike = strsim::jaro_winkler(unknown, word);
    // Jaro does not see the swap in a word of three letters.
    let is_near = unknown.len() >= 3 && strsim::osa_distance(unknown, word) == 1;
    if is_near { alike.max(ALIKE) } else { alike }
}

/// The end of a sentence that names the meant word; nothing if there is none.
pub fn did_you_mean(meant: Option<&str>) -> String {
    meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"))
}
