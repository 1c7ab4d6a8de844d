//! Reading QR codes, as a phone does.

use std::collections::BTreeSet;

/// How many pixels a module has in the picture.
const SCALE: usize = 4;

/// The text of the QR code in a square of modules, light ones around it included.
pub(crate) fn read(side: usize, is_dark: impl Fn(usize, usize) -> bool) -> String {
    let pixel = |x: usize, y: usize| if is_dark(x / SCALE, y / SCALE) { 0 } else { 255 };
    let mut picture = rqrr::PreparedImage::prepare_from_greyscale(side * SCALE, side * SCALE, pixel);
    let codes = picture.detect_grids();
    assert_eq!(codes.len(), 1, "there is one QR code");
    codes[0].decode().unwrap().1
}

/// The text of the first QR code in this HTML; `None` if there is none.
pub(crate) fn in_html(html: &str) -> Option<String> {
    let (_, svg) = html.split_once("<svg class=\"qr\" role=\"img\" aria-label=\"")?;
    let between = |start: &str, end: &str| svg.split_once(start).unwrap().1.split_once(end).unwrap().0;
    let side = between("viewBox=\"0 0 ", " ").parse().unwrap();
    let mut dark = BTreeSet::new();
    for run in between(" d=\"M", "\"").split('M') {
        let (x, rest) = run.split_once(' ').unwrap();
        let (y, length) = rest.split_once(".5h").unwrap();
        let [x, y, length] = [x, y, length].map(|number| number.parse::<usize>().unwrap());
        dark.extend((x..x + length).map(|x| (x, y)));
    }
    Some(read(side, |x, y| dark.contains(&(x, y))))
}
