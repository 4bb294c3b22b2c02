//! `mbt schema`: prints names and types of the columns, in the form that `--schema` reads.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;

use arrow_schema::Field;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::Outcome;
use super::aggregate::aggregate;
use super::open::ensure_stdin_once;
use super::options::threads;
use super::reading::{ReportTypes, open, open_both};
use crate::cli;
use crate::columns::cast::join::Joined;
use crate::columns::cast::{Typing, is_held_text};
use crate::error::Result;
use crate::format::frame::Frame;
use crate::pipeline::{PipelineOptions, Source};
use crate::report::table::{Align, Table, terminal_width};
use crate::report::{self, note};
use crate::schema::keys::{FORM, NULL, is_hidden};
use crate::schema::path::quoted_name;
use crate::schema::{FixedTypes, Type, column_name, type_name};

/// Prints the schema of an input, or how the schemas of two inputs differ.
///
/// # Errors
/// If an input cannot be read.
pub fn run(args: &cli::Schema) -> Result<Outcome> {
    let (types, threads) = (ReportTypes::OfFrames, threads(&args.threads));
    let Some(other) = &args.other else {
        let columns = columns(open(&args.path, &args.reading, types, threads)?)?;
        if args.json {
            report::print_json(&json!({ "columns": columns }))?;
        } else {
            report::print_text(&lines(&columns))?;
        }
        return Ok(Outcome::Done);
    };
    ensure_stdin_once(&[args.path.clone(), other.clone()])?;
    let [left, right] = open_both([&args.path, other], &args.reading, types, threads)?;
    let drift = drift(&columns(left)?, &columns(right)?);
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
    written: Option<WrittenForm>,
}

/// How the values of a column are written, where that is not the default form of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WrittenForm {
    form: Option<String>,
    null: Option<String>,
}

impl Serialize for WrittenForm {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let null = self.null.as_ref().map(|null| format!("null as {null:?}"));
        let parts: Vec<String> = self.form.iter().cloned().chain(null).collect();
        to.serialize_str(&parts.join(", "))
    }
}

impl fmt::Display for WrittenForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.form, &self.null) {
            (Some(form), None) => write!(f, "written as {form}"),
            (Some(form), Some(null)) => write!(f, "written as {form}, nulls as {null:?}"),
            (None, Some(null)) => write!(f, "nulls written as {null:?}"),
            (None, None) => Ok(()),
        }
    }
}

