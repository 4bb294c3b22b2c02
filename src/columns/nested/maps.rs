//! Distinguishes objects whose keys are data, `{"138586341": {..}, ..}`, from records.

use super::{MAX_FIELDS, Tag};

/// Records rarely have more keys, so objects with more may be maps.
pub const MANY_KEYS: usize = 64;

/// True for a key that looks like an id: a number, a UUID, a hash or a date.
pub fn looks_like_id(key: &[u8]) -> bool {
    let digits = key.iter().filter(|byte| byte.is_ascii_digit()).count();
    let hex = key.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    let dashes = memchr::memchr_iter(b'-', key).count();
    let len = key.len();
    (digits == len && len >= 4)
        || (hex == len && len >= 16 && digits > 0)
        || (len == 36 && hex == 32 && dashes == 4)
        || (len == 10 && digits == 8 && dashes == 2 && key[4] == b'-')
}

/// The kinds of the values of objects, nulls aside.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kinds {
    /// A bit per [`Tag`].
    values: u8,
    /// The same for the items of arrays.
    items: u8,
}

impl Kinds {
    /// Adds a value.
    pub fn add(&mut self, tag: Tag) {
        self.values |= bit(tag);
    }

    /// Adds an item of a value that is an array.
    pub fn add_item(&mut self, tag: Tag) {
        self.items |= bit(tag);
    }

    /// True if some values are arrays and others are not: the items then decide whether they are alike.
    pub fn mix_arrays(self) -> bool {
        self.values & bit(Tag::Array) != 0 && self.values != bit(Tag::Array)
    }

    /// True if all values are of one kind, or values of one kind and arrays of them: `"a"` in one place and `["a", "b"]`
    /// in another.
    pub fn are_alike(self) -> bool {
        let others = self.values & !bit(Tag::Array);
        others.count_ones() <= 1 && (!self.mix_arrays() || self.items & !others == 0)
    }
}

fn bit(tag: Tag) -> u8 {
    1 << tag as u8
}

/// True if objects whose values are alike, see [`Kinds::are_alike`], should be stored as entries rather than fields:
/// `entries` members in `objects` objects have `distinct` keys, and `ids` says whether these look like ids.
pub fn maps_by_density(distinct: usize, entries: usize, objects: usize, ids: bool) -> bool {
    if distinct > MAX_FIELDS {
        return true;
    }
    let slots = distinct.saturating_mul(objects);
    if ids {
        return objects < 4 || entries.saturating_mul(2) < slots;
    }
    let seldom_again = entries < 2 * distinct && entries.saturating_mul(5) <= slots * 3;
    distinct > MANY_KEYS && (objects == 1 || seldom_again || entries.saturating_mul(4) <= slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_from_names() {
        let ids = [
            "138586341",
            "2024",
            "00000000-0000-0000-0000-00000000000a",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "2024-01-02",
        ];
        let names = [
            "",
            "1",
            "id",
            "a1",
            "facade",
            "deadbeef",
            "utf8-1234-",
            "2024-01",
        ];
        assert!(ids.iter().all(|key| looks_like_id(key.as_bytes())));
        assert!(!names.iter().any(|key| looks_like_id(key.as_bytes())));
    }

    #[test]
    fn arrays_are_alike_with_values_of_the_kind_of_their_items() {
        let kinds = |values: &[(Tag, &[Tag])]| {
            let mut kinds = Kinds::default();
            for (tag, items) in values {
                kinds.add(*tag);
                items.iter().for_each(|item| kinds.add_item(*item));
            }
            kinds.are_alike()
        };
        let (array, object) = (Tag::Array, Tag::Object);
        assert!(kinds(&[]));
        assert!(kinds(&[(Tag::String, &[]), (Tag::String, &[])]));
        assert!(kinds(&[(array, &[Tag::Number]), (array, &[Tag::String])]));
        assert!(kinds(&[(array, &[object]), (object, &[]), (array, &[])]));
        assert!(!kinds(&[(Tag::String, &[]), (Tag::Number, &[])]));
        assert!(!kinds(&[
            (Tag::String, &[]),
            (array, &[Tag::String, Tag::Number])
        ]));
        assert!(!kinds(&[(Tag::String, &[]), (array, &[array])]));
        assert!(!kinds(&[(Tag::String, &[]), (object, &[]), (array, &[])]));
    }

    #[test]
    fn records_with_the_same_keys_are_no_maps() {
        assert!(!maps_by_density(200, 200 * 1000, 1000, false));
        assert!(!maps_by_density(3, 3000, 1000, true));
        assert!(maps_by_density(184, 184, 1, false));
        assert!(maps_by_density(500, 1000, 1000, true));
        assert!(!maps_by_density(20, 20, 20, false));
        // Too many for the fields of a struct.
        assert!(maps_by_density(5000, 15000, 3, false));
    }
}
