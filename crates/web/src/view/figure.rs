//! A picture on the page: its name, its canvas, what the pointer is over, and its data behind a button.
//!
//! Thin: what is drawn and said comes from the picture ([`super::picture`]).

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::geometry::Point;
use super::host::{self, Stage, use_stage};
use super::picture::{Frame, Picture, Table, svg};
use crate::text::{Msg, fill, text};

/// Properties of [`Figure`].
#[derive(Properties, PartialEq)]
pub struct FigureProps<P: Picture> {
    /// The picture.
    pub picture: P,
    /// Makes ids and file names; unique on the page.
    pub id: AttrValue,
    /// Told which simulated time was clicked, ns.
    #[prop_or_default]
    pub on_time: Callback<u64>,
    /// Controls of the picture's own, beside its name.
    #[prop_or_default]
    pub children: Html,
}

/// A picture with its name and its data.
#[component]
pub fn Figure<P: Picture>(props: &FigureProps<P>) -> Html {
    let (host, canvas) = (use_node_ref(), use_node_ref());
    let stage = use_stage(&host);
    let pointer = use_state_eq(|| None::<Point>);
    let open = use_state_eq(|| false);
    let hover = stage
        .as_ref()
        .zip(*pointer)
        .and_then(|(stage, at)| props.picture.hover(&frame(stage), at));
    {
        let canvas = canvas.clone();
        use_effect_with(
            (props.picture.clone(), stage.clone(), hover.clone()),
            move |(picture, stage, hover)| {
                if let (Some(canvas), Some(stage)) = (canvas.cast(), stage) {
                    let mut shapes = picture.scene(&frame(stage)).shapes;
                    shapes.extend(hover.iter().flat_map(|hover| hover.shapes.clone()));
                    host::prepare(&canvas, stage.width, stage.height, stage.ratio);
                    host::draw(&canvas, stage, &shapes);
                }
            },
        );
    }
    let moved = {
        let pointer = pointer.clone();
        move |event: PointerEvent| pointer.set(Some(position(&event)))
    };
    let left = {
        let pointer = pointer.clone();
        move |_: PointerEvent| pointer.set(None)
    };
    let clicked = {
        let (on_time, at_ns) = (
            props.on_time.clone(),
            hover.as_ref().and_then(|hover| hover.at_ns),
        );
        move |_: MouseEvent| {
            if let Some(at_ns) = at_ns {
                on_time.emit(at_ns);
            }
        }
    };
    let toggle = {
        let open = open.clone();
        Callback::from(move |()| open.set(!*open))
    };
    let title = props.picture.title();
    let label = format!("{title}. {}", props.picture.summary());
    html! {
        <figure class="picture" id={props.id.clone()}>
            <figcaption>
                if let Some(hover) = hover {
                    <span class="picture-readout">{ hover.text }</span>
                } else {
                    <span class="picture-title">{ title }</span>
                    <span class="picture-beside">{ props.picture.unit() }</span>
                }
                { props.children.clone() }
                <DataButton id={props.id.clone()} open={*open} on_toggle={toggle.clone()} />
            </figcaption>
            <div class="picture-body" ref={host}>
                <canvas ref={canvas.clone()} role="img" aria-label={label} onpointermove={moved.clone()}
                    onpointerdown={moved} onpointerleave={left} onclick={clicked} />
            </div>
            if *open {
                <Data id={props.id.clone()} table={props.picture.table()} on_close={toggle}
                    on_save={saver(&props.id, &props.picture, stage, canvas)} />
            }
        </figure>
    }
}

fn frame(stage: &Stage) -> Frame<'_> {
    Frame {
        width: stage.width,
        height: stage.height,
        font: &stage.font,
    }
}

/// Where on the element the pointer is, px.
pub(super) fn position(event: &PointerEvent) -> Point {
    Point::new(f64::from(event.offset_x()), f64::from(event.offset_y()))
}

/// Kinds of files a picture can be kept as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Svg,
    Png,
    Csv,
}

