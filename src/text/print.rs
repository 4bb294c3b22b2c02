//! stub
/// stub
pub fn json_string(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(
        serde_json::to_string(&String::from_utf8_lossy(text))
            .unwrap_or_default()
            .as_bytes(),
    );
}
