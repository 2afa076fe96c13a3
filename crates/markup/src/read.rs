//! From tokens to a tree of markup.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use std::iter::Peekable;

/// A piece of markup.
pub(crate) enum Node {
    /// Any value that can be shown.
    Value(TokenStream),
    /// Any number of them.
    Each(TokenStream),
    /// `if … { } else { }`; the second part may be empty.
    If(TokenStream, Vec<Node>, Vec<Node>),
    /// `<>…</>`
    List(Vec<Node>),
    /// An element of the document.
    Element(Part),
    /// One of our components.
    Component(Part),
}

/// What an element and a component have in common.
pub(crate) struct Part {
    pub(crate) name: Ident,
    pub(crate) attributes: Vec<Attribute>,
    /// What stands behind `..`.
    pub(crate) rest: Option<TokenStream>,
    pub(crate) children: Vec<Node>,
}

/// `name=value`
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) value: Value,
}

pub(crate) enum Value {
    /// A literal, `true` or `false`.
    Fixed(TokenTree),
    /// What stood in braces.
    Made(TokenStream),
}

/// What is wrong, and where.
pub(crate) struct Fault(Span, String);

type Read<T> = Result<T, Fault>;
type Tokens = Peekable<proc_macro::token_stream::IntoIter>;

impl Fault {
    /// The compiler's own way to say it.
    pub(crate) fn tell(self) -> TokenStream {
        let text = format!("::core::compile_error!({:?})", self.1);
        let told: TokenStream = text.parse().expect("a macro call with a string");
        told.into_iter()
            .map(|mut token| {
                token.set_span(self.0);
                token
            })
            .collect()
    }
}

/// All of the macro's input. What begins like no markup is a value.
pub(crate) fn nodes(input: TokenStream) -> Read<Vec<Node>> {
    let mut tokens = input.clone().into_iter().peekable();
    let markup = match tokens.peek() {
        Some(TokenTree::Punct(p)) => p.as_char() == '<',
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Ident(word)) => word.to_string() == "if",
        None => true,
        _ => false,
    };
    if markup {
        children(&mut tokens)
    } else {
        Ok(vec![Node::Value(input)])
    }
}

/// Everything up to `</` or the end.
fn children(tokens: &mut Tokens) -> Read<Vec<Node>> {
    let mut found = Vec::new();
    while let Some(token) = tokens.peek() {
        if is(token, '<') {
            let open = tokens.next().expect("it was just seen");
            if tokens.peek().is_some_and(|t| is(t, '/')) {
                tokens.next();
                return Ok(found);
            }
            found.push(element(open.span(), tokens)?);
        } else {
            found.push(child(tokens)?);
        }
    }
    Ok(found)
}

fn child(tokens: &mut Tokens) -> Read<Node> {
    match tokens.next().expect("there is one more") {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Ok(in_braces(&group)),
        TokenTree::Literal(text) => Ok(Node::Value(TokenTree::Literal(text).into())),
        TokenTree::Ident(word) if word.to_string() == "if" => choice(word.span(), tokens),
        other => fault(
            other.span(),
            "expected markup: <tag>, {value}, if or a literal",
        ),
    }
}

fn in_braces(group: &Group) -> Node {
    let mut inside = group.stream().into_iter();
    match inside.next() {
        Some(TokenTree::Ident(word)) if word.to_string() == "for" => Node::Each(inside.collect()),
        _ => Node::Value(group.stream()),
    }
}

fn choice(at: Span, tokens: &mut Tokens) -> Read<Node> {
    let mut condition = TokenStream::new();
    let then = loop {
        match tokens.next() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => break group,
            Some(token) => condition.extend([token]),
            None => return fault(at, "expected a block in braces after this if"),
        }
    };
    let then = children(&mut then.stream().into_iter().peekable())?;
    let has_else =
        matches!(tokens.peek(), Some(TokenTree::Ident(word)) if word.to_string() == "else");
    let other = if has_else {
        let word = tokens.next().expect("it was just seen");
        match tokens.next() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                children(&mut group.stream().into_iter().peekable())?
            }
            Some(TokenTree::Ident(next)) if next.to_string() == "if" => {
                vec![choice(next.span(), tokens)?]
            }
            _ => {
                return fault(
                    word.span(),
                    "expected a block or another if after this else",
                );
            }
        }
    } else {
        Vec::new()
    };
    Ok(Node::If(condition, then, other))
}

/// What follows a `<` that opens something.
fn element(open: Span, tokens: &mut Tokens) -> Read<Node> {
    let name = match tokens.next() {
        Some(TokenTree::Ident(name)) => name,
        Some(token) if is(&token, '>') => {
            let list = children(tokens)?;
            return closed(open, tokens, "").map(|()| Node::List(list));
        }
        _ => return fault(open, "expected a name or > after this <"),
    };
    let mut part = Part {
        name,
        attributes: Vec::new(),
        rest: None,
        children: Vec::new(),
    };
    loop {
        match tokens.next() {
            Some(token) if is(&token, '>') => {
                part.children = children(tokens)?;
                closed(open, tokens, &part.name.to_string())?;
                break;
            }
            Some(token) if is(&token, '/') => {
                if tokens.next().is_some_and(|t| is(&t, '>')) {
                    break;
                }
                return fault(token.span(), "expected > after this /");
            }
            Some(token) if is(&token, '.') => {
                tokens.next();
                part.rest = Some(rest(tokens));
            }
            Some(token) => part.attributes.push(attribute(&token, tokens)?),
            None => return fault(open, "this element has no end"),
        }
    }
    let component = part
        .name
        .to_string()
        .starts_with(|first: char| first.is_ascii_uppercase());
    Ok(if component {
        Node::Component(part)
    } else {
        Node::Element(part)
    })
}

/// The name and `>` after `</`.
fn closed(open: Span, tokens: &mut Tokens, name: &str) -> Read<()> {
    let mut end = String::new();
    for token in tokens.by_ref() {
        if is(&token, '>') {
            if end == name {
                return Ok(());
            }
            break;
        }
        end += &token.to_string();
    }
    fault(
        open,
        format!("this <{name}> is not closed by </{name}> but by </{end}>"),
    )
}

/// The tokens up to `>` or `/`.
fn rest(tokens: &mut Tokens) -> TokenStream {
    let mut found = TokenStream::new();
    while let Some(token) = tokens.next_if(|t| !is(t, '>') && !is(t, '/')) {
        found.extend([token]);
    }
    found
}

fn attribute(first: &TokenTree, tokens: &mut Tokens) -> Read<Attribute> {
    let span = first.span();
    if let TokenTree::Group(group) = first {
        let name = group.stream().to_string();
        let value = Value::Made(group.stream());
        return Ok(Attribute { name, span, value });
    }
    let mut name = first.to_string();
    loop {
        match tokens.next() {
            Some(token) if is(&token, '=') => break,
            Some(token) if is(&token, '-') || matches!(token, TokenTree::Ident(_)) => {
                name += &token.to_string();
            }
            _ => return fault(span, format!("expected = after {name:?}")),
        }
    }
    let value = match tokens.next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            Value::Made(group.stream())
        }
        Some(token @ (TokenTree::Literal(_) | TokenTree::Ident(_))) => Value::Fixed(token),
        _ => {
            return fault(
                span,
                format!("expected a literal or {{value}} for {name:?}"),
            );
        }
    };
    Ok(Attribute { name, span, value })
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == sign)
}

fn fault<T>(at: Span, what: impl Into<String>) -> Read<T> {
    Err(Fault(at, what.into()))
}
