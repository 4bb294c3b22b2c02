//! Converts blocks of JSON to nested columns.

use super::parse::JsonParser;
use crate::columns::nested::JsonNode;
use crate::columns::shred::JsonScratch;
use crate::columns::shred::{Paths, ROOT, SPELLING, Shredder};
use crate::columns::span::{Cells, TextBlock};
use crate::columns::typed;
use crate::error::Result;
use crate::format::frame::{BlockKeys, Columns, Origin};
use crate::schema::ROW_COLUMN;

impl JsonParser {
    /// The columns of a block whose rows were walked, and whether these are all columns of the block. `has_all_rows` is
    /// true if the rows are all rows of the input.
    pub(super) fn shred<'a>(
        &self,
        mut paths: Paths<'a>,
        block: &'a TextBlock,
        objects: bool,
        has_all_rows: bool,
        scratch: &mut JsonScratch,
    ) -> Result<(Columns, bool)> {
        paths.text = block.text();
        let mut shredder = Shredder {
            paths,
            block,
            infer: self.options.infer,
            has_all_rows,
        };
        let rows = shredder.paths.rows;
        let (names, places, mut edges) = if objects {
            shredder.root_keys()
        } else {
            (vec![ROW_COLUMN.to_owned()], vec![ROOT], Vec::new())
        };
        // If other rows of the frame are not objects, these rows are whole values as well. The selected columns of whole
        // values are inside them.
        let reads_rows = !objects || self.options.reads(ROW_COLUMN);
        let is_wanted = |name: &String| reads_rows || self.options.reads(name);
        let keeps_all = names.iter().all(|name| self.options.reads(name))
            && (self.options.keeps_wholes() || names.iter().all(|name| self.options.keeps(name)));
        if !keeps_all {
            // Edges refer to all names, but the selected columns have their own order.
            edges.clear();
        }
        let owners = objects.then_some(rows);
        let mut columns = Vec::with_capacity(names.len());
        let mut kept = Vec::with_capacity(names.len());
        let mut unread_keys = Vec::new();
        for (name, place) in names.into_iter().zip(places) {
            if !is_wanted(&name) {
                unread_keys.push(name);
                continue;
            }
            let node = match self.options.fixed.get(&name) {
                None => shredder.node(place, rows, owners),
                Some(ty) => {
                    let (spans, survey) = shredder.take_spans(place, rows);
                    let cells = Cells::new(block, &spans);
                    let column = typed::read(cells, &ty, SPELLING).map_err(|misfit| {
                        let start = cells.span(misfit.row).start as usize;
                        misfit.into_error(&ty, block.spot(start), &name)
                    })?;
                    JsonNode {
                        null_kinds: survey.null_kinds(&spans, owners),
                        ..JsonNode::from_column(column)
                    }
                }
            };
            columns.push(node.into_column());
            kept.push(name);
        }
        shredder.paths.recycle(scratch);
        let columns = Columns {
            names: kept.into(),
            columns,
            rows,
            origin: if objects {
                Origin::Objects
            } else {
                Origin::Values
            },
            edges,
            source: None,
            odd_keys: (!unread_keys.is_empty()).then(|| {
                Box::new(BlockKeys {
                    unread_keys,
                    ..BlockKeys::default()
                })
            }),
        };
        Ok((columns, keeps_all))
    }
}
