//! Drawings: every text and every board is legible and in its own place, and numbers, shapes and colours
//! agree.

use super::shown;

/// Games, depths and forms of all kinds: small and wide trees, graphs that fit and graphs that do not, large
/// numbers, long names, cycles, estimates.
const DRAWN: [&str; 22] = [
    "java-tech:1",
    "java-tech:4",
    "java-tech:9",
    "java-tech:9 --graph",
    "java-tech --depth 3",
    "zero-sum:7 --graph",
    "one-two-ten",
    "one-two-ten --graph",
    "take:1000000000000000000:3:misere --depth 2",
    "nim:3-4-5 --depth 1",
    "nim:2-2-1 --graph",
    "nim:1-1-1-1-1-1-1-1-1-1 --depth 2",
    "nim:40:max=30 --depth 1",
    "even-or-odd:6",
    "even-or-odd --depth 2",
    "tic-tac-toe --depth 2",
    "tic-tac-toe --at xox/.xo/... --graph",
    "connect-four --at 44534 --depth 2",
    "pong-hau-ki --graph",
    "pong-hau-ki --depth 4",
    "mu-torere --depth 4",
    "textbook",
];

/// The widest page: at the width of A4 without margins, its text has more than 7 points.
const WIDTH: f64 = 920.0;

/// A rectangle of a drawing, with what is in it for a message.
#[derive(Debug)]
#[allow(dead_code, reason = "it is shown when a test fails")]
struct Area {
    what: String,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn contains(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

fn drawn(arguments: &str) -> String {
    let textbook = concat!("--tree ", env!("CARGO_MANIFEST_DIR"), "/tests/data/trees/textbook.tree");
    shown(&format!("tree {} --format svg", arguments.replace("textbook", textbook)))
}

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

fn number(element: &str, name: &str) -> f64 {
    attribute(element, name).and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

/// The width of a text in one of the widest fonts, in parts of the size of the type.
fn width(text: &str, bold: bool) -> f64 {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let each = |letter| match letter {
        ' ' | 'i' | 'l' | 'j' | '.' | ',' => 0.35,
        'f' | 't' | 'r' => 0.49,
        'm' | 'w' => 1.04,
        _ => 0.71,
    };
    text.chars().map(each).sum::<f64>() * if bold { 1.0 } else { 0.92 }
}

/// The area of a text element, `<text …>words`.
fn text_area(element: &str, (x, y): (f64, f64)) -> Area {
    let (tag, words) = element.split_once('>').unwrap();
    let class = attribute(tag, "class").unwrap_or_default();
    let has = |wanted| class.split(' ').any(|class| class == wanted);
    let size = if has("title") {
        20.0
    } else if has("name") {
        14.0
    } else {
        12.0
    };
    let wide = size * width(words, has("title") || has("name") || has("strong"));
    let (x, y) = (x + number(tag, "x"), y + number(tag, "y"));
    let left = if has("middle") { x - wide / 2.0 } else { x };
    Area { what: words.into(), left, top: y - 0.75 * size, right: left + wide, bottom: y + 0.2 * size }
}

/// All texts outside boards, and all boards with the texts in them.
fn areas(svg: &str) -> (Vec<Area>, Vec<(Area, Vec<Area>)>) {
    let (mut texts, mut boards) = (Vec::new(), Vec::new());
    let (_, body) = svg.split_once("</style>").unwrap();
    let mut outside = String::new();
    for (at, piece) in body.split("<svg class=\"board\"").enumerate() {
        if at == 0 {
            outside.push_str(piece);
            continue;
        }
        let (board, rest) = piece.split_once("</svg>").unwrap();
        let (tag, inside) = board.split_once('>').unwrap();
        let (left, top) = (number(tag, "x"), number(tag, "y"));
        let (right, bottom) = (left + number(tag, "width"), top + number(tag, "height"));
        let inner = inside.split("<text").skip(1).map(|text| text.split("</text>").next().unwrap());
        let inner = inner.map(|text| text_area(text, (left, top))).collect();
        boards.push((Area { what: "a board".into(), left, top, right, bottom }, inner));
        outside.push_str(rest);
    }
    for text in outside.split("<text").skip(1) {
        texts.push(text_area(text.split("</text>").next().unwrap(), (0.0, 0.0)));
    }
    (texts, boards)
}

#[test]
fn texts_and_boards_are_legible_on_a_page_and_never_overlap() {
    for arguments in DRAWN {
        let svg = drawn(arguments);
        assert!(number(&svg, "width") <= WIDTH, "{arguments}");
        let (texts, boards) = areas(&svg);
        let page = Area {
            what: "the page".into(),
            left: 0.0,
            top: 0.0,
            right: WIDTH,
            bottom: number(&svg, "height"),
        };
        for (board, inside) in &boards {
            for text in inside {
                assert!(board.contains(text), "{arguments}: {text:?} is not in {board:?}");
            }
        }
        let all: Vec<&Area> = texts.iter().chain(boards.iter().map(|(board, _)| board)).collect();
        assert!(arguments == "textbook" || boards.len() > 1, "{arguments}: {} boards", boards.len());
        for (at, one) in all.iter().enumerate() {
            assert!(page.contains(one), "{arguments}: {one:?} is not on the page");
            for other in &all[at + 1..] {
                assert!(!one.meets(other), "{arguments}: {one:?} meets {other:?}");
            }
        }
    }
}

#[test]
fn the_legend_says_what_colours_mean_and_no_sign_resembles_another() {
    let (game, numbers) = (drawn("java-tech:4"), drawn("textbook"));
    assert!(game.contains("Colour and shape of a position show who wins: blue is first, orange is second"));
    assert!(numbers.contains("Colour and shape show who moves: blue with a pointed top is max"));
    // Nobody moves in a leaf, so it has neither shape.
    assert!(
        numbers.contains("<title>h1: 10</title><rect class=\"node draw\"")
            && numbers.contains(">leaf</text>")
    );
    let style = |class: &str| {
        game.lines().find(|line| line.starts_with(class)).and_then(|line| line.split("stroke-width: ").nth(1))
    };
    assert_ne!(style(".best"), style(".end"));
    assert!(game.contains("class=\"end\"") && !numbers.contains("class=\"end\""));
}

#[test]
fn number_colour_and_shape_of_a_position_agree() {
    for arguments in DRAWN.into_iter().filter(|arguments| *arguments != "textbook") {
        for node in drawn(arguments).split("<g><title>").skip(1) {
            let class = node.split("class=\"node ").nth(1).unwrap();
            let value = node.split("<text class=\"middle strong\"").nth(1).unwrap();
            let value = value.split_once('>').unwrap().1.trim_start_matches("about ");
            let expected = match value.chars().next() {
                Some('+') => "first",
                Some('−') => "second",
                _ => "draw",
            };
            assert!(class.starts_with(expected), "{arguments}: {value} is {class}");
            let is_double = node.contains("second inner");
            assert_eq!(is_double, expected == "second", "{arguments}: {value}");
        }
    }
}

#[test]
fn a_folded_drawing_has_every_position_and_its_moves_once() {
    for (arguments, nodes, parts) in
        [("tic-tac-toe --depth 2", 82, 9), ("connect-four --at 44534 --depth 2", 57, 7)]
    {
        let svg = drawn(arguments);
        // The first position of a further part is drawn again.
        assert_eq!(svg.matches("<g><title>").count(), nodes + parts - 1, "{arguments}");
        for part in 2..=parts {
            assert_eq!(svg.matches(&format!(" id=\"part{part}\"")).count(), 1, "{arguments}");
            assert_eq!(svg.matches(&format!("href=\"#part{part}\"")).count(), 1, "{arguments}");
        }
    }
    for graph in ["nim:2-2-1 --graph", "pong-hau-ki --graph"] {
        let json: serde_json::Value =
            serde_json::from_str(&shown(&format!("tree {graph} --format json"))).unwrap();
        let nodes = json["nodes"].as_array().unwrap();
        let moves: usize = nodes.iter().map(|node| node["moves"].as_array().unwrap().len()).sum();
        assert_eq!(drawn(graph).matches("<path class=\"move").count(), moves + 1, "{graph}, and the legend");
    }
    assert!(drawn("nim:2-2-1 --graph").contains(">see above<"));
}

#[test]
fn boards_are_drawn_as_boards_and_large_piles_as_numbers() {
    let svg = drawn("tic-tac-toe --at x.o/.x./..o --depth 1");
    let board = svg.split("<svg class=\"board\"").nth(1).unwrap().split("</svg>").next().unwrap();
    assert_eq!((board.matches("<path class=\"x\"").count(), board.matches("<circle").count()), (2, 2));
    assert!(drawn("connect-four --at 4453 --depth 1").contains("class=\"disc x\""));
    assert!(drawn("java-tech:4").contains("class=\"sticks\""));
    let large = drawn("java-tech --depth 1");
    assert!(large.contains(">21</text>") && !large.contains("class=\"sticks\""));
}
