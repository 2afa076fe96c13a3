//! Words in, words out: the one format of everything that is transferred in bulk.
//!
//! A message is one flat array of 32-bit words, so that it crosses from worker to page as one transferred buffer.
//! Reading is total: any array gives a value or an error, and allocates no more than the array is long.

use std::fmt;

/// Why an array of words is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// It is no such message at all.
    NotOurs,
    /// It was written by another version, whose number this is.
    OtherVersion(u32),
    /// It ends too early, or a length in it cannot be right.
    Truncated,
    /// A value in it has no meaning.
    Invalid,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::NotOurs => f.write_str("not an update"),
            DecodeError::OtherVersion(version) => write!(f, "an update of version {version}"),
            DecodeError::Truncated => f.write_str("an update that was cut short"),
            DecodeError::Invalid => f.write_str("an update with a value that means nothing"),
        }
    }
}

/// Collects words.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) words: Vec<u32>,
}

impl Writer {
    pub(super) fn u32(&mut self, value: u32) {
        self.words.push(value);
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.words.push(value as u32);
        self.words.push((value >> 32) as u32);
    }

    pub(super) fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    pub(super) fn u32s(&mut self, values: &[u32]) {
        self.u32(values.len() as u32);
        self.words.extend_from_slice(values);
    }

    pub(super) fn u64s(&mut self, values: &[u64]) {
        self.u32(values.len() as u32);
        self.words.reserve(2 * values.len());
        for &value in values {
            self.u64(value);
        }
    }

    pub(super) fn f32s(&mut self, values: &[f32]) {
        self.u32(values.len() as u32);
        self.words
            .extend(values.iter().map(|value| value.to_bits()));
    }

    pub(super) fn f64s(&mut self, values: &[f64]) {
        self.u32(values.len() as u32);
        for &value in values {
            self.f64(value);
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        for four in text.as_bytes().chunks(4) {
            let mut word = [0; 4];
            word[..four.len()].copy_from_slice(four);
            self.u32(u32::from_le_bytes(word));
        }
    }
}

/// Takes words off the front.
pub(super) struct Reader<'a> {
    words: &'a [u32],
}

impl<'a> Reader<'a> {
    pub(super) fn new(words: &'a [u32]) -> Self {
        Self { words }
    }

    /// Has everything been read?
    pub(super) fn is_at_end(&self) -> bool {
        self.words.is_empty()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u32], DecodeError> {
        let (taken, rest) = self
            .words
            .split_at_checked(count)
            .ok_or(DecodeError::Truncated)?;
        self.words = rest;
        Ok(taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u64(&mut self) -> Result<u64, DecodeError> {
        Ok(join(self.take(2)?))
    }

    pub(super) fn f64(&mut self) -> Result<f64, DecodeError> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// A length whose elements, `width` words each, are all there.
    pub(super) fn length(&mut self, width: usize) -> Result<usize, DecodeError> {
        let length = self.u32()? as usize;
        if length > self.words.len() / width {
            return Err(DecodeError::Truncated);
        }
        Ok(length)
    }

    pub(super) fn u32s(&mut self) -> Result<Vec<u32>, DecodeError> {
        let length = self.length(1)?;
        Ok(self.take(length)?.to_vec())
    }

    pub(super) fn u64s(&mut self) -> Result<Vec<u64>, DecodeError> {
        let length = self.length(2)?;
        Ok(self.take(2 * length)?.chunks_exact(2).map(join).collect())
    }

    pub(super) fn f32s(&mut self) -> Result<Vec<f32>, DecodeError> {
        let length = self.length(1)?;
        let words = self.take(length)?;
        Ok(words.iter().map(|&word| f32::from_bits(word)).collect())
    }

    pub(super) fn f64s(&mut self) -> Result<Vec<f64>, DecodeError> {
        Ok(self.u64s()?.into_iter().map(f64::from_bits).collect())
    }

    pub(super) fn text(&mut self) -> Result<String, DecodeError> {
        let length = self.u32()? as usize;
        let words = self.take(length.div_ceil(4))?;
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(length);
        String::from_utf8(bytes).map_err(|_| DecodeError::Invalid)
    }
}

fn join(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}
