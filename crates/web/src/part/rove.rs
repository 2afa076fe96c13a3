//! A list or table of switches with one stop for Tab: from there the arrow keys go on.
//!
//! Which control is the stop is kept in the page itself, as the attribute `tabindex`: nothing else depends on it.

use crate::dom::{html, use_effect_with};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Properties of [`Rove`].
#[derive(Properties, PartialEq)]
pub(crate) struct RoveProps {
    /// The list: what stands in an `li` or a `tr` is a row of it.
    pub(crate) children: Html,
}

/// Arrow keys within, one stop for Tab.
#[component]
pub(crate) fn Rove(props: &RoveProps) -> Html {
    let list = use_node_ref();
    let looks = use_mut_ref(|| 0_u32);
    let look = {
        let mut looks = looks.borrow_mut();
        *looks += 1;
        *looks
    };
    {
        let list = list.clone();
        // After every look: rows come and go with what is searched for and switched.
        use_effect_with(look, move |_| {
            let all = list.cast().map(|list| controls(&list)).unwrap_or_default();
            let is_stop =
                |c: &&Control| c.element.get_attribute("tabindex").as_deref() == Some("0");
            if let Some(stop) = all.iter().find(is_stop).or(all.first()) {
                make_stop(&all, stop);
            }
        });
    }
    let onkeydown = {
        let list = list.clone();
        move |event: KeyboardEvent| {
            let all = list.cast().map(|list| controls(&list)).unwrap_or_default();
            let here = event.target_dyn_into::<HtmlElement>();
            let here = all.iter().position(|c| Some(&c.element) == here.as_ref());
            let places: Vec<Place> = all.iter().map(|c| c.place).collect();
            let to = here.and_then(|here| next(&places, here, &event.key()));
            if let Some(to) = to.and_then(|to| all.get(to)) {
                event.prevent_default();
                event.stop_propagation();
                make_stop(&all, to);
                let _ = to.element.focus();
            }
        }
    };
    html! { <div ref={list} {onkeydown}>{ props.children.clone() }</div> }
}

/// The row of a control and its place in that row.
type Place = (usize, usize);

struct Control {
    element: HtmlElement,
    place: Place,
}

/// All that can have the focus, in the order of the page.
fn controls(list: &Element) -> Vec<Control> {
    let found = list.query_selector_all("input:not(:disabled), button");
    let Ok(found) = found else {
        return Vec::new();
    };
    let (mut all, mut row): (Vec<Control>, Option<Element>) = (Vec::new(), None);
    for index in 0..found.length() {
        let element = found
            .item(index)
            .and_then(|node| node.dyn_into::<HtmlElement>().ok());
        let Some(element) = element else { continue };
        let own = element.closest("li, tr").ok().flatten();
        let place = match all.last() {
            Some(last) if own == row => (last.place.0, last.place.1 + 1),
            Some(last) => (last.place.0 + 1, 0),
            None => (0, 0),
        };
        row = own;
        all.push(Control { element, place });
    }
    all
}

fn make_stop(all: &[Control], stop: &Control) {
    for control in all {
        control
            .element
            .set_tab_index(if control.place == stop.place { 0 } else { -1 });
    }
}

/// Where `key` leads from the control number `here`; nowhere for other keys, and beyond the ends.
fn next(places: &[Place], here: usize, key: &str) -> Option<usize> {
    let (row, column) = *places.get(here)?;
    // The same place in another row, or the last one there is.
    let across = |row: usize| places.iter().rposition(|at| at.0 == row && at.1 <= column);
    match key {
        "ArrowDown" => across(row + 1),
        "ArrowUp" => across(row.checked_sub(1)?),
        "ArrowRight" => (here + 1 < places.len()).then_some(here + 1),
        "ArrowLeft" => here.checked_sub(1),
        "Home" => Some(0),
        "End" => across(places.last()?.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_through_rows_and_along_them() {
        // A switch and a name in each row; in the second also a button that takes the change back.
        let places = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 0)];
        let to = |here, key| next(&places, here, key);
        assert_eq!(to(0, "ArrowDown"), Some(2));
        assert_eq!(to(4, "ArrowUp"), Some(1), "the last there is");
        assert_eq!(to(4, "ArrowDown"), Some(5));
        assert_eq!((to(0, "ArrowUp"), to(5, "ArrowDown")), (None, None));
        assert_eq!(
            (to(1, "ArrowRight"), to(2, "ArrowLeft")),
            (Some(2), Some(1))
        );
        assert_eq!((to(5, "ArrowRight"), to(0, "ArrowLeft")), (None, None));
        assert_eq!((to(3, "Home"), to(1, "End")), (Some(0), Some(5)));
        assert_eq!(to(1, "Tab"), None);
    }
}
