//! From a tree of markup to calls of the functions that make it.

use crate::read::{Attribute, Node, Part, Value};
use proc_macro::{Delimiter, Group, Span, TokenStream, TokenTree};

/// The events of the page, each with the type of what a callback is given.
const EVENTS: [(&str, &str); 14] = [
    ("onblur", "FocusEvent"),
    ("oncancel", "Event"),
    ("onchange", "Event"),
    ("onclick", "MouseEvent"),
    ("ondblclick", "MouseEvent"),
    ("oninput", "InputEvent"),
    ("onkeydown", "KeyboardEvent"),
    ("onpointercancel", "PointerEvent"),
    ("onpointerdown", "PointerEvent"),
    ("onpointerleave", "PointerEvent"),
    ("onpointermove", "PointerEvent"),
    ("onpointerup", "PointerEvent"),
    ("onscroll", "Event"),
    ("ontoggle", "Event"),
];

/// One `Html`.
pub(crate) fn root(nodes: &[Node]) -> TokenStream {
    match nodes {
        [node @ (Node::Each(_) | Node::Value(_))] => list(std::slice::from_ref(node)),
        [node] => one(node),
        several => list(several),
    }
}

/// A single value of a node that is one.
fn one(node: &Node) -> TokenStream {
    match node {
        Node::Value(value) => made("crate::dom::shown(__0)", std::slice::from_ref(value)),
        Node::Each(_) => list(std::slice::from_ref(node)),
        Node::If(condition, then, other) => made(
            "if __0 { __1 } else { __2 }",
            &[condition.clone(), root(then), root(other)],
        ),
        Node::List(nodes) => list(nodes),
        Node::Element(part) => element(part),
        Node::Component(part) => component(part),
    }
}

fn list(nodes: &[Node]) -> TokenStream {
    match nodes {
        [] => made("crate::dom::nothing()", &[]),
        [Node::Value(value)] => made("crate::dom::shown(__0)", std::slice::from_ref(value)),
        _ => made(
            "__0.done()",
            &[children(made("crate::dom::List::new()", &[]), nodes)],
        ),
    }
}

/// `to` with a call for each child.
fn children(to: TokenStream, nodes: &[Node]) -> TokenStream {
    nodes.iter().fold(to, |to, node| match node {
        Node::Each(values) => made("__0.each(__1)", &[to, values.clone()]),
        Node::Value(value) => made("__0.show(__1)", &[to, value.clone()]),
        node => made("__0.child(__1)", &[to, one(node)]),
    })
}

fn element(part: &Part) -> TokenStream {
    let tag = part.name.to_string();
    let field = matches!(tag.as_str(), "input" | "textarea");
    let mut keys = Vec::new();
    let mut fixed = Vec::new();
    for attribute in &part.attributes {
        if let Value::Fixed(value) = &attribute.value
            && let Some(text) = fixed_text(value)
        {
            keys.push(attribute.name.as_str());
            fixed.push(text);
        }
    }
    let mut calls = Vec::new();
    for attribute in &part.attributes {
        let Value::Made(value) = &attribute.value else {
            continue;
        };
        let call = match attribute.name.as_str() {
            "ref" => "__0.node(__1)".to_string(),
            "key" => "__0.key(__1)".to_string(),
            "value" if field => "__0.value(__1)".to_string(),
            "checked" if field => "__0.checked(__1)".to_string(),
            name if name.starts_with("on") => match event(name) {
                Some(event) => format!(
                    "__0.on::<::web_sys::{event}>(|| ::yew::virtual_dom::ListenerKind::{name}, ::core::convert::Into::into(__1))"
                ),
                None => {
                    return complain(attribute, "an event that markup/src/write.rs does not list");
                }
            },
            name => {
                keys.push(name);
                "__0.put(__1)".to_string()
            }
        };
        calls.push((call, value.clone()));
    }
    let shape = format!(
        "crate::dom::Tag::new(&crate::dom::Shape {{ tag: {tag:?}, keys: &{keys:?}, fixed: &[{}] }})",
        fixed.join(", ")
    );
    let begun = calls
        .into_iter()
        .fold(made(&shape, &[]), |to, (call, value)| {
            made(&call, &[to, value])
        });
    made("__0.done()", &[children(begun, &part.children)])
}

/// The text of a literal; none for `false`, which is no attribute at all.
fn fixed_text(value: &TokenTree) -> Option<String> {
    match value.to_string().as_str() {
        "false" => None,
        "true" => Some("\"\"".to_string()),
        literal if literal.starts_with('"') => Some(literal.to_string()),
        number => Some(format!("{number:?}")),
    }
}

fn event(name: &str) -> Option<&'static str> {
    let found = EVENTS.iter().find(|(event, _)| *event == name);
    found.map(|(_, kind)| *kind)
}

fn component(part: &Part) -> TokenStream {
    let mut fields = TokenStream::new();
    let mut key = made("::core::option::Option::None", &[]);
    for attribute in &part.attributes {
        let value = match &attribute.value {
            Value::Fixed(token) => TokenStream::from(token.clone()),
            Value::Made(tokens) => made("{ __0 }", std::slice::from_ref(tokens)),
        };
        if attribute.name == "key" {
            key = made("::core::option::Option::Some(&*__0)", &[grouped(value)]);
        } else {
            let field = format!("{}: ::core::convert::Into::into(__0),", attribute.name);
            fields.extend(made(&field, &[value]));
        }
    }
    if !part.children.is_empty() {
        fields.extend(made("children: __0,", &[root(&part.children)]));
    }
    if let Some(rest) = &part.rest {
        fields.extend(made("..__0", std::slice::from_ref(rest)));
    }
    let name = TokenStream::from(TokenTree::Ident(part.name.clone()));
    let call = format!(
        "{{ type Props = <__0 as ::yew::functional::FunctionProvider>::Properties; \
         crate::dom::part::<__0>({:?}, __1, Props {{ __2 }}) }}",
        part.name.to_string()
    );
    made(&call, &[name, key, fields])
}

fn complain(attribute: &Attribute, what: &str) -> TokenStream {
    let text = format!("{} is {what}", attribute.name);
    let told = made(&format!("::core::compile_error!({text:?})"), &[]);
    spanned(told, attribute.span)
}

fn spanned(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}

fn grouped(tokens: TokenStream) -> TokenStream {
    TokenTree::Group(Group::new(Delimiter::Parenthesis, tokens)).into()
}

/// `template` with the streams in place of `__0`, `__1` and so on.
fn made(template: &str, with: &[TokenStream]) -> TokenStream {
    let tokens: TokenStream = template.parse().expect("a template is Rust");
    put_in(tokens, with)
}

fn put_in(tokens: TokenStream, with: &[TokenStream]) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), put_in(group.stream(), with));
                inside.set_span(group.span());
                out.extend([TokenTree::Group(inside)]);
            }
            TokenTree::Ident(word) => match place(&word.to_string()).and_then(|at| with.get(at)) {
                Some(stream) => out.extend(stream.clone()),
                None => out.extend([TokenTree::Ident(word)]),
            },
            token => out.extend([token]),
        }
    }
    out
}

fn place(word: &str) -> Option<usize> {
    word.strip_prefix("__")?.parse().ok()
}
