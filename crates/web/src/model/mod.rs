//! The page's state.

pub mod view;
