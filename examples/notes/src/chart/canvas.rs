//! Bars, lines and text on a picture. Places outside it are left out.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Rect, Transform};

/// Red, green, blue.
pub(super) type Color = [u8; 3];

/// How a text looks.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) color: Color,
    pub(super) size: Size,
    pub(super) align: Align,
}

/// The size of a text's letters; the large ones are bold.
#[derive(Clone, Copy)]
pub(super) enum Size {
    Large,
    Small,
}

/// Which part of a text stands at the place given.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
}

/// A picture being drawn; the origin is its upper left corner, the unit a pixel.
pub(super) struct Canvas {
    pixmap: Pixmap,
}

impl Canvas {
    /// `None` when a side is 0.
    pub(super) fn new(width: u16, height: u16, background: Color) -> Option<Self> {
        let mut pixmap = Pixmap::new(width.into(), height.into())?;
        let [red, green, blue] = background;
        pixmap.fill(tiny_skia::Color::from_rgba8(red, green, blue, u8::MAX));
        Some(Self { pixmap })
    }

    /// A level line, one pixel high.
    pub(super) fn line(&mut self, left: u16, right: u16, y: u16, color: Color) {
        if let Some(rect) = Rect::from_ltrb(left.into(), y.into(), right.into(), f32::from(y) + 1.0)
        {
            self.pixmap
                .fill_rect(rect, &paint(color), Transform::identity(), None);
        }
    }

    /// A bar whose upper corners are round. Nothing when it has no height.
    pub(super) fn bar(&mut self, left: u16, top: u16, width: u16, height: u16, color: Color) {
        let round = 4.0_f32.min(f32::from(width) / 2.0).min(f32::from(height));
        let (left, top) = (f32::from(left), f32::from(top));
        let (right, bottom) = (left + f32::from(width), top + f32::from(height));
        let mut path = PathBuilder::new();
        path.move_to(left, bottom);
        path.line_to(left, top + round);
        path.quad_to(left, top, left + round, top);
        path.line_to(right - round, top);
        path.quad_to(right, top, right, top + round);
        path.line_to(right, bottom);
        path.close();
        if height > 0
            && let Some(path) = path.finish()
        {
            let (paint, still) = (paint(color), Transform::identity());
            self.pixmap
                .fill_path(&path, &paint, FillRule::Winding, still, None);
        }
    }

    /// One line of ASCII text whose upper edge is `y`; other characters leave a gap.
    pub(super) fn text(&mut self, text: &str, x: u16, y: u16, style: Style) {
        let (weight, height) = match style.size {
            Size::Large => (FontWeight::Bold, RasterHeight::Size24),
            Size::Small => (FontWeight::Regular, RasterHeight::Size16),
        };
        let advance = get_raster_width(weight, height);
        let length = text.chars().count() * advance;
        let start = match style.align {
            Align::Left => x.into(),
            Align::Middle => usize::from(x).saturating_sub(length / 2),
            Align::Right => usize::from(x).saturating_sub(length),
        };
        for (index, character) in text.chars().enumerate() {
            let Some(glyph) = get_raster(character, weight, height) else {
                continue;
            };
            for (row, shades) in glyph.rows().enumerate() {
                for (column, shade) in shades.iter().enumerate() {
                    let x = start + index * advance + column;
                    self.shade(x, usize::from(y) + row, style.color, *shade);
                }
            }
        }
    }

    /// `None` when the picture cannot be encoded.
    pub(super) fn into_png(self) -> Option<Vec<u8>> {
        self.pixmap.encode_png().ok()
    }

    /// Mixes a colour into one pixel; `share` is out of 255.
    fn shade(&mut self, x: usize, y: usize, color: Color, share: u8) {
        let Ok(width) = usize::try_from(self.pixmap.width()) else {
            return;
        };
        let (pixels, _) = self.pixmap.data_mut().as_chunks_mut::<4>();
        let Some(pixel) = pixels.get_mut(y * width + x).filter(|_| x < width) else {
            return;
        };
        for (channel, over) in pixel.iter_mut().zip(color) {
            let mixed = u16::from(*channel) * u16::from(u8::MAX - share)
                + u16::from(over) * u16::from(share);
            *channel = u8::try_from(mixed / u16::from(u8::MAX)).unwrap_or(over);
        }
    }
}

fn paint(color: Color) -> Paint<'static> {
    let [red, green, blue] = color;
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, u8::MAX);
    paint
}
