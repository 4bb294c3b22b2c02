//! The terms fixture: words of a dictionary.

/// `count` different terms in the order of their bytes: `word` and a number, padded with zeros to a
/// width that goes from 0 to 8.
pub fn terms(count: usize) -> Vec<String> {
    let mut terms: Vec<String> = (0..count)
        .map(|term| format!("word{term:0width$}", width = term % 9))
        .collect();
    terms.sort_unstable();
    terms
}

/// `rows` terms drawn from the first `count`, with repeats.
pub fn repeated_terms(count: usize, rows: usize) -> Vec<String> {
    let terms = terms(count);
    let mut state = 1_u64;
    (0..rows)
        .map(|_| {
            state = super::pages::next(state);
            terms[(state >> 33) as usize % terms.len()].clone()
        })
        .collect()
}
