//! Which key does what.
//!
//! One table for the dispatcher and for the help sheet, so that the two cannot disagree. Pure: `app` listens.

use crate::text::Msg;

/// Something a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Run on, or halt.
    RunPause,
    /// The cursor to the event before.
    StepBack,
    /// The cursor to the event after.
    StepForward,
    /// The cursor to the switch before, on its CPU.
    SwitchBack,
    /// The cursor to the switch after, on its CPU.
    SwitchForward,
    /// A shorter stretch of time.
    ZoomIn,
    /// A longer stretch of time.
    ZoomOut,
    /// All of the time.
    ZoomAll,
    /// Why the decision at the cursor?
    Why,
    /// A alone, or A and B.
    Compare,
    /// To the search field.
    Search,
    /// Undo.
    Undo,
    /// Redo.
    Redo,
    /// All keys.
    Help,
}

/// A row of the table.
pub struct Binding {
    /// The keys as the browser names them; a capital letter is with shift.
    pub keys: &'static [&'static str],
    /// The keys as they are shown.
    pub shown: &'static [&'static str],
    /// What they ask for.
    pub command: Command,
    /// What that is, in words.
    pub words: Msg,
}

const fn bind(
    keys: &'static [&'static str],
    shown: &'static [&'static str],
    command: Command,
    words: Msg,
) -> Binding {
    Binding {
        keys,
        shown,
        command,
        words,
    }
}

/// Every key.
pub const BINDINGS: &[Binding] = &[
    bind(&[" "], &["Space"], Command::RunPause, Msg::KeyRun),
    bind(&["ArrowLeft"], &["←"], Command::StepBack, Msg::KeyStepBack),
    bind(
        &["ArrowRight"],
        &["→"],
        Command::StepForward,
        Msg::KeyStepForward,
    ),
    bind(&["["], &["["], Command::SwitchBack, Msg::KeySwitchBack),
    bind(
        &["]"],
        &["]"],
        Command::SwitchForward,
        Msg::KeySwitchForward,
    ),
    bind(&["+", "="], &["+"], Command::ZoomIn, Msg::KeyZoomIn),
    bind(&["-", "_"], &["−"], Command::ZoomOut, Msg::KeyZoomOut),
    bind(&["0"], &["0"], Command::ZoomAll, Msg::KeyZoomAll),
    bind(&["w"], &["w"], Command::Why, Msg::KeyWhy),
    bind(&["c"], &["c"], Command::Compare, Msg::KeyCompare),
    bind(&["/"], &["/"], Command::Search, Msg::KeySearch),
    bind(&["u"], &["u"], Command::Undo, Msg::KeyUndo),
    bind(&["U"], &["⇧", "U"], Command::Redo, Msg::KeyRedo),
    bind(&["?"], &["?"], Command::Help, Msg::KeyHelp),
];

/// Something a key asks of the timeline that has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneCommand {
    /// The cursor to the lane above.
    Above,
    /// The cursor to the lane below.
    Below,
    /// Why does what is at the cursor run?
    Ask,
    /// A quarter of what is shown back in time.
    Back,
    /// A quarter on.
    On,
    /// All of what is shown back in time.
    PageBack,
    /// All of it on.
    PageOn,
    /// To the beginning.
    Start,
    /// To the end.
    End,
}

/// A row of the timeline's table: the key, whether with shift, how it is shown, what it asks for, in words.
pub type LaneBinding = (
    &'static str,
    bool,
    &'static [&'static str],
    LaneCommand,
    Msg,
);

