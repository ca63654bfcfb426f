//! Turns, contender after contender, round after round.

use crate::{Failure, client::Sample, figures::Figures};

/// What the contenders of one row came to; those that can't do it are left out.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) title: String,
    cells: Vec<Option<Vec<Sample>>>,
}

/// Which of the two figures.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Figure {
    Rate,
    Cpu,
}

impl Row {
    /// Gives each contender that is there its turn, in every round.
    pub(crate) fn measure<T>(
        title: String,
        contenders: &mut [Option<T>],
        rounds: usize,
        mut turn: impl FnMut(&mut T) -> Result<Sample, Failure>,
    ) -> Result<Self, Failure> {
        let mut cells: Vec<_> = contenders
            .iter()
            .map(|contender| contender.as_ref().map(|_there| Vec::new()))
            .collect();
        for _ in 0..rounds {
            for (contender, cell) in contenders.iter_mut().zip(&mut cells) {
                if let (Some(contender), Some(samples)) = (contender, cell) {
                    samples.push(turn(contender)?);
                }
            }
        }
        Ok(Self { title, cells })
    }

    /// One contender's figures.
    pub(crate) fn figures(&self, contender: usize, figure: Figure) -> Option<Figures> {
        let samples = self.cells.get(contender)?.as_ref()?;
        Some(samples.iter().map(|sample| figure.of(sample)).collect())
    }

    /// One contender's over another's, round by round.
    pub(crate) fn ratio(&self, one: usize, other: usize, figure: Figure) -> Option<Figures> {
        let pick = |contender: usize| self.cells.get(contender)?.as_ref();
        let pairs = pick(one)?.iter().zip(pick(other)?);
        Some(
            pairs
                .map(|(one, other)| figure.of(one) / figure.of(other))
                .collect(),
        )
    }

    /// A cell for each contender.
    pub(crate) fn cells(&self, figure: Figure) -> Vec<String> {
        let cell = |contender| {
            self.figures(contender, figure)
                .map_or_else(|| "—".to_owned(), |figures| figures.to_string())
        };
        (0..self.cells.len()).map(cell).collect()
    }
}

impl Figure {
    fn of(self, sample: &Sample) -> f64 {
        match self {
            Self::Rate => sample.rate,
            Self::Cpu => sample.cpu,
        }
    }
}
