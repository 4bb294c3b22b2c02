//! Fixed time zones.

use arrow_schema::DataType;

/// Seconds by which the zone of timestamps is ahead of UTC; 0 for other types and for zones that are not fixed.
pub fn offset_of(data_type: &DataType) -> i32 {
    match data_type {
        DataType::Timestamp(_, Some(zone)) => offset_of_zone(zone).unwrap_or(0),
        _ => 0,
    }
}

/// Seconds by which a fixed time zone is ahead of UTC; `None` for any other zone.
pub fn offset_of_zone(zone: &str) -> Option<i32> {
    match zone {
        "UTC" | "Z" | "utc" | "Etc/UTC" | "GMT" => Some(0),
        zone => parse_offset(zone.as_bytes()),
    }
}

/// The seconds in `+02:00`, `+0200` or `+02`.
pub fn parse_offset(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match *digits {
        [tens, ones] => ([tens, ones], *b"00"),
        [h1, h2, b':', m1, m2] | [h1, h2, m1, m2] => ([h1, h2], [m1, m2]),
        _ => return None,
    };
    let number = |digits: [u8; 2]| {
        let [tens, ones] = digits.map(|digit| i32::from(digit) - i32::from(b'0'));
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then_some(10 * tens + ones)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_digits_and_exist() {
        let seconds = |hours: i32, minutes: i32| Some((hours * 60 + minutes) * 60);
        for (zone, offset) in [
            ("UTC", Some(0)),
            ("+02", seconds(2, 0)),
            ("+0530", seconds(5, 30)),
            ("-0930", seconds(-9, -30)),
            ("+23:59", seconds(23, 59)),
            ("+24:00", None),
            ("+02:60", None),
            ("++2:00", None),
            ("+02:+5", None),
            ("+2", None),
            ("+2:000", None),
            ("+ab:cd", None),
            ("02:00", None),
            ("+", None),
            ("", None),
            ("Europe/Berlin", None),
        ] {
            assert_eq!(offset_of_zone(zone), offset, "{zone}");
        }
    }
}