/// Every key of the timeline.
pub const LANE_BINDINGS: &[LaneBinding] = &[
    ("ArrowUp", false, &["↑"], LaneCommand::Above, Msg::LaneAbove),
    (
        "ArrowDown",
        false,
        &["↓"],
        LaneCommand::Below,
        Msg::LaneBelow,
    ),
    ("Enter", false, &["Enter"], LaneCommand::Ask, Msg::KeyWhy),
    (
        "ArrowLeft",
        true,
        &["⇧", "←"],
        LaneCommand::Back,
        Msg::LaneBack,
    ),
    (
        "ArrowRight",
        true,
        &["⇧", "→"],
        LaneCommand::On,
        Msg::LaneOn,
    ),
    (
        "PageUp",
        false,
        &["Page ↑"],
        LaneCommand::PageBack,
        Msg::LanePageBack,
    ),
    (
        "PageDown",
        false,
        &["Page ↓"],
        LaneCommand::PageOn,
        Msg::LanePageOn,
    ),
    ("Home", false, &["Home"], LaneCommand::Start, Msg::LaneStart),
    ("End", false, &["End"], LaneCommand::End, Msg::LaneEnd),
];

/// What `key` asks of the timeline.
pub fn lane_command(key: &str, shift: bool) -> Option<LaneCommand> {
    let is = |b: &&LaneBinding| b.0 == key && b.1 == shift;
    LANE_BINDINGS.iter().find(is).map(|b| b.3)
}

/// Keys that belong to what has the focus, and what they do there.
pub const OWN_KEYS: &[(&[&str], Msg)] = &[
    (&["↑", "↓", "←", "→", "Home", "End"], Msg::OwnList),
    (&["↑", "↓"], Msg::OwnNumber),
    (&["Enter"], Msg::OwnField),
    (&["Esc"], Msg::OwnLeave),
    (&["Tab"], Msg::OwnSkip),
];

/// What has the keyboard's attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Nothing in particular.
    Page,
    /// A field one writes into: every key belongs to it.
    Writing,
    /// A control with keys of its own: a slider, a choice, a button, a picture.
    Control,
    /// A sheet lies over the page.
    Sheet,
}

/// What `key` asks for. Keys with Ctrl, Alt or Meta belong to the browser.
pub fn command(key: &str, modified: bool, focus: Focus) -> Option<Command> {
    let own = matches!(
        key,
        " " | "ArrowLeft" | "ArrowRight" | "Enter" | "+" | "-" | "=" | "_" | "[" | "]" | "0"
    );
    let taken = match focus {
        Focus::Page => false,
        Focus::Writing | Focus::Sheet => true,
        Focus::Control => own,
    };
    if modified || taken {
        return None;
    }
    BINDINGS
        .iter()
        .find(|b| b.keys.contains(&key))
        .map(|b| b.command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_does_one_thing() {
        let keys: Vec<_> = BINDINGS.iter().flat_map(|b| b.keys).collect();
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{key} does two things");
        }
    }

    #[test]
    fn the_timeline_has_its_keys_with_and_without_shift() {
        assert_eq!(lane_command("ArrowUp", false), Some(LaneCommand::Above));
        assert_eq!(lane_command("ArrowLeft", true), Some(LaneCommand::Back));
        assert_eq!(lane_command("ArrowLeft", false), None, "a step on the page");
        for (index, b) in LANE_BINDINGS.iter().enumerate() {
            let same = |other: &LaneBinding| (other.0, other.1) == (b.0, b.1);
            assert!(!LANE_BINDINGS[..index].iter().any(same), "{} twice", b.0);
        }
    }

    #[test]
    fn a_field_keeps_its_keys() {
        assert_eq!(command("u", false, Focus::Writing), None);
        assert_eq!(command("/", false, Focus::Writing), None);
        assert_eq!(command("?", false, Focus::Sheet), None);
        assert_eq!(
            command(" ", false, Focus::Control),
            None,
            "space presses a button"
        );
        assert_eq!(command("w", false, Focus::Control), Some(Command::Why));
    }

    #[test]
    fn the_browser_keeps_its_own() {
        assert_eq!(command("c", true, Focus::Page), None, "Ctrl+C copies");
        assert_eq!(command("c", false, Focus::Page), Some(Command::Compare));
        assert_eq!(command("U", false, Focus::Page), Some(Command::Redo));
        assert_eq!(command("F5", false, Focus::Page), None);
    }
}
