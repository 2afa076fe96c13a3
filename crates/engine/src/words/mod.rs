//! Reading what people write: numbers with units, and the name that was meant.
//!
//! A leaf, for everything that reads text. Not here: any grammar.

pub mod nearest;
pub mod number;
pub mod plural;
pub mod visible;