fn saver<P: Picture>(
    id: &AttrValue,
    picture: &P,
    stage: Option<Stage>,
    canvas: NodeRef,
) -> Callback<FileKind> {
    let (id, picture) = (id.clone(), picture.clone());
    Callback::from(move |kind| {
        // A browser that keeps no file has said so itself; there is nothing to add.
        let _ = match (kind, &stage) {
            (FileKind::Csv, _) => host::save(
                &format!("{id}.csv"),
                "text/csv",
                &picture.table().csv().into(),
            ),
            (FileKind::Svg, Some(stage)) => {
                let file = svg(&picture, &frame(stage), stage.theme);
                host::save(&format!("{id}.svg"), "image/svg+xml", &file.into())
            }
            (FileKind::Png, _) => {
                if let Some(canvas) = canvas.cast() {
                    save_png(&format!("{id}.png"), &canvas);
                }
                Ok(())
            }
            (FileKind::Svg, None) => Ok(()),
        };
    })
}

fn save_png(name: &str, canvas: &HtmlCanvasElement) {
    let name = name.to_string();
    let done = Closure::once_into_js(move |blob: Option<web_sys::Blob>| {
        if let Some(blob) = blob {
            let _ = host::save_blob(&name, &blob);
        }
    });
    let _ = canvas.to_blob(done.unchecked_ref());
}

#[derive(Properties, PartialEq)]
pub(super) struct DataButtonProps {
    pub(super) id: AttrValue,
    pub(super) open: bool,
    pub(super) on_toggle: Callback<()>,
}

/// Shows and hides the data of a picture.
#[component]
pub(super) fn DataButton(props: &DataButtonProps) -> Html {
    let on_toggle = props.on_toggle.clone();
    html! {
        <button type="button" class="picture-button" aria-expanded={props.open.to_string()}
            aria-controls={format!("{}-data", props.id)} aria-label={text(Msg::PictureData)}
            title={text(Msg::PictureData)} onclick={move |_| on_toggle.emit(())}>
            <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.3" aria-hidden="true">
                <path d="M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 3.5v9" />
            </svg>
        </button>
    }
}

#[derive(Properties, PartialEq)]
pub(super) struct DataProps {
    pub(super) id: AttrValue,
    pub(super) table: Table,
    pub(super) on_close: Callback<()>,
    pub(super) on_save: Callback<FileKind>,
}

/// The data of a picture over it, and the files it can be kept as.
#[component]
pub(super) fn Data(props: &DataProps) -> Html {
    let close = props.on_close.clone();
    let on_key = {
        let close = close.clone();
        move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                close.emit(());
            }
        }
    };
    let file = |kind: FileKind, name: &'static str| {
        let save = props.on_save.clone();
        html! {
            <button type="button" class="picture-file" aria-label={fill(Msg::PictureSave, &[("kind", name)])}
                onclick={move |_| save.emit(kind)}>{ name }</button>
        }
    };
    let cell = |(i, cell): (usize, &String)| {
        if i == 0 {
            html! { <th scope="row">{ cell }</th> }
        } else {
            html! { <td>{ cell }</td> }
        }
    };
    html! {
        <div class="picture-data" id={format!("{}-data", props.id)} onkeydown={on_key}>
            <div class="picture-data-head">
                <span>{ text(Msg::PictureData) }</span>
                { file(FileKind::Svg, "SVG") }
                { file(FileKind::Png, "PNG") }
                { file(FileKind::Csv, "CSV") }
                <button type="button" class="picture-file" onclick={move |_| close.emit(())}>
                    { text(Msg::PictureClose) }
                </button>
            </div>
            <div class="picture-rows" tabindex="0" role="region" aria-label={text(Msg::PictureData)}>
                <table>
                    <thead><tr>
                        { for props.table.head.iter().map(|name| html! { <th scope="col">{ name }</th> }) }
                    </tr></thead>
                    <tbody>
                        { for props.table.rows.iter().map(|row| html! {
                            <tr>{ for row.iter().enumerate().map(cell) }</tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </div>
    }
}
