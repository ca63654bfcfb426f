//! A picture of how many notes were written each week.

mod canvas;

use canvas::{Align, Canvas, Color, Size, Style};

use crate::store::Week;

/// The longest stretch that a chart shows.
pub(crate) const MAX_WEEKS: u16 = 52;

/// Draws one bar a week as a PNG. The weeks run from the oldest; past [`MAX_WEEKS`] the oldest are
/// left out.
///
/// # Errors
///
/// [`ChartError`] when the picture cannot be made.
pub(crate) fn render(weeks: &[Week]) -> Result<Vec<u8>, ChartError> {
    let surplus = weeks.len().saturating_sub(usize::from(MAX_WEEKS));
    let weeks = weeks.get(surplus..).unwrap_or_default();
    let mut canvas = Canvas::new(WIDTH, HEIGHT, WHITE).ok_or(ChartError)?;
    let scale = Scale::up_to(weeks.iter().map(|week| week.notes).max().unwrap_or(0));
    draw_heading(&mut canvas, weeks);
    draw_grid(&mut canvas, &scale);
    draw_bars(&mut canvas, weeks, &scale);
    canvas.into_png().ok_or(ChartError)
}

/// The picture could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the chart cannot be drawn")]
pub(crate) struct ChartError;

const WIDTH: u16 = 960;
const HEIGHT: u16 = 480;

// The edges of the plot.
const LEFT: u16 = 72;
const RIGHT: u16 = 928;
const TOP: u16 = 104;
const BOTTOM: u16 = 424;

const WHITE: Color = [0xff, 0xff, 0xff];
const PALE: Color = [0xe4, 0xe7, 0xec];
const GREY: Color = [0x66, 0x70, 0x85];
const BLACK: Color = [0x1d, 0x29, 0x39];
const BLUE: Color = [0x3b, 0x6f, 0xb6];
const LIGHT_BLUE: Color = [0x9d, 0xbc, 0xe3];

const TITLE: Style = Style {
    color: BLACK,
    size: Size::Large,
    align: Align::Left,
};
const CAPTION: Style = Style {
    color: GREY,
    size: Size::Small,
    align: Align::Left,
};
const MARK: Style = Style {
    color: GREY,
    size: Size::Small,
    align: Align::Right,
};
const NUMBER: Style = Style {
    color: BLACK,
    size: Size::Small,
    align: Align::Middle,
};
const DAY: Style = Style {
    color: GREY,
    size: Size::Small,
    align: Align::Middle,
};

/// The vertical axis: round steps, at most five of them.
struct Scale {
    step: u32,
    top: u32,
}

impl Scale {
    fn up_to(most: u32) -> Self {
        let most = most.max(4);
        let rounds = (0..).map_while(|power| 10_u32.checked_pow(power));
        let mut steps = rounds.flat_map(|round| [1, 2, 5].map(|step| round.saturating_mul(step)));
        let step = steps.find(|step| most.div_ceil(*step) <= 5).unwrap_or(most);
        Self {
            step,
            top: most.div_ceil(step).saturating_mul(step),
        }
    }

    fn marks(&self) -> impl Iterator<Item = u32> {
        (0..=self.top / self.step).map(|mark| mark * self.step)
    }

    /// How far above the axis a number stands, in pixels.
    fn height(&self, notes: u32) -> u16 {
        let height = u64::from(BOTTOM - TOP) * u64::from(notes) / u64::from(self.top);
        u16::try_from(height).unwrap_or(BOTTOM - TOP)
    }
}

fn draw_heading(canvas: &mut Canvas, weeks: &[Week]) {
    let total: u64 = weeks.iter().map(|week| u64::from(week.notes)).sum();
    let (notes, weeks) = (count(total, "note"), count(weeks.len(), "week"));
    let summary = format!("{notes} in {weeks}; a week is named by its Monday");
    canvas.text("Notes per week", LEFT, 28, TITLE);
    canvas.text(&summary, LEFT, 58, CAPTION);
}

fn draw_grid(canvas: &mut Canvas, scale: &Scale) {
    for mark in scale.marks() {
        let y = BOTTOM - scale.height(mark);
        let color = if mark == 0 { GREY } else { PALE };
        canvas.line(LEFT, RIGHT, y, color);
        canvas.text(&mark.to_string(), LEFT - 12, y - 8, MARK);
    }
}

