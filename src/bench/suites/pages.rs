//! Codecs on 4 KiB pages, as used by memory compressors, and a small store of such pages.

mod codecs;
mod ram;
mod store;

use std::hint::black_box;

use self::codecs::{CODECS, PageCompressor, fill_of};
use self::store::Store;
use crate::bench::run::Run;
use crate::error::Result;
use crate::units::grouped;
use crate::workload::{PAGE, Page, store_page, word_pages, workloads};

/// Number of different pages: more than a branch predictor can memorize.
const WORD_PAGES: usize = 256;
const BATCHES: [usize; 4] = [32, 64, 128, 256];
const STORES: [usize; 3] = [100, 1_000, 10_000];

pub fn measure(run: &mut Run<'_>) -> Result<()> {
    run.note("one thread; contexts, tables and buffers are reused (except that gzip decodes with a new context each time), and buffers are at least 64 bytes apart modulo 4096");
    run.note("`stored`: the codec's output is not smaller than the page, so the page is stored as it is and read by a copy; W2 repeats one period of ASCII and is not real text");
    run.note("`store` is a copy: compare a \"ZSTD\" that only writes literals with it");
    let mut groups: Vec<(&str, Vec<Page>)> = Vec::new();
    for (name, page) in workloads() {
        groups.push((name, vec![page]));
    }
    groups.push(("words x 256", word_pages(WORD_PAGES)));
    run.table("compress a page");
    for (name, pages) in &groups {
        same_fill(run, name, pages);
        for codec in CODECS {
            compress(run, name, codec, pages)?;
        }
    }
    run.table("decompress a page");
    for (name, pages) in &groups {
        for codec in CODECS {
            decompress(run, name, codec, pages)?;
        }
    }
    batches(run, &groups[1].1[0])?;
    stores(run)?;
    if run.options.args.ram {
        ram::measure(run)?;
    }
    Ok(())
}

/// A page filled with one word is stored in nine bytes, without any codec.
fn same_fill(run: &mut Run<'_>, name: &str, pages: &[Page]) {
    if let [page] = pages
        && fill_of(page).is_some()
    {
        let row = run.row(format!("{name}, same fill"));
        // This operation cannot fail.
        let _ = row.packed(9, PAGE).time(|| {
            black_box(fill_of(black_box(page)));
            Ok(())
        });
    }
}

fn compress(run: &mut Run<'_>, name: &str, codec: (&str, i32), pages: &[Page]) -> Result<()> {
    let (codec_name, _) = codec;
    let mut codec = PageCompressor::new(codec)?;
    let packed = pack(&mut codec, pages)?;
    let stored = stored(codec_name, &packed);
    let note = match pages {
        [page] if !stored.is_empty() => {
            let len = grouped(codec.compress(page)?.len() as u64);
            format!("{stored}, {codec_name} gives {len}")
        }
        _ => stored,
    };
    let mut at = 0;
    run.row(format!("{name}, {codec_name}"))
        .packed(mean_len(&packed), PAGE)
        .note(&note)
        .time(|| {
            at = (at + 1) % pages.len();
            black_box(codec.compress(&pages[at])?);
            Ok(())
        })
}

fn decompress(run: &mut Run<'_>, name: &str, codec: (&str, i32), pages: &[Page]) -> Result<()> {
    let (codec_name, _) = codec;
    let mut codec = PageCompressor::new(codec)?;
    let packed = pack(&mut codec, pages)?;
    for (page, packed) in pages.iter().zip(&packed) {
        let same = codec.unpack(packed)? == page;
        run.check(
            same,
            format!("{name}, {codec_name}: the page was not restored"),
        );
    }
    let mut at = 0;
    run.row(format!("{name}, {codec_name}"))
        .sized(mean_len(&packed), PAGE)
        .note(&stored(codec_name, &packed))
        .time(|| {
            at = (at + 1) % packed.len();
            black_box(codec.unpack(&packed[at])?);
            Ok(())
        })
}

fn pack(codec: &mut PageCompressor, pages: &[Page]) -> Result<Vec<Vec<u8>>> {
    pages.iter().map(|page| codec.pack(page)).collect()
}

fn mean_len(packed: &[Vec<u8>]) -> usize {
    packed.iter().map(Vec::len).sum::<usize>() / packed.len()
}

