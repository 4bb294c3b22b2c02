//! Fixed time zones.

/// Seconds by which a fixed time zone is ahead of UTC; `None` for any other zone.
pub fn offset_of_zone(zone: &str) -> Option<i32> {
    if matches!(zone, "UTC" | "Z" | "utc" | "Etc/UTC" | "GMT") {
        return Some(0);
    }
    let (sign, rest) = match zone.as_bytes() {
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest {
        [h1, h2] => ([*h1, *h2], [b'0', b'0']),
        [h1, h2, b':', m1, m2] | [h1, h2, m1, m2] => ([*h1, *h2], [*m1, *m2]),
        _ => return None,
    };
    let number = |digits: [u8; 2]| str::from_utf8(&digits).ok()?.parse::<u8>().ok();
    Some(sign * (i32::from(number(hours)?) * 60 + i32::from(number(minutes)?)) * 60)
}
