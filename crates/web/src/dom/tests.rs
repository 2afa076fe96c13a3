//! What markup becomes: the tree that Yew is given.

use super::{classes, html};
use yew::prelude::*;
use yew::virtual_dom::VNode;

/// A tree as one would write it down.
fn written(node: &VNode) -> String {
    match node {
        VNode::VTag(tag) => {
            let mut words = vec![format!("<{}", tag.tag())];
            words.extend(
                tag.attributes
                    .iter()
                    .map(|(name, value)| format!(" {name}={value:?}")),
            );
            words.push(">".to_string());
            words.extend(tag.children().map(written));
            words.push("</>".to_string());
            words.concat()
        }
        VNode::VText(text) => text.text.to_string(),
        VNode::VList(list) => list.iter().map(written).collect(),
        VNode::VComp(comp) => format!("[{}]", comp_key(node).unwrap_or(format!("{comp:?}"))),
        other => format!("{other:?}"),
    }
}

fn comp_key(node: &VNode) -> Option<String> {
    node.key().map(ToString::to_string)
}

#[test]
fn elements_have_what_was_said_of_them() {
    let label = String::from("it");
    let title = "words";
    let tree = html! {
        <button type="button" aria-label={label} {title} tabindex=3 disabled={true} hidden={false}
            class={classes!("a", false.then_some("b"), true.then_some("c"))}>
            { "x" }<b id="y">{ title }</b>
        </button>
    };
    assert_eq!(
        written(&tree),
        "<button type=\"button\" tabindex=\"3\" aria-label=\"it\" title=\"words\" disabled=\"\" \
         class=\"a c\">x<b id=\"y\">words</></>"
    );
}

#[test]
fn a_class_without_words_is_no_class() {
    let none = None::<&str>;
    assert_eq!(
        written(&html! { <i class={classes!(none, "")} /> }),
        "<i></>"
    );
}

#[test]
fn conditions_and_lists() {
    let several = |count: usize| {
        let numbers = (0..count).map(|n| html! { <li>{ n.to_string() }</li> });
        html! {
            <>
                if count == 0 {
                    { "none" }
                } else if let Some(less) = count.checked_sub(2) {
                    { "many, " }{ less.to_string() }{ " more than two" }
                } else {
                    <em>{ "one" }</em>
                }
                <ul>{ for numbers }</ul>
                if count > 5 {
                    <hr />
                }
            </>
        }
    };
    assert_eq!(written(&several(0)), "none<ul></>");
    assert_eq!(written(&several(1)), "<em>one</><ul><li>0</></>");
    assert_eq!(
        written(&several(2)),
        "many, 0 more than two<ul><li>0</><li>1</></>"
    );
    assert!(written(&several(6)).ends_with("</><hr></>"));
}

#[test]
fn what_is_no_markup_is_shown_as_it_is() {
    assert_eq!(written(&html! { "\u{a0}" }), "\u{a0}");
    assert_eq!(written(&html! { "a".to_uppercase() }), "A");
    assert_eq!(written(&html! { { for ["a", "b"] } }), "ab");
    assert_eq!(written(&html! {}), "");
}

#[test]
fn fields_have_a_value_and_no_attribute_of_that_name() {
    let mut boxed = html! { <input type="checkbox" checked={true} value={"v"} /> };
    assert_eq!(written(&boxed), "<input type=\"checkbox\"></>");
    let VNode::VTag(tag) = &mut boxed else {
        panic!("an input is an element")
    };
    assert_eq!(tag.checked(), Some(true));
    assert_eq!(tag.value().map(ToString::to_string).as_deref(), Some("v"));
    let choice = html! { <option value={"v"} selected={true}>{ "V" }</option> };
    assert_eq!(written(&choice), "<option value=\"v\" selected=\"\">V</>");
}

#[derive(Properties, PartialEq)]
struct PlainProps {
    words: AttrValue,
    often: usize,
    on_change: Callback<usize>,
    children: Html,
}

#[component]
fn Plain(props: &PlainProps) -> Html {
    html! { <p>{ &props.words }{ props.children.clone() }</p> }
}

/// Components of the same place and kind are the same if their properties are, whatever kind that is.
#[test]
fn components_are_told_apart_by_their_names_keys_and_properties() {
    let on_change = Callback::from(|_: usize| ());
    let plain = |words: &'static str, often: usize| {
        html! { <Plain {words} {often} on_change={on_change.clone()} key={"k"}>{ "inside" }</Plain> }
    };
    assert_eq!(written(&plain("a", 1)), "[Plain:k]");
    assert!(plain("a", 1) == plain("a", 1));
    assert!(plain("a", 1) != plain("b", 1));
    assert!(plain("a", 1) != plain("a", 2));
    let rest = || PlainProps {
        words: "a".into(),
        often: 1,
        on_change: on_change.clone(),
        children: Html::default(),
    };
    assert_eq!(
        written(&html! { <Plain often=2_usize ..rest() /> }),
        "[Plain:]"
    );
}
