use super::*;

fn resolved(list: &str) -> Result<String> {
    let names = [
        "id", "x,y", "a", "b", "c", "in_1", "in_2", "q\"r", "d..e", "s*", "sun", "-m",
    ];
    let names = names.map(str::to_owned);
    let columns = Selection::parse(list)?.resolve(&names)?;
    Ok(shown(&columns))
}

fn shown(columns: &[OutputColumn]) -> String {
    columns
        .iter()
        .map(|column| match column.as_whole() {
            Some(name) => name.to_owned(),
            None => format!("{}={}", column.path, column.name),
        })
        .collect::<Vec<_>>()
        .join("|")
}

#[test]
fn positions_count_columns_that_share_a_name() {
    let names = ["a", "a", "b"].map(str::to_owned);
    let resolve = |list: &str| Selection::parse(list).unwrap().resolve(&names);
    assert_eq!(shown(&resolve("#3").unwrap()), "b");
    assert_eq!(shown(&resolve("b,a").unwrap()), "b|a");
    assert_eq!(shown(&resolve("*").unwrap()), "a|b");
    assert_eq!(shown(&resolve("-a").unwrap()), "b");
    assert_eq!(shown(&resolve("-b").unwrap()), "a");
    let error = resolve("#2").unwrap_err();
    assert_eq!(error.what(), "#2: several columns are called \"a\"");
}

#[test]
fn items_mean_columns() {
    for (list, expected) in [
        ("c,a", "c|a"),
        ("\"x,y\",id", "x,y|id"),
        ("`x,y`", "x,y"),
        ("q\"r", "q\"r"),
        ("\"q\"\"r\"", "q\"r"),
        ("#3,#1", "a|id"),
        ("a..c", "a|b|c"),
        ("#2..a", "x,y|a"),
        ("\"x,y\"..b,id", "x,y|a|b|id"),
        ("..a", "id|x,y|a"),
        ("sun..", "sun|-m"),
        ("in_*", "in_1|in_2"),
        ("in_?,id", "in_1|in_2|id"),
        ("c,*", "c|id|x,y|a|b|in_1|in_2|q\"r|d..e|s*|sun|-m"),
        ("-in_*,-#2,-a..c,-\"q\"\"r\"", "id|d..e|s*|sun|-m"),
        ("in_*,-in_1", "in_2"),
        ("c, a,  -a", "c"),
        (" c as d, \"x,y\", a..b", "c=d|x,y|a|b"),
        // An exact name takes precedence.
        ("d..e,s*,-m", "d..e|s*|-m"),
        // Paths and new names.
        ("a.b,c[0].\"x,y\"", "a.b=a.b|c[0].x,y=c[0].x,y"),
        ("#3 AS \"p,q\",a.x as x,c", "a=p,q|a.x=x|c"),
        ("\"x,y\" as  `p,q`,id", "x,y=p,q|id"),
        ("a,a as a2", "a|a=a2"),
        ("\"q\"\"r\".k as k", "q\"r.k=k"),
    ] {
        assert_eq!(resolved(list).unwrap(), expected, "{list}");
    }
}

#[test]
fn a_space_before_a_name_belongs_to_it_if_a_column_has_it() {
    let names = ["a", " b", " c1", "c"].map(str::to_owned);
    let resolve = |list: &str| Selection::parse(list).unwrap().resolve(&names);
    assert_eq!(shown(&resolve("a, b").unwrap()), "a| b");
    assert_eq!(shown(&resolve("a, c").unwrap()), "a|c");
    assert_eq!(shown(&resolve("a, c*").unwrap()), "a| c1");
    assert_eq!(shown(&resolve("*, - b").unwrap()), "a| c1|c");
    assert!(
        resolve("a, d")
            .unwrap_err()
            .message()
            .starts_with("there is no column \"d\"")
    );
}

#[test]
fn a_column_called_by_its_own_name_is_the_column() {
    let error = Selection::parse("b,b as b").unwrap().plain().unwrap_err();
    assert_eq!(error.message(), "\"b\" is given twice");
    let columns = Selection::parse("b,b as c").unwrap().plain().unwrap();
    assert_eq!(columns.unwrap().len(), 2);
}

#[test]
fn items_that_mean_nothing_are_named() {
    for (list, expected) in [
        ("ID", "there is no column \"ID\"; did you mean id?"),
        (
            "#0",
            "there is no column #0; columns are counted from #1 to #12",
        ),
        ("#13", "columns are counted from #1 to #12"),
        ("z*", "there is no column \"z*\""),
        ("c..a", "the first column comes after the last"),
        ("a..zz", "there is no column \"zz\""),
        ("\"a", "\"a has no closing quote"),
        ("a,b,a", "\"a\" is given twice"),
        ("a,-a", "no column is left"),
        ("a as", "there is no column \"a as\""),
        ("a as ,b", "a as : the name is missing; write a as name"),
        ("in_* as x", "in_* matches 2 columns, but a name is for one"),
        (
            "a as x,b as x",
            "two columns would be called \"x\"; give one of them another name: b as x_2",
        ),
        ("*,a as b", "two columns would be called \"b\""),
        ("-a as b", "is excluded"),
        (
            "-a.b",
            "only whole columns can be excluded; list what to keep, such as a.b",
        ),
        ("z.a", "there is no column \"z.a\""),
    ] {
        let message = resolved(list).unwrap_err().message();
        assert!(message.contains(expected), "{list}: {message}");
    }
}

#[test]
fn plain_names_need_no_columns_to_be_known() {
    let plain = |list: &str| Selection::parse(list).unwrap().plain().unwrap();
    for (list, expected) in [
        ("a,odd name,\"x,y\",a]", "a|odd name|x,y|a]"),
        (
            "user.name,tags[0] as tag",
            "user.name=user.name|tags[0]=tag",
        ),
    ] {
        assert_eq!(shown(&plain(list).unwrap()), expected);
    }
    for list in ["a*", "-a", "#1", "a..b", "a,b?", "a, b"] {
        assert!(plain(list).is_none(), "{list}");
    }
    assert!(Selection::parse("a,b as a").unwrap().plain().is_err());
}
