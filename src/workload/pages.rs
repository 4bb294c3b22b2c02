//! Pages of 4 KiB, as used to measure memory compressors.

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// A page.
pub type Page = [u8; PAGE];

/// The next state of a generator of random numbers.
pub fn next(state: u64) -> u64 {
    state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1)
}

fn random(seed: u64) -> impl FnMut() -> u8 {
    let mut state = seed;
    move || {
        state = next(state);
        (state >> 33) as u8
    }
}

/// The four published workloads: `zeros`, `text` (a repeated run of ASCII, unlike real text), `mixed` (half a ramp,
/// half random) and `random`.
pub fn workloads() -> Vec<(&'static str, Page)> {
    let mut mixed = random(0xCAFE_BABE);
    let mut noise = random(0xDEAD_BEEF);
    vec![
        ("W1 zeros", [0; PAGE]),
        ("W2 text", std::array::from_fn(|at| 32 + (at % 95) as u8)),
        (
            "W3 mixed",
            std::array::from_fn(|at| if at < PAGE / 2 { at as u8 } else { mixed() }),
        ),
        ("W4 random", std::array::from_fn(|_| noise())),
    ]
}

/// The page used to fill page stores: seven tenths a ramp, the rest random.
pub fn store_page() -> Page {
    let mut noise = random(0xDEAD_BEEF);
    std::array::from_fn(|at| if at < 2867 { at as u8 } else { noise() })
}

/// `count` different pages of words. A few words are frequent and most are rare, as in real text.
pub fn word_pages(count: usize) -> Vec<Page> {
    const SYLLABLES: [&str; 24] = [
        "an", "ber", "con", "der", "est", "for", "gen", "hal", "ing", "ker", "lo", "men", "nor",
        "of", "per", "qui", "ra", "ster", "the", "un", "ver", "wa", "ty", "zo",
    ];
    let mut state = 7_u64;
    let mut below = move |end: usize| {
        state = next(state);
        (state >> 33) as usize % end
    };
    let words: Vec<String> = (0..1500)
        .map(|_| (0..=below(3)).map(|_| SYLLABLES[below(24)]).collect())
        .collect();
    (0..count)
        .map(|_| {
            let mut page = Vec::with_capacity(PAGE + 32);
            while page.len() < PAGE {
                // Drawing twice makes small numbers frequent.
                let most = below(words.len()) + 1;
                page.extend_from_slice(words[below(most)].as_bytes());
                page.push(if below(12) == 0 { b'.' } else { b' ' });
            }
            std::array::from_fn(|at| page[at])
        })
        .collect()
}
