//! Formats for people: counts, sizes, percentages, long text.

use std::time::Duration;

use crate::error::{Error, Result};

/// Groups digits by thousands: `92,263`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things: `1 frame`, `2,000 rows`, `3 leaves`.
pub fn counted(number: u64, what: &str) -> String {
    let shown = grouped(number);
    match what {
        _ if number == 1 => format!("{shown} {what}"),
        "leaf" => format!("{shown} leaves"),
        "entry" => format!("{shown} entries"),
        _ => format!("{shown} {what}s"),
    }
}

/// Cuts the text to at most `most` characters; if anything was cut, the last one is `…`.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// The end of a list that is shortened: ` and 3 more`; empty if nothing is left out.
pub fn and_more(left_out: usize) -> String {
    match left_out {
        0 => String::new(),
        _ => format!(" and {left_out} more"),
    }
}

/// A note about bytes after the last frame that are not a frame.
pub fn trailing_bytes_note(bytes: u64) -> String {
    let are = if bytes == 1 { "is" } else { "are" };
    format!(
        "{} after the last frame {are} not a frame",
        counted(bytes, "byte")
    )
}

/// A size with one decimal in powers of 1000, rounded half up: `886 B`, `92.3 kB`, `4.6 MB`.
pub fn human(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut unit: u128 = 1000;
    for name in ["kB", "MB", "GB", "TB", "PB"] {
        let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
        if tenths < 10_000 {
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
        unit *= 1000;
    }
    let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
    format!("{}.{} EB", tenths / 10, tenths % 10)
}

/// A percentage with one decimal, rounded half up: `36.3 %`; `-` if `whole` is 0.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let whole = u128::from(whole);
    let tenths = (u128::from(part) * 1000 + whole / 2) / whole;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Parses a size: bytes, or a number with a unit, such as `64K`, `1.5GiB` or `2 GB`.
///
/// `K`, `M`, `G` and `T`, alone or with `iB`, are powers of 1024; with `B`, of 1000. Case is
/// ignored. A fraction of a byte is dropped.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if it is not a size or does not fit in 64 bits.
pub fn parse_size(text: &str) -> Result<u64> {
    let unreadable = || {
        Error::usage(format!("cannot read {text:?} as a size"))
            .hint("write bytes or a number with a unit, such as 64K, 512MiB or 2GB")
    };
    let trimmed = text.trim();
    let end = trimmed
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    let unit = unit_bytes(unit.trim_start()).ok_or_else(unreadable)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return Err(unreadable());
    }
    let too_large = || Error::usage(format!("size {text:?} does not fit in 64 bits"));
    // Nine decimals distinguish bytes up to a gigabyte; further digits are less than a byte.
    let fraction = &fraction[..fraction.len().min(9)];
    let scale = 10_u128.pow(fraction.len() as u32);
    let part: u128 = fraction.parse().map_err(|_| unreadable())?;
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let bytes = u128::from(whole) * unit + part * unit / scale;
    u64::try_from(bytes).map_err(|_| too_large())
}

/// Parses a time in milliseconds or seconds, such as `500ms` or `1.5s`.
///
/// # Errors
/// [`crate::error::Kind::Usage`] if it is not a time.
pub fn parse_time(text: &str) -> Result<Duration> {
    let trimmed = text.trim();
    let (number, unit_secs) = match (trimmed.strip_suffix("ms"), trimmed.strip_suffix('s')) {
        (Some(number), _) => (number, 0.001),
        (None, Some(number)) => (number, 1.0),
        (None, None) => ("", 1.0),
    };
    let number = number.trim_end();
    let is_plain = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = number.parse().ok().filter(|_| is_plain);
    let time = seconds.and_then(|count: f64| Duration::try_from_secs_f64(count * unit_secs).ok());
    time.ok_or_else(|| {
        Error::usage(format!("cannot read {text:?} as a time"))
            .hint("write a number with ms or s, such as 500ms or 2s")
    })
}

fn unit_bytes(name: &str) -> Option<u128> {
    const PREFIXES: &str = "kmgt";
    let name = name.to_ascii_lowercase();
    if name.is_empty() || name == "b" {
        return Some(1);
    }
    let power = PREFIXES.find(name.chars().next()?)? as u32 + 1;
    match &name[1..] {
        "" | "ib" => Some(1024_u128.pow(power)),
        "b" => Some(1000_u128.pow(power)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (92_263, "92,263"),
            (12_700_001, "12,700,001"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn rounding_can_move_a_size_to_the_next_unit() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (92_263, "92.3 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (4_600_263, "4.6 MB"),
            (u64::MAX, "18.4 EB"),
        ] {
            assert_eq!(human(bytes), text);
        }
    }

    #[test]
    fn percentages_are_rounded_and_undefined_without_a_whole() {
        assert_eq!(percent(92_263, 254_001), "36.3 %");
        assert_eq!(percent(0, 7), "0.0 %");
        assert_eq!(percent(7, 7), "100.0 %");
        assert_eq!(percent(u64::MAX, u64::MAX), "100.0 %");
        assert_eq!(percent(0, 0), "-");
    }

    #[test]
    fn times_need_a_unit() {
        for (text, millis) in [("500ms", 500), ("2s", 2000), ("1.5 s", 1500), (" 0ms", 0)] {
            assert_eq!(parse_time(text).unwrap(), Duration::from_millis(millis));
        }
        for text in [
            "",
            "5",
            "ms",
            "-1s",
            "1e3s",
            "infs",
            "1min",
            "2 S",
            "99999999999999999999999s",
        ] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_parsed_in_both_families_of_units() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("64K", 65_536),
            ("64kB", 64_000),
            ("512MiB", 536_870_912),
            ("1GiB", 1 << 30),
            ("1gib", 1 << 30),
            ("2GB", 2_000_000_000),
            (" 2 GB ", 2_000_000_000),
            ("1.5GiB", 1_610_612_736),
            ("0.1B", 0),
            ("1T", 1 << 40),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_size(text).unwrap(), bytes, "{text}");
        }
    }

    #[test]
    fn invalid_sizes_are_rejected_with_a_hint() {
        for text in [
            "", "K", "GiB", "-1", "1..5", ".5K", "5.K", "1e9", "1Q", "1KK", "1iB", "1 K B", "١",
        ] {
            let error = parse_size(text).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains("such as 64K"), "{text}");
        }
        for text in ["18446744073709551616", "99999999T", "18446744073709551615K"] {
            assert!(
                parse_size(text)
                    .unwrap_err()
                    .to_string()
                    .contains("64 bits")
            );
        }
    }
}
