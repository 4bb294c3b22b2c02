//! What can be wrong with a JSON text.

/// An error in a JSON text, and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Offset in the text.
    pub at: usize,
    /// What is wrong there.
    pub kind: FaultKind,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Something other than a value follows.
    ExpectedValue,
    /// Something other than a key follows.
    ExpectedKey,
    /// No colon follows a key.
    ExpectedColon,
    /// Neither a comma nor the end of the object follows a member.
    ExpectedCommaOrBrace,
    /// Neither a comma nor the end of the array follows an item.
    ExpectedCommaOrBracket,
    /// The last comma of an array precedes no value.
    ExpectedValueAfterComma,
    /// No digit follows a minus sign.
    ExpectedDigit,
    /// No digit follows a decimal point.
    ExpectedDigitAfterPoint,
    /// The exponent has no digit.
    ExpectedDigitInExponent,
    /// A number begins with 0 and another digit.
    LeadingZero,
    /// A string contains an unescaped control character.
    ControlCharacter,
    /// Fewer than four hexadecimal digits follow `\u`.
    ExpectedHexDigits,
    /// A string contains a backslash with a character that it does not escape.
    UnknownEscape,
    /// The text is not UTF-8.
    NotUtf8,
    /// The text ends before a value.
    EndsBeforeValue,
    /// The text ends inside a string.
    EndsInString,
    /// The text ends inside an array or object.
    EndsInValue,
    /// The text ends between the members of an object.
    EndsInObject,
    /// The text is JSON, but not a sequence of rows as expected.
    Row(RowFault),
}

/// What is wrong with JSON values as rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFault {
    /// A row is not an object, although earlier ones are.
    NotAnObject,
    /// The rows have more keys than there may be columns.
    TooManyKeys,
    /// The first row has so many keys that they may be data.
    FirstRowIsWide,
    /// No white space follows a row that is a number or word.
    ExpectedSpace,
    /// A second value follows in the line.
    TwoInLine,
    /// Something other than a value follows in the line.
    ExpectedLineEnd,
}

impl Fault {
    /// This fault at an offset, as an error.
    ///
    /// # Errors
    /// Always.
    pub fn at<T>(at: usize, kind: FaultKind) -> Result<T, Self> {
        Err(Self { at, kind })
    }
}

impl RowFault {
    /// This fault at an offset, as an error.
    ///
    /// # Errors
    /// Always.
    pub fn at<T>(self, at: usize) -> Result<T, Fault> {
        Fault::at(at, FaultKind::Row(self))
    }

    /// True if the members of the rows cannot become columns.
    pub fn is_of_columns(self) -> bool {
        matches!(
            self,
            Self::NotAnObject | Self::TooManyKeys | Self::FirstRowIsWide
        )
    }

    fn message(self) -> &'static str {
        match self {
            Self::NotAnObject => "expected an object, as in the rows before",
            Self::TooManyKeys => "the rows have too many different keys to become columns",
            Self::FirstRowIsWide => "the first row has many keys",
            Self::ExpectedSpace => "expected white space after the value",
            Self::TwoInLine => "expected the end of the line, not a second value",
            Self::ExpectedLineEnd => "expected the end of the line",
        }
    }
}

impl FaultKind {
    /// The message.
    pub fn message(self) -> &'static str {
        match self {
            Self::ExpectedValue => "expected a value",
            Self::ExpectedKey => "expected a key",
            Self::ExpectedColon => "expected :",
            Self::ExpectedCommaOrBrace => "expected , or }",
            Self::ExpectedCommaOrBracket => "expected , or ]",
            Self::ExpectedValueAfterComma => "expected a value after the last comma",
            Self::ExpectedDigit => "expected a digit",
            Self::ExpectedDigitAfterPoint => "expected a digit after the decimal point",
            Self::ExpectedDigitInExponent => "expected a digit in the exponent",
            Self::LeadingZero => "a number must not begin with 0",
            Self::ControlCharacter => "a control character in a string must be escaped",
            Self::ExpectedHexDigits => "expected four hexadecimal digits after \\u",
            Self::UnknownEscape => "unknown escape sequence",
            Self::NotUtf8 => "this is not UTF-8",
            Self::EndsBeforeValue => "the text ends where a value should begin",
            Self::EndsInString => "the text ends inside a string",
            Self::EndsInValue => "the text ends inside a value",
            Self::EndsInObject => "the text ends inside an object",
            Self::Row(fault) => fault.message(),
        }
    }

    /// The message about a line that ends too early; `None` if nothing ends too early.
    pub fn message_about_line(self) -> Option<&'static str> {
        match self {
            Self::EndsBeforeValue => Some("the line ends where a value should begin"),
            Self::EndsInString => Some("the line ends inside a string"),
            Self::EndsInValue => Some("the line ends inside a value"),
            Self::EndsInObject => Some("the line ends inside an object"),
            _ => None,
        }
    }

    /// True if the text ends too early.
    pub fn is_end(self) -> bool {
        self.message_about_line().is_some()
    }
}