/// The columns of all rows of an input.
fn columns((source, mut options): (Source, PipelineOptions)) -> Result<Vec<SchemaColumn>> {
    // A cast depends on all rows.
    let typing = match options.cast.take() {
        Some(_) => Typing::Values,
        None => Typing::Exact,
    };
    let of = |frame: Frame, _| {
        let joined = Joined::of(&frame.schema, &frame.batches);
        Ok((joined, spellings(frame.schema.fields())))
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
    let exact = joined.clone().schema(Typing::Exact).schema;
    let schema = joined.schema(typing).schema;
    let fields = schema.fields().iter().zip(exact.fields()).enumerate();
    let columns = fields.map(|(at, (field, exact))| SchemaColumn::of(field, exact, at, &spellings));
    Ok(columns.collect())
}

/// How values are written, by column name, for columns not written in the default form of their type.
fn spellings(fields: &arrow_schema::Fields) -> BTreeMap<String, WrittenForm> {
    let mut spellings = BTreeMap::new();
    let shown = fields.iter().filter(|field| !is_hidden(field));
    for (at, field) in shown.enumerate() {
        let stated = |key| field.metadata().get(key).cloned();
        let not_utf8 = is_held_text(field).then(|| "text that is not UTF-8".to_owned());
        let form = not_utf8.or_else(|| stated(FORM));
        let null = stated(NULL);
        if form.is_some() || null.is_some() {
            spellings.insert(column_name(field, at), WrittenForm { form, null });
        }
    }
    spellings
}

impl SchemaColumn {
    /// A column of all rows; `exact` is its exact type.
    fn of(
        field: &Field,
        exact: &Field,
        at: usize,
        spellings: &BTreeMap<String, WrittenForm>,
    ) -> Self {
        let name = column_name(field, at);
        let ty = if is_held_text(field) {
            Type::Bytes.name().to_owned()
        } else {
            type_name(field)
        };
        let mut written = spellings.get(&name).cloned();
        if field.data_type() != exact.data_type() {
            // --schema reads numbers in any form, but other values only in one.
            let is_text = Type::of(exact) == Some(Type::Utf8);
            let form = is_text.then(|| "text in several forms".to_owned());
            let null = written.and_then(|written| written.null);
            written = (form.is_some() || null.is_some()).then_some(WrittenForm { form, null });
        }
        let written = written.filter(|_| ty != "utf8");
        Self { name, ty, written }
    }

    /// The column as an item of `--schema`.
    fn item(&self) -> String {
        format!("{}:{}", quoted_name(&self.name, &['.', '$', ' ']), self.ty)
    }

    /// True if `--schema` can express the column.
    fn is_fixable(&self) -> bool {
        let parsed = FixedTypes::parse(&self.item());
        let is_read = parsed.is_ok_and(|types| types.names().eq([&self.name]));
        self.ty != "null" && is_read && self.written.is_none()
    }
}

/// The columns as lines of a schema file. A column that `--schema` cannot express becomes a comment, so that its type is
/// inferred again. So do columns that share a name, since a type applies to all of them, unless they have the same type.
fn lines(columns: &[SchemaColumn]) -> String {
    // For each name, the first column, and whether all others equal it.
    let mut by_name: HashMap<&str, (&SchemaColumn, bool)> = HashMap::new();
    for column in columns {
        let (first, are_equal) = by_name.entry(&column.name).or_insert((column, true));
        *are_equal &= *first == column;
    }
    let mut lines = String::new();
    for column in columns {
        let item = column.item();
        let (first, are_equal) = by_name[&*column.name];
        let line = match &column.written {
            Some(written) => format!("# {item}, {written}"),
            None if !column.is_fixable() => format!("# {item}"),
            None if !are_equal => {
                format!("# {item}, one of several columns called {:?}", column.name)
            }
            None if !std::ptr::eq(first, column) => {
                format!("# {item}, as above")
            }
            None => item,
        };
        lines.push_str(&line);
        lines.push('\n');
    }
    lines
}

/// How two schemas differ.
#[derive(Debug)]
pub struct SchemaDrift {
    /// The columns that differ: first the ones in the first schema, then the ones only in the second.
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
    // If columns share a name, the first counts.
    let by_name = |columns: &[SchemaColumn]| -> HashMap<String, String> {
        let last_to_first = columns.iter().rev();
        last_to_first
            .map(|column| (column.name.clone(), column.ty.clone()))
            .collect()
    };
    let (in_left, in_right) = (by_name(left), by_name(right));
    let added = right
        .iter()
        .filter(|column| !in_left.contains_key(&column.name));
    let columns = left
        .iter()
        .chain(added)
        .map(|column| &column.name)
        .map(|name| Drift {
            name: name.clone(),
            left: in_left.get(name).cloned(),
            right: in_right.get(name).cloned(),
        });
    let common = |columns: &[SchemaColumn], others: &HashMap<String, String>| -> Vec<String> {
        columns
            .iter()
            .map(|column| column.name.clone())
            .filter(|name| others.contains_key(name))
            .collect()
    };
    SchemaDrift {
        columns: columns.filter(|drift| drift.left != drift.right).collect(),
        is_moved: common(left, &in_right) != common(right, &in_left),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, ty: &str, null: Option<&str>) -> SchemaColumn {
        let written = null.map(str::to_owned).map(|null| WrittenForm {
            form: None,
            null: Some(null),
        });
        SchemaColumn {
            name: name.to_owned(),
            ty: ty.to_owned(),
            written,
        }
    }

    #[test]
    fn columns_that_share_a_name_are_set_only_if_their_types_are_equal() {
        let columns = [
            column("a", "i64", None),
            column("a", "i64", None),
            column("b", "i64", None),
            column("b", "utf8", None),
            column("c", "i64", None),
            column("c", "i64", Some("NA")),
            column("d", "i64", None),
        ];
        let lines = lines(&columns);
        assert_eq!(
            lines,
            "a:i64\n# a:i64, as above\n# b:i64, one of several columns called \"b\"\n\
             # b:utf8, one of several columns called \"b\"\n\
             # c:i64, one of several columns called \"c\"\n# c:i64, nulls written as \"NA\"\nd:i64\n"
        );
        let read = lines.lines().filter(|line| !line.starts_with('#'));
        let types = FixedTypes::parse(&read.collect::<Vec<_>>().join("\n")).unwrap();
        assert_eq!(types.names().collect::<Vec<_>>(), ["a", "d"]);
    }
}
