//! Fields of a JSON file by their path, so that what is missing or of another kind can be named.

use super::Unreadable;
use serde_json::{Map, Value};

/// A value and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'j> {
    file: &'static str,
    above: Option<&'j At<'j>>,
    name: &'j str,
    value: &'j Value,
}

/// The whole file as JSON.
pub(super) fn parse(file: &'static str, bytes: &[u8]) -> Result<Value, Unreadable> {
    serde_json::from_slice(bytes).map_err(|error| Unreadable {
        file,
        line: Some(error.line()),
        field: String::new(),
        what: format!("no JSON: {error}"),
    })
}

impl<'j> At<'j> {
    /// The top of a file.
    pub(super) fn top(file: &'static str, value: &'j Value) -> At<'j> {
        At {
            file,
            above: None,
            name: "",
            value,
        }
    }

    fn path(&self) -> String {
        match self.above.map(At::path) {
            Some(above) if !above.is_empty() => format!("{above}.{}", self.name),
            _ => self.name.to_string(),
        }
    }

    /// The complaint that this value is not what was expected.
    pub(super) fn wrong<T>(&self, expected: &str) -> Result<T, Unreadable> {
        let found = match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number that does not fit",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        Err(Unreadable {
            file: self.file,
            line: None,
            field: self.path(),
            what: format!("{expected} was expected, here is {found}"),
        })
    }

    fn object(&self) -> Result<&'j Map<String, Value>, Unreadable> {
        match self.value {
            Value::Object(map) => Ok(map),
            _ => self.wrong("an object"),
        }
    }

    /// The field of that name, if it is there and not null.
    pub(super) fn maybe<'a>(&'a self, name: &'a str) -> Result<Option<At<'a>>, Unreadable> {
        let value = self.object()?.get(name).filter(|value| !value.is_null());
        Ok(value.map(|value| At {
            file: self.file,
            above: Some(self),
            name,
            value,
        }))
    }

    /// The field of that name.
    pub(super) fn field<'a>(&'a self, name: &'a str) -> Result<At<'a>, Unreadable> {
        let missing = || At {
            file: self.file,
            above: Some(self),
            name,
            value: &Value::Null,
        };
        match self.maybe(name)? {
            Some(field) => Ok(field),
            None => missing().wrong("this field"),
        }
    }

    /// Every field with its name, in the file's order.
    pub(super) fn fields<'a>(
        &'a self,
    ) -> Result<impl Iterator<Item = (&'j str, At<'a>)>, Unreadable>
    where
        'j: 'a,
    {
        let map = self.object()?;
        Ok(map.iter().map(move |(name, value)| {
            (
                name.as_str(),
                At {
                    file: self.file,
                    above: Some(self),
                    name,
                    value,
                },
            )
        }))
    }

    pub(super) fn text(&self) -> Result<String, Unreadable> {
        match self.value {
            Value::String(text) => Ok(text.clone()),
            _ => self.wrong("a text"),
        }
    }

    pub(super) fn texts(&self) -> Result<Vec<String>, Unreadable> {
        let Value::Array(list) = self.value else {
            return self.wrong("a list of texts");
        };
        let text = |value: &Value| value.as_str().map(str::to_string);
        match list.iter().map(text).collect() {
            Some(texts) => Ok(texts),
            None => self.wrong("a list of texts"),
        }
    }

    pub(super) fn count(&self) -> Result<u64, Unreadable> {
        match self.value.as_u64() {
            Some(count) => Ok(count),
            None => self.wrong("a whole number of 0 or more"),
        }
    }

    pub(super) fn integer(&self) -> Result<i64, Unreadable> {
        match self.value.as_i64() {
            Some(integer) => Ok(integer),
            None => self.wrong("a whole number"),
        }
    }

    pub(super) fn number(&self) -> Result<f64, Unreadable> {
        match self.value.as_f64() {
            Some(number) => Ok(number),
            None => self.wrong("a number"),
        }
    }

    pub(super) fn switch(&self) -> Result<bool, Unreadable> {
        match self.value {
            Value::Bool(on) => Ok(*on),
            _ => self.wrong("true or false"),
        }
    }

    /// A field that must be there, as a count.
    pub(super) fn count_of(&self, name: &str) -> Result<u64, Unreadable> {
        self.field(name)?.count()
    }

    /// A field that may be missing, as a count.
    pub(super) fn maybe_count(&self, name: &str) -> Result<Option<u64>, Unreadable> {
        self.maybe(name)?.map(|field| field.count()).transpose()
    }

    /// A field that must be there, as text.
    pub(super) fn text_of(&self, name: &str) -> Result<String, Unreadable> {
        self.field(name)?.text()
    }
}