fn draw_bars(canvas: &mut Canvas, weeks: &[Week], scale: &Scale) {
    /// Room for a label such as `23 Nov`.
    const DAY_WIDTH: u16 = 60;
    /// Room for a number above a bar.
    const NUMBER_WIDTH: u16 = 28;

    let count = u16::try_from(weeks.len()).unwrap_or(MAX_WEEKS);
    let edge = |index: u16| LEFT + (RIGHT - LEFT) * index / count;
    for (index, week) in (0..count).zip(weeks) {
        let (left, right) = (edge(index), edge(index + 1));
        let room = right - left;
        let width = (room * 2 / 3).min(64);
        let middle = left.midpoint(right);
        let height = scale.height(week.notes);
        // The last week is not over yet.
        let color = if index + 1 == count { LIGHT_BLUE } else { BLUE };
        canvas.bar(middle - width / 2, BOTTOM - height, width, height, color);
        if room >= NUMBER_WIDTH && week.notes > 0 {
            canvas.text(
                &week.notes.to_string(),
                middle,
                BOTTOM - height - 20,
                NUMBER,
            );
        }
        // Counted from the last week, so that it always has its label.
        if (count - 1 - index).is_multiple_of(DAY_WIDTH.div_ceil(room)) {
            canvas.text(&day(&week.monday), middle, BOTTOM + 12, DAY);
        }
    }
}

fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `2026-11-23` as `23 Nov`.
fn day(date: &str) -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut parts = date
        .split('-')
        .skip(1)
        .map_while(|part| part.parse::<usize>().ok());
    match (
        parts
            .next()
            .and_then(|month| MONTHS.get(month.checked_sub(1)?)),
        parts.next(),
    ) {
        (Some(month), Some(day)) => format!("{day} {month}"),
        _ => date.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weeks(notes: &[u32]) -> Vec<Week> {
        let monday = |index: usize| format!("2026-{:02}-{:02}", 1 + index / 4, 1 + index % 4 * 7);
        let weeks = notes.iter().enumerate();
        weeks
            .map(|(index, &notes)| Week {
                monday: monday(index),
                notes,
            })
            .collect()
    }

    #[test]
    fn the_scale_is_round_and_reaches_the_largest_number() {
        for (most, step, top) in [
            (0, 1, 4),
            (5, 1, 5),
            (6, 2, 6),
            (11, 5, 15),
            (99, 20, 100),
            (101, 50, 150),
        ] {
            let scale = Scale::up_to(most);
            assert_eq!((scale.step, scale.top), (step, top), "up to {most}");
            assert_eq!(scale.height(top), BOTTOM - TOP);
        }
        assert_eq!(Scale::up_to(u32::MAX).height(u32::MAX), BOTTOM - TOP);
    }

    #[test]
    fn days_are_short() {
        assert_eq!(day("2026-11-03"), "3 Nov");
        assert_eq!(day("2026-13-03"), "2026-13-03");
        assert_eq!(day(""), "");
    }

    #[test]
    fn any_number_of_weeks_gives_a_picture() {
        let year: Vec<u32> = (0..60).map(|week| week * 7 % 23).collect();
        for notes in [&[][..], &[0], &[3], &[u32::MAX; 3], &year] {
            let png = render(&weeks(notes)).unwrap();
            assert!(
                png.starts_with(b"\x89PNG\r\n\x1a\n"),
                "{} weeks",
                notes.len()
            );
        }
    }

    #[test]
    fn more_notes_give_more_ink() {
        let ink = |notes: &[u32]| {
            let picture = tiny_skia::Pixmap::decode_png(&render(&weeks(notes)).unwrap()).unwrap();
            let blue = |pixel: &&tiny_skia::PremultipliedColorU8| {
                [pixel.red(), pixel.green(), pixel.blue()] == BLUE
            };
            picture.pixels().iter().filter(blue).count()
        };
        assert_eq!(ink(&[0, 4]), 0);
        let (one, four) = (ink(&[1, 4]), ink(&[4, 4]));
        assert!(one > 0 && four > 3 * one, "{one} {four}");
    }
}
