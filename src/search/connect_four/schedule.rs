//! Which question to ask next, so that few and cheap ones find the score. It knows bounds and nothing else.

use super::Bounds;

/// The next question: whether the score is at least this. `widest` are the bounds before the first question,
/// `now` those that the answers have left, which still differ.
///
/// A win within few moves is quickly found or excluded, and its search helps the others. So the questions come in
/// from far out in two steps, then ask who wins, and then go out again one by one.
pub(super) fn next_target(widest: Bounds, now: Bounds) -> i32 {
    let most = widest.high;
    let [far, half] = [most * 2 / 3, most / 2];
    let below = if now.high > far {
        far
    } else if now.low < -far {
        -far
    } else if now.high > half {
        half
    } else if now.low < -half {
        -half
    } else if now.low < 0 && now.high > 0 {
        0
    } else if now.low >= 0 {
        now.low
    } else {
        now.high - 1
    };
    below.clamp(now.low, now.high - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_leaves_less_to_ask_until_the_score_is_known() {
        for most in 0..=20 {
            let widest = Bounds { low: -most, high: most };
            for score in -most..=most {
                let mut now = widest;
                for _ in 0..2 * most {
                    if now.low < now.high {
                        let target = next_target(widest, now);
                        assert!(now.low < target && target <= now.high);
                        // The least that an answer can say.
                        now = now.narrowed(if score >= target { target } else { target - 1 }, target);
                    }
                }
                assert_eq!(now, Bounds::exactly(score));
            }
        }
    }
}
