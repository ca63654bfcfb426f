//! Medians, ranges and ratios.

use std::fmt;

/// Measurements of one thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures(Vec<f64>);

impl Figures {
    pub(crate) fn median(&self) -> f64 {
        let middle = self.0.len() / 2;
        match self.0.len() {
            0 => f64::NAN,
            even if even % 2 == 0 => f64::midpoint(self.0[middle - 1], self.0[middle]),
            _ => self.0[middle],
        }
    }

    fn range(&self) -> (f64, f64) {
        let first = self.0.first().copied().unwrap_or(f64::NAN);
        (first, self.0.last().copied().unwrap_or(f64::NAN))
    }
}

impl FromIterator<f64> for Figures {
    fn from_iter<T: IntoIterator<Item = f64>>(figures: T) -> Self {
        let mut figures: Vec<_> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        Self(figures)
    }
}

/// The median, and the range in parentheses.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = self.range();
        let [median, least, most] = [self.median(), least, most].map(short);
        if self.0.len() < 2 {
            return f.write_str(&median);
        }
        write!(f, "{median} ({least}–{most})")
    }
}

/// Three significant digits, as a person would write them.
pub(crate) fn short(value: f64) -> String {
    if !value.is_finite() {
        "—".to_owned()
    } else if value >= 100.0 {
        grouped(value)
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else if value >= 0.1 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

/// A whole number with its thousands apart.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of bytes.
pub(crate) fn bytes(count: u64) -> String {
    let kibibytes = count as f64 / 1024.0;
    match count {
        0..1_024 => format!("{count} B"),
        1_024..10_485_760 => format!("{} KiB", short(kibibytes)),
        _ => format!("{} MiB", short(kibibytes / 1024.0)),
    }
}

/// The exponent with which `y` grows in `x`: 0 for a constant, 1 for a line.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| logs.iter().map(pick).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let above: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let below: f64 = logs.iter().map(|point| (point.0 - x).powi(2)).sum();
    above / below
}
