//! `mbt schema`: prints names and types of the columns, in the form that `--schema` reads.

use std::collections::BTreeMap;
use std::path::Path;

use arrow_schema::Field;
use serde::Serialize;
use serde_json::json;

use super::Outcome;
use super::aggregate::aggregate;
use super::open::ensure_stdin_once;
use super::options::threads;
use super::reading::open;
use crate::cli;
use crate::columns::cast::join::Joined;
use crate::error::Result;
use crate::format::frame::Frame;
use crate::report::table::{Align, Table, terminal_width};
use crate::report::{self, note};
use crate::schema::keys::{FORM, NULL, is_hidden};
use crate::schema::path::quoted_name;
use crate::schema::{FixedTypes, column_name, type_name};

/// Prints the schema of an input, or how those of two inputs differ.
///
/// # Errors
/// If an input cannot be read.
pub fn run(args: &cli::Schema) -> Result<Outcome> {
    let Some(other) = &args.other else {
        let columns = columns(&args.path, args)?;
        if args.json {
            report::print_json(&json!({ "columns": columns }))?;
        } else {
            let lines: String = columns.iter().map(SchemaColumn::line).collect();
            report::print_text(&lines)?;
        }
        return Ok(Outcome::Done);
    };
    ensure_stdin_once(&[args.path.clone(), other.clone()])?;
    let drift = drift(&columns(&args.path, args)?, &columns(other, args)?);
    if args.json {
        report::print_json(&json!({
            "equal": drift.is_none(),
            "order_differs": drift.is_moved,
            "columns": drift.columns,
        }))?;
    } else {
        report::print_text(&drift.text(&args.path, other))?;
    }
    Ok(Outcome::of(drift.is_none()))
}

/// A column of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SchemaColumn {
    /// The displayed name.
    pub name: String,
    /// The name of its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// How its values are written, if `--schema` cannot express that.
    written: Option<String>,
}

/// The columns of all rows of an input.
fn columns(path: &Path, args: &cli::Schema) -> Result<Vec<SchemaColumn>> {
    let (source, mut options) = open(path, &args.reading, threads(&args.threads))?;
    // A cast depends on all rows.
    let is_exact = options.cast.take().is_none();
    let of = |frame: Frame, _| {
        let joined = Joined::of(&frame.schema, &frame.batches);
        let spellings = is_exact.then(|| spellings(frame.schema.fields()));
        Ok((joined, spellings.unwrap_or_default()))
    };
    let (found, notes) = aggregate(vec![source], &options, of, |all, more| {
        all.0.join(more.0);
        all.1.extend(more.1);
    })?;
    for text in &notes {
        note(text);
    }
    let Some((joined, spellings)) = found else {
        return Ok(Vec::new());
    };
    let schema = joined.schema(is_exact).schema;
    let fields = schema.fields().iter().enumerate();
    Ok(fields
        .map(|(at, field)| SchemaColumn::of(field, at, &spellings))
        .collect())
}

/// How values are written, by column name, for columns not written in the default form of their type.
fn spellings(fields: &arrow_schema::Fields) -> BTreeMap<String, String> {
    let mut spellings = BTreeMap::new();
    let shown = fields.iter().filter(|field| !is_hidden(field));
    for (at, field) in shown.enumerate() {
        let metadata = field.metadata();
        let written = match (metadata.get(FORM), metadata.get(NULL)) {
            (Some(form), None) => form.clone(),
            (None, Some(null)) => format!("null as {null:?}"),
            (Some(form), Some(null)) => format!("{form}, null as {null:?}"),
            (None, None) => continue,
        };
        spellings.insert(column_name(field, at), written);
    }
    spellings
}

impl SchemaColumn {
    fn of(field: &Field, at: usize, spellings: &BTreeMap<String, String>) -> Self {
        let name = column_name(field, at);
        let ty = type_name(field);
        let written = spellings.get(&name).filter(|_| ty != "utf8").cloned();
        Self { name, ty, written }
    }

    /// The column as a line of a schema file. A column that `--schema` cannot express becomes a comment, so that its
    /// type is inferred again.
    fn line(&self) -> String {
        let item = format!("{}:{}", quoted_name(&self.name, &['.', '$', ' ']), self.ty);
        let parsed = FixedTypes::parse_all(&item);
        let is_read = parsed.is_ok_and(|types| types.names().eq([&self.name]));
        let is_fixable = self.ty != "null" && is_read;
        match &self.written {
            None if is_fixable => format!("{item}\n"),
            None => format!("# {item}\n"),
            Some(written) => format!("# {item}, written as {written}\n"),
        }
    }
}

/// How two schemas differ.
#[derive(Debug)]
pub struct SchemaDrift {
    /// The columns that differ: those of the first schema, then those only in the second.
    pub columns: Vec<Drift>,
    /// The common columns are in a different order.
    pub is_moved: bool,
}

/// A column that differs; `None` where it is missing.
#[derive(Debug, Serialize)]
pub struct Drift {
    /// Its name.
    pub name: String,
    /// Its type in the first input.
    pub left: Option<String>,
    /// Its type in the second.
    pub right: Option<String>,
}

impl Drift {
    /// The columns as a table.
    pub fn table(columns: &[Self], files: &[String; 2]) -> String {
        let [left, right] = files;
        let headings = ["column", left, right].map(|heading| (heading, Align::Left));
        let mut table = Table::new(headings).with_names();
        for Self { name, left, right } in columns {
            let [left, right] = [left, right].map(|ty| ty.as_deref().unwrap_or("-"));
            table.row([name, left, right]);
        }
        table.render(terminal_width())
    }
}

/// How two schemas differ.
pub fn drift(left: &[SchemaColumn], right: &[SchemaColumn]) -> SchemaDrift {
    let find = |columns: &[SchemaColumn], name: &str| -> Option<String> {
        let column = columns.iter().find(|column| column.name == name)?;
        Some(column.ty.clone())
    };
    let added = right
        .iter()
        .filter(|column| find(left, &column.name).is_none());
    let names = left.iter().chain(added).map(|column| &column.name);
    let columns = names.map(|name| Drift {
        name: name.clone(),
        left: find(left, name),
        right: find(right, name),
    });
    let shared = |columns: &[SchemaColumn], others: &[SchemaColumn]| -> Vec<String> {
        let names = columns.iter().map(|column| column.name.clone());
        names.filter(|name| find(others, name).is_some()).collect()
    };
    SchemaDrift {
        columns: columns.filter(|drift| drift.left != drift.right).collect(),
        is_moved: shared(left, right) != shared(right, left),
    }
}

impl SchemaDrift {
    /// True if the schemas are equal.
    pub fn is_none(&self) -> bool {
        self.columns.is_empty() && !self.is_moved
    }

    /// For people.
    pub fn text(&self, left: &Path, right: &Path) -> String {
        if self.is_none() {
            return "the schemas are equal\n".to_owned();
        }
        let mut out = String::new();
        if !self.columns.is_empty() {
            let files = [left, right].map(|path| path.display().to_string());
            out.push_str(&Drift::table(&self.columns, &files));
        }
        if self.is_moved {
            out.push_str("the common columns are in a different order\n");
        }
        out
    }
}