/// Lists the pages that are stored uncompressed.
fn stored(codec_name: &str, packed: &[Vec<u8>]) -> String {
    let stored = packed.iter().filter(|page| page.len() == PAGE).count();
    match (stored, packed.len()) {
        (0, _) => String::new(),
        _ if codec_name == "store" => String::new(),
        (1, 1) => "stored".to_owned(),
        (stored, of) => format!("stored {stored} of {of}"),
    }
}

/// Many pages, separately and as one block, to show that the loop itself has no effect.
fn batches(run: &mut Run<'_>, page: &Page) -> Result<()> {
    run.table("batches of W2 pages, lz4");
    for count in BATCHES {
        let pages = page.repeat(count);
        let mut codec = PageCompressor::new(CODECS[0])?;
        run.row(format!("{count} pages, each apart"))
            .through(pages.len())
            .time(|| {
                for page in pages.chunks_exact(PAGE) {
                    black_box(codec.compress(page)?);
                }
                Ok(())
            })?;
        let len = codec.compress(&pages)?.len();
        run.row(format!("{count} pages, one block"))
            .packed(len, pages.len())
            .time(|| {
                black_box(codec.compress(&pages)?);
                Ok(())
            })?;
    }
    Ok(())
}

fn stores(run: &mut Run<'_>) -> Result<()> {
    run.table("page store, lz4, 8 sectors per page");
    let page = store_page();
    for count in run.sizes(&STORES, 2) {
        let sequential: Vec<u64> = (0..count as u64).map(|place| place * 8).collect();
        let mut random = sequential.clone();
        for at in (1..count).rev() {
            random.swap(at, at * 31337 % (at + 1));
        }
        let mut store = Store::new();
        for (order, sectors) in [("sequential", &sequential), ("random", &random)] {
            let pages = grouped(count as u64);
            run.row(format!("{pages} pages, {order} write"))
                .items(count, "pages")
                .time(|| {
                    store.clear();
                    sectors
                        .iter()
                        .try_for_each(|sector| store.write(*sector, &page))
                })?;
            store.clear();
            for sector in sectors {
                store.write(*sector, &page)?;
            }
            let mut back = [0; PAGE];
            run.row(format!("{pages} pages, {order} read"))
                .bytes(store.bytes() / count)
                .ratio(PAGE)
                .items(count, "pages")
                .time(|| {
                    for sector in sectors {
                        store.read(*sector, &mut back)?;
                        black_box(&back);
                    }
                    Ok(())
                })?;
            store.read(sectors[count / 2], &mut back)?;
            run.check(back == page, "the page store did not restore its pages");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_take_the_published_bytes() {
        // C lz4 takes one byte less for W1 and W2; these are the sizes of lz4_flex.
        for (codec, expected) in [
            ("lz4", [27, 122, 2324, 4114]),
            ("zstd 1", [19, 115, 2324, 4106]),
        ] {
            let codec = CODECS.into_iter().find(|(name, _)| *name == codec).unwrap();
            let mut codec = PageCompressor::new(codec).unwrap();
            let lens: Vec<_> = workloads()
                .iter()
                .map(|(_, page)| codec.compress(page).unwrap().len())
                .collect();
            assert_eq!(lens, expected);
        }
    }

    #[test]
    fn every_codec_gives_pages_back() {
        let mut pages = word_pages(3);
        pages.extend(workloads().into_iter().map(|(_, page)| page));
        pages.push(store_page());
        for codec in CODECS {
            let mut engine = PageCompressor::new(codec).unwrap();
            for page in &pages {
                let packed = engine.pack(page).unwrap();
                assert!(packed.len() <= PAGE);
                assert!(engine.unpack(&packed).unwrap() == page, "{codec:?}");
            }
        }
    }

    #[test]
    fn the_store_keeps_pages_of_every_kind() {
        let mut store = Store::new();
        let mut pages: Vec<Page> = workloads().into_iter().map(|(_, page)| page).collect();
        pages.push(store_page());
        for (sector, page) in (0..).zip(&pages) {
            store.write(sector, page).unwrap();
        }
        // The published figure for the fifth page, and nine bytes for zeros.
        assert_eq!(store.bytes(), 9 + 122 + 2324 + 4096 + 1506);
        let mut back = [0; PAGE];
        for (sector, page) in (0..).zip(&pages) {
            store.read(sector, &mut back).unwrap();
            assert!(back == *page);
        }
        assert!(store.read(99, &mut back).is_err());
    }
}
