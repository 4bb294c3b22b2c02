//! Corrects the checksums of changed frames, so that readers reach the changed bytes.

use mbt::wire::v2::Envelope;

const HEAD: usize = 28;

/// Corrects heads, sections and indexes, as far as they can be recognized.
pub fn mend(bytes: &mut [u8]) {
    let mut at = 0;
    // The old and new checksums of frames, since an index lists them.
    let mut changed: Vec<([u8; 4], [u8; 4])> = Vec::new();
    while let Some(rest) = bytes.get_mut(at..).filter(|rest| rest.len() >= HEAD) {
        let number = |from: usize| u32::from_le_bytes(rest[from..from + 4].try_into().unwrap());
        if rest.starts_with(b"MATHLDBT\x02") {
            let body = u64::from_le_bytes(rest[16..24].try_into().unwrap());
            let header = HEAD + number(12) as usize;
            let len = usize::try_from(body)
                .ok()
                .and_then(|body| header.checked_add(body));
            let Some(frame) = len.and_then(|len| rest.get_mut(..len)) else {
                return;
            };
            let before = frame[24..HEAD].try_into().unwrap();
            mend_frame(frame, header);
            changed.push((before, frame[24..HEAD].try_into().unwrap()));
            at += frame.len();
        } else if number(0) & 0xffff_fff0 == 0x184d_2a50 {
            let len = number(4) as usize;
            let Some(payload) = len.checked_add(8).and_then(|end| rest.get_mut(8..end)) else {
                return;
            };
            if payload.starts_with(b"MBTX") && len >= 18 {
                mend_index(payload, &changed);
            }
            changed.clear();
            at += 8 + len;
        } else {
            return;
        }
    }
}

fn mend_frame(frame: &mut [u8], header: usize) {
    mend_head(frame, header);
    let Ok(envelope) = Envelope::read(frame, 1 << 24) else {
        return;
    };
    for (section, place) in envelope.sections.iter().zip(envelope.places()) {
        let Some(stored) = frame.get(place) else {
            return;
        };
        let found = crc32fast::hash(stored).to_le_bytes();
        replace(&mut frame[HEAD..header], section.crc32.to_le_bytes(), found);
    }
    mend_head(frame, header);
}

fn mend_head(frame: &mut [u8], header: usize) {
    let mut crc32 = crc32fast::Hasher::new();
    crc32.update(&frame[..24]);
    crc32.update(&frame[HEAD..header]);
    frame[24..HEAD].copy_from_slice(&crc32.finalize().to_le_bytes());
}

fn mend_index(payload: &mut [u8], changed: &[([u8; 4], [u8; 4])]) {
    let footer = payload.len() - 12;
    for (before, after) in changed {
        replace(&mut payload[..footer], *before, *after);
    }
    let crc32 = crc32fast::hash(&payload[..footer]).to_le_bytes();
    payload[footer..footer + 4].copy_from_slice(&crc32);
}

fn replace(bytes: &mut [u8], from: [u8; 4], to: [u8; 4]) {
    if let Some(at) = bytes.windows(4).position(|window| *window == from) {
        bytes[at..at + 4].copy_from_slice(&to);
    }
}
