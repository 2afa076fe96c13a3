//! A picture on the page: its name, its canvas, what the pointer is over, and its data behind a button.
//!
//! Thin: what is drawn and said comes from the picture ([`super::picture`]).

use crate::dom::{html, use_effect_with};
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::files::{FileKind, Keepsake};
use super::geometry::Point;
use super::host::{self, Stage, use_stage};
use super::picture::{AnyPicture, Frame, Table};
use super::scene::Shape;
use super::turns;
use crate::model::view::Window;
use crate::protocol::RunSide;
use crate::text::{Msg, fill, text};

/// Properties of [`Figure`].
#[derive(Properties, PartialEq)]
pub struct FigureProps {
    /// The picture.
    pub picture: AnyPicture,
    /// Makes ids and file names; unique on the page.
    pub id: AttrValue,
    /// The stretch of time that the timeline shows, if it is not all of it.
    #[prop_or_default]
    pub window: Option<Window>,
    /// Told which simulated time was clicked, ns.
    #[prop_or_default]
    pub on_time: Option<Callback<u64>>,
    /// Told which CPU of which run was clicked.
    #[prop_or_default]
    pub on_place: Option<Callback<(RunSide, u16)>>,
}

impl FigureProps {
    /// A picture in which nothing can be chosen.
    pub(crate) fn of(id: &'static str, picture: impl Into<AnyPicture>) -> Self {
        Self {
            picture: picture.into(),
            id: id.into(),
            window: None,
            on_time: None,
            on_place: None,
        }
    }
}

/// A picture with its name and its data.
#[component]
pub fn Figure(props: &FigureProps) -> Html {
    let (host, lower, upper) = (use_node_ref(), use_node_ref(), use_node_ref());
    let stage = use_stage(&host);
    let pointer = use_state_eq(|| None::<Point>);
    let open = use_state_eq(|| false);
    let hover = stage
        .as_ref()
        .zip(*pointer)
        .filter(|_| !props.picture.is_empty())
        .and_then(|(stage, at)| props.picture.hover(&frame(stage), at));
    let label = use_memo(props.picture.clone(), label);
    use_painted(
        &lower,
        (props.picture.clone(), stage.clone()),
        |(picture, stage)| {
            (
                stage.clone(),
                stage.as_ref().map(|stage| shapes(picture, stage)),
            )
        },
    );
    let over = (
        props.picture.clone(),
        stage.clone(),
        props.window,
        hover.clone(),
    );
    use_painted(&upper, over, |(picture, stage, window, hover)| {
        let shapes = stage.as_ref().map(|stage| {
            let window = window.filter(|_| !picture.is_empty());
            let mut shapes =
                window.map_or_else(Vec::new, |window| picture.window(&frame(stage), window));
            shapes.extend(hover.iter().flat_map(|hover| hover.shapes.clone()));
            shapes
        });
        (stage.clone(), shapes)
    });
    let moved = {
        let pointer = pointer.clone();
        move |event: PointerEvent| pointer.set(Some(position(&event)))
    };
    let left = {
        let pointer = pointer.clone();
        move |_: PointerEvent| pointer.set(None)
    };
    let clicked = {
        let (on_time, on_place) = (props.on_time.clone(), props.on_place.clone());
        let (at_ns, place) = hover
            .as_ref()
            .map_or((None, None), |hover| (hover.at_ns, hover.place));
        move |_: MouseEvent| {
            if let Some((on_time, at_ns)) = on_time.as_ref().zip(at_ns) {
                on_time.emit(at_ns);
            }
            if let Some((on_place, place)) = on_place.as_ref().zip(place) {
                on_place.emit(place);
            }
        }
    };
    let toggle = {
        let open = open.clone();
        Callback::from(move |()| open.set(!*open))
    };
    html! {
        <figure class="picture" id={props.id.clone()}>
            <figcaption>
                if let Some(hover) = hover {
                    <span class="picture-readout">{ hover.text }</span>
                } else {
                    <span class="picture-title">{ props.picture.title() }</span>
                    if !props.picture.is_empty() {
                        <span class="picture-beside">{ props.picture.unit() }</span>
                    }
                }
                { data_button(&props.id, *open, &toggle) }
            </figcaption>
            <div class="picture-body" ref={host}>
                <canvas ref={lower} role="img" aria-label={(*label).clone()} />
                <canvas ref={upper} aria-hidden="true" onpointermove={moved.clone()}
                    onpointerdown={moved} onpointerleave={left} onclick={clicked} />
            </div>
            if *open {
                <Data part={None::<Html>} id={props.id.clone()} table={props.picture.table()} on_close={toggle}
                    on_save={saver(&props.id, &props.picture, stage)} />
            }
        </figure>
    }
}

/// Paints a canvas anew, in its turn, when what it shows is no longer the same.
#[hook]
fn use_painted<D: Clone + PartialEq + 'static>(
    canvas: &NodeRef,
    shown: D,
    shapes: impl Fn(&D) -> (Option<Stage>, Option<Vec<Shape>>) + 'static,
) {
    let canvas = canvas.clone();
    use_effect_with(shown, move |shown| {
        let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else {
            return;
        };
        let shown = shown.clone();
        turns::soon(canvas.clone(), move || {
            if let (Some(stage), Some(shapes)) = shapes(&shown) {
                host::paint_over(&canvas, &stage, &shapes);
            }
        });
    });
}

fn frame(stage: &Stage) -> Frame<'_> {
    Frame {
        width: stage.width,
        height: stage.height,
        font: &stage.font,
    }
}

/// Where on the element the pointer is, px.
pub(super) fn position(event: &MouseEvent) -> Point {
    Point::new(f64::from(event.offset_x()), f64::from(event.offset_y()))
}

fn saver(id: &AttrValue, picture: &AnyPicture, stage: Option<Stage>) -> Callback<FileKind> {
    let (id, picture) = (id.clone(), picture.clone());
    Callback::from(move |kind| {
        let Some(stage) = &stage else { return };
        let keepsake = Keepsake {
            name: &id,
            title: &label(&picture),
            shapes: &shapes(&picture, stage),
            stage,
        };
        // A browser that keeps no file has said so itself; there is nothing to add.
        let _ = keepsake.save(kind, || picture.table());
    })
}

/// What is drawn of a picture: nothing of an empty one.
fn shapes(picture: &AnyPicture, stage: &Stage) -> Vec<Shape> {
    if picture.is_empty() {
        return Vec::new();
    }
    picture.scene(&frame(stage)).shapes
}

/// What a picture is and shows.
fn label(picture: &AnyPicture) -> String {
    if picture.is_empty() {
        return picture.title();
    }
    format!("{}. {}", picture.title(), picture.summary())
}

/// Shows and hides the data of the picture `id`.
pub(super) fn data_button(id: &str, open: bool, on_toggle: &Callback<()>) -> Html {
    let onclick = on_toggle.reform(|_: MouseEvent| ());
    html! {
        <button type="button" class="picture-button" aria-expanded={open.to_string()}
            aria-controls={format!("{id}-data")} aria-label={text(Msg::PictureData)}
            title={text(Msg::PictureData)} {onclick}>
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
    /// Which part of the data it is, where it is not all.
    pub(super) part: Option<Html>,
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
                <span>{ props.part.clone().unwrap_or_else(|| text(Msg::PictureData).into()) }</span>
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
