//! Row selections by number: `--rows`, `--limit` and `--sample`.

use std::ops::Range;

use super::options::{limited, range};
use crate::cli;
use crate::error::{Error, Result};
use crate::pipeline::{FromEnd, PipelineOptions, Sample, Source, rows_by_index};

/// A range of rows, whose ends may be counted from the end of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    range: Range<u64>,
    from_end: Option<FromEnd>,
    sample: Option<Sample>,
}

impl Rows {
    /// Parses `A..B` or, counted from the end, `-A..-B`, limited to `limit` rows.
    ///
    /// # Errors
    /// [`crate::error::Kind::Usage`] if it is not a range.
    pub fn parse(text: Option<&str>, limit: Option<u64>) -> Result<Self> {
        let ends = text.and_then(|text| text.split_once(".."));
        let Some((start, end)) = ends.filter(|(a, b)| a.starts_with('-') || b.starts_with('-'))
        else {
            return Ok(Self {
                range: limited(range("--rows", text)?, limit),
                from_end: None,
                sample: None,
            });
        };
        let text = text.unwrap_or_default();
        let unreadable = || {
            Error::usage(format!("--rows: cannot read {text:?} as a range"))
                .hint("write -10.. for the last ten, -10..-2 for those without the last two")
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| unreadable());
        let last = start.strip_prefix('-').map(number).transpose()?;
        let without = match end.strip_prefix('-') {
            Some(end) => number(end)?,
            None if end.is_empty() => 0,
            // The length of such a range depends on the number of rows.
            None => {
                let what = format!(
                    "--rows: {text} counts its first row from the end, and its last from the start"
                );
                return Err(Error::usage(what)
                    .hint("count both from the end, such as -10..-2, or both from the start"));
            }
        };
        if let Some(last) = last.filter(|last| *last < without) {
            let what = format!("--rows: {text} ends before it starts");
            return Err(Error::usage(what).hint(format!("write -{without}..-{last}")));
        }
        let first = match last {
            Some(_) => 0,
            None if start.is_empty() => 0,
            None => number(start)?,
        };
        Ok(Self {
            range: first..u64::MAX,
            from_end: Some(FromEnd {
                last,
                without,
                limit: limit.unwrap_or(u64::MAX),
            }),
            sample: None,
        })
    }

    /// The last rows.
    pub fn last(rows: u64) -> Self {
        Self {
            range: 0..u64::MAX,
            from_end: Some(FromEnd {
                last: Some(rows),
                without: 0,
                limit: u64::MAX,
            }),
            sample: None,
        }
    }

    /// Takes a sample of the rows, if requested.
    #[must_use]
    pub fn sampled(mut self, sampling: &cli::Sampling) -> Self {
        let seed = sampling.seed;
        self.sample = sampling.sample.map(|rows| Sample { rows, seed });
        self
    }

    /// True if the selection depends on the total number of rows.
    pub fn is_from_end(&self) -> bool {
        self.from_end.is_some() || self.sample.is_some()
    }

    /// Sets the options to read these rows. If an index has the number of rows, no others are read.
    ///
    /// # Errors
    /// If a source cannot be read.
    pub fn ask(&self, options: &mut PipelineOptions, sources: &[Source]) -> Result<()> {
        options.rows = self.range.clone();
        options.sample = self.sample;
        // The result must not depend on whether the number of rows is known, so look only at the options.
        let has_end = |it: FromEnd| it.without > 0 || it.limit < u64::MAX;
        let is_none = self.range.is_empty() && self.range.start > 0;
        options.keeps_ending = !is_none && !self.from_end.is_some_and(has_end);
        if let Some(from_end) = self.from_end {
            let is_all = options.filter.is_none() && options.keeps_all_frames() && !options.salvage;
            let rows = if is_all {
                rows_by_index(sources, options.max_frame)?
            } else {
                None
            };
            if let Some(rows) = rows {
                let last = from_end.last;
                let first = last.map_or(self.range.start, |last| rows.saturating_sub(last));
                let end = rows.saturating_sub(from_end.without).max(first);
                options.rows = limited(first..end, Some(from_end.limit));
            } else {
                options.from_end = Some(from_end);
            }
        }
        Ok(())
    }

    /// The number of the first row out of `rows`; negative if counted from the end. The rows of a sample are numbered
    /// from 0.
    pub fn first_number(&self, rows: u64) -> i128 {
        if self.sample.is_some() {
            return 0;
        }
        match self.from_end {
            Some(FromEnd {
                last: Some(_),
                without,
                ..
            }) => -i128::from(rows) - i128::from(without),
            _ => self.range.start.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_be_counted_from_the_end() {
        let parse = |text| Rows::parse(Some(text), None);
        let rows = |first: u64, last, without| Rows {
            range: first..u64::MAX,
            from_end: Some(FromEnd {
                last,
                without,
                limit: u64::MAX,
            }),
            sample: None,
        };
        assert_eq!(parse("-10..").unwrap(), Rows::last(10));
        assert_eq!(parse("-10..-2").unwrap(), rows(0, Some(10), 2));
        assert_eq!(parse("5..-2").unwrap(), rows(5, None, 2));
        assert_eq!(parse("..-2").unwrap(), rows(0, None, 2));
        for bad in ["-10..5", "-2..-10", "--3..", "-..", "-5", "-a..", "3..-b"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
