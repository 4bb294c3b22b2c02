use super::*;

#[test]
fn ranges_are_half_open_and_may_lack_an_end() {
    assert_eq!(range("--rows", None).unwrap(), 0..u64::MAX);
    assert_eq!(range("--rows", Some("2..5")).unwrap(), 2..5);
    assert_eq!(range("--rows", Some("..5")).unwrap(), 0..5);
    assert_eq!(range("--rows", Some("2..")).unwrap(), 2..u64::MAX);
    assert_eq!(range("--rows", Some("5..5")).unwrap(), 5..5);
    for bad in ["", "5", "a..b", "-1..2", "5..2", "1..=2"] {
        assert!(range("--rows", Some(bad)).is_err(), "{bad:?}");
    }
}

#[test]
fn names_of_compressed_frames_tell_both_parts() {
    let format = |name| format_of_extension(Path::new(name));
    let codec = |name| codec_of_extension(Path::new(name));
    assert_eq!(format("a.mbt.zst"), Some(Format::Mbt));
    assert_eq!(format("dir.x/a.b.MATHLDBT.GZ"), Some(Format::Mbt));
    assert_eq!(format("a.mbt.lz4"), Some(Format::Mbt));
    // The extension of compressed text does not set the input format; its content does.
    assert_eq!(
        (format("a.csv.gz"), format("a.zst"), format("zst")),
        (None, None, None)
    );
    assert_eq!(codec("a.mbt.zst"), Some(Codec::Zstd));
    assert_eq!(codec("a.GZ"), Some(Codec::Gzip));
    assert_eq!((codec("a.mbt"), codec("lz4")), (None, None));
}

#[test]
fn encodings_that_contradict_each_other_are_refused() {
    use cli::EncodingName::{Auto, Delta, Dict, Plain};
    assert_eq!(
        encode_options(Some(&[Dict])).unwrap(),
        EncodeOptions {
            dict: true,
            delta: false
        }
    );
    assert_eq!(
        encode_options(Some(&[Delta, Dict])).unwrap(),
        encode_options(None).unwrap()
    );
    assert!(
        encode_options(Some(&[Plain, Dict])).is_err()
            && encode_options(Some(&[Auto, Plain])).is_err()
    );
}

#[test]
fn a_level_that_was_given_applies_to_small_frames() {
    let mut wrap = cli::Wrap {
        codec: None,
        level: None,
        checksum: None,
        threads: cli::Threads { threads: None },
    };
    let codec = |wrap: &cli::Wrap| wire_2_options(None, wrap).unwrap().for_frame(1000, 0).codec;
    assert_eq!(codec(&wrap), SectionCodec::Zstd(15));
    wrap.level = Some(3);
    assert_eq!(codec(&wrap), SectionCodec::Zstd(3));
}
