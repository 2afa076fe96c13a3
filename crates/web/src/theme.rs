//! Light, dark, or as the system has it: kept by the browser, shown by an attribute of the document.

use crate::text::{Msg, text};

/// Where the browser keeps the choice.
const KEY: &str = "schedlab-theme";

/// Which colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The next one of the switch.
    pub(crate) const fn next(self) -> Self {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }

    /// Its name.
    pub(crate) fn words(self) -> &'static str {
        text(match self {
            Theme::Auto => Msg::ThemeAuto,
            Theme::Light => Msg::ThemeLight,
            Theme::Dark => Msg::ThemeDark,
        })
    }

    const fn attribute(self) -> Option<&'static str> {
        match self {
            Theme::Auto => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
        }
    }

    /// The choice kept from last time. A browser that keeps nothing gets the system's.
    pub(crate) fn kept() -> Self {
        let kept = storage().and_then(|s| s.get_item(KEY).ok().flatten());
        match kept.as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::Auto,
        }
    }

    /// Shows and keeps it.
    pub(crate) fn put(self) {
        let root = web_sys::window()
            .and_then(|w| w.document())
            .and_then(|d| d.document_element());
        let (Some(root), storage) = (root, storage()) else {
            return;
        };
        // Refusals (a full or forbidden storage) leave the page as usable as before.
        let _ = match self.attribute() {
            Some(name) => root.set_attribute("data-theme", name),
            None => root.remove_attribute("data-theme"),
        };
        if let Some(storage) = storage {
            let _ = match self.attribute() {
                Some(name) => storage.set_item(KEY, name),
                None => storage.remove_item(KEY),
            };
        }
    }
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}
