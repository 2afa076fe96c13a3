//! The page's root component. For now it shows that a message went to the worker and came back.

use js_sys::Array;
use yew::prelude::*;

use crate::boot::EngineWorker;

/// Asks the worker something and shows the answer.
#[component]
pub(crate) fn App() -> Html {
    let answer = use_state(|| "waiting for the worker".to_string());
    let worker = use_mut_ref(|| None);
    let show = answer.clone();
    use_effect_with((), move |()| {
        let (on_reply, on_error) = (show.clone(), show.clone());
        let spawned = EngineWorker::spawn(
            move |reply| on_reply.set(reply.as_string().unwrap_or_default()),
            move |error| on_error.set(error),
        );
        match spawned {
            Ok(spawned) => {
                spawned.post("hello".into(), Array::new());
                *worker.borrow_mut() = Some(spawned);
            }
            Err(_) => show.set("this browser started no worker".to_string()),
        }
    });
    html! {
        <main>
            <h1>{ "Schedlab" }</h1>
            <output id="worker-answer">{ (*answer).clone() }</output>
        </main>
    }
}
