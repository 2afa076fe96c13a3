//! Questions and answers as words: each type names its fields once, and both directions follow from that.
//!
//! Page and worker are the same module, so there are no versions to understand; a message is read as it was written
//! or not at all. Not here: the stream of numbers, which writes whole columns (`update`).

use super::codec::{DecodeError, Reader, Writer};
use std::rc::Rc;

/// Can be written as words and read back.
pub(super) trait Wire: Sized {
    fn put(&self, to: &mut Writer);
    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

/// The words of a message.
pub(super) fn to_words(message: &impl Wire) -> Vec<u32> {
    let mut to = Writer::default();
    message.put(&mut to);
    to.words
}

/// The message that these words are, from the first to the last.
pub(super) fn from_words<T: Wire>(words: &[u32]) -> Result<T, DecodeError> {
    let mut from = Reader::new(words);
    let message = T::take(&mut from)?;
    if from.is_at_end() {
        Ok(message)
    } else {
        Err(DecodeError::Invalid)
    }
}

/// A number of one word, or of two.
macro_rules! wire_numbers {
    ($($number:ident by $words:ident),*) => { $(
        impl Wire for $number {
            fn put(&self, to: &mut Writer) {
                to.$words(*self as $words);
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let word = from.$words()?;
                let number = word as $number;
                if number as $words == word { Ok(number) } else { Err(DecodeError::Invalid) }
            }
        }
    )* };
}

wire_numbers!(u32 by u32, usize by u32, u64 by u64, i64 by u64);

/// A number of less than a word.
macro_rules! wire_small_numbers {
    ($($number:ident),*) => { $(
        impl Wire for $number {
            fn put(&self, to: &mut Writer) {
                to.u32(u32::from(*self));
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                $number::try_from(from.u32()?).map_err(|_| DecodeError::Invalid)
            }
        }
    )* };
}

wire_small_numbers!(u8, u16);

impl Wire for f64 {
    fn put(&self, to: &mut Writer) {
        to.f64(*self);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        from.f64()
    }
}

impl Wire for bool {
    fn put(&self, to: &mut Writer) {
        to.u32(u32::from(*self));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match from.u32()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError::Invalid),
        }
    }
}

impl Wire for String {
    fn put(&self, to: &mut Writer) {
        to.text(self);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        from.text()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, to: &mut Writer) {
        self.is_some().put(to);
        if let Some(value) = self {
            value.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(if bool::take(from)? {
            Some(T::take(from)?)
        } else {
            None
        })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, to: &mut Writer) {
        to.u32(self.len() as u32);
        for element in self {
            element.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut elements = Vec::new();
        for _ in 0..from.length(1)? {
            elements.push(T::take(from)?);
        }
        Ok(elements)
    }
}

impl<T: Wire> Wire for Rc<T> {
    fn put(&self, to: &mut Writer) {
        self.as_ref().put(to);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        T::take(from).map(Rc::new)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, to: &mut Writer) {
        self.0.put(to);
        self.1.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok((A::take(from)?, B::take(from)?))
    }
}

/// A struct: its fields, one after the other.
macro_rules! wire_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl Wire for $name {
            fn put(&self, to: &mut Writer) {
                $( self.$field.put(to); )*
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(Self { $( $field: Wire::take(from)? ),* })
            }
        }
    };
}

/// An enum: the place of the variant, then its fields.
macro_rules! wire_enum {
    ($name:ident { $( $variant:ident $( ( $one:ident ) )? $( { $($field:ident),* } )? ),* $(,)? }) => {
        const _: () = {
            #[derive(Clone, Copy)]
            enum Tag { $( $variant ),* }

            impl Wire for $name {
                fn put(&self, to: &mut Writer) {
                    match self { $(
                        Self::$variant $( ( $one ) )? $( { $($field),* } )? => {
                            to.u32(Tag::$variant as u32);
                            $( $one.put(to); )?
                            $( $( $field.put(to); )* )?
                        }
                    )* }
                }

                fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
                    let tag = from.u32()?;
                    $( if tag == Tag::$variant as u32 {
                        $( let $one = Wire::take(from)?; )?
                        $( $( let $field = Wire::take(from)?; )* )?
                        return Ok(Self::$variant $( ( $one ) )? $( { $($field),* } )?);
                    } )*
                    Err(DecodeError::Invalid)
                }
            }
        };
    };
}

pub(super) use {wire_enum, wire_struct};

#[cfg(test)]
mod tests {
    use super::super::explained::{Candidate, Decision, Pick, Role, Step, Verdict, Wakeup, Wants};
    use super::super::{About, DecodeError, Explained, Halt, Pace, Parting, Partings, QueuedTask};
    use super::super::{Reply, Request, RunQueue, RunSide, Search, decode};
    use std::rc::Rc;

    fn requests() -> Vec<Request> {
        let pace = Pace {
            ns_per_s: Some(u64::MAX),
            from_ns: 1 << 40,
        };
        let about = Some((About::Wakeup(7), 1 << 33));
        vec![
            Request::Run {
                run: 3,
                side: RunSide::B,
                config: "w=hogs(count=3)".to_string(),
                pace,
            },
            Request::More { other_ns: Some(7) },
            Request::Halt(true),
            Request::Pace(Pace::default()),
            Request::Step,
            Request::Inspect {
                ticket: 1,
                cpu: u16::MAX,
                at_ns: 5,
                about,
            },
            Request::Diverge {
                from: String::new(),
                other: "ß".to_string(),
                search: Search {
                    from_ns: 1 << 40,
                    skip: 32,
                },
            },
            Request::Bench {
                config: "x".to_string(),
                watched: true,
            },
        ]
    }

    fn wakeup() -> Wakeup {
        Wakeup {
            woken: "receiver 1.2".to_string(),
            new: false,
            waker: None,
            from_cpu: 1,
            prev_cpu: 2,
            to_cpu: 3,
            sync: true,
            placed: 4,
            visited: 5,
            steps: vec![Step {
                what: "wake_affine at MC".to_string(),
                found: String::new(),
                chosen: true,
                affine: true,
            }],
            running: Some("idle".to_string()),
            preempts: true,
            preempt: 6,
            gap_ns: -7,
            gran_ns: 8,
        }
    }

    fn pick() -> Pick {
        Pick {
            before: None,
            left: 0,
            taken: Some("hog 1".to_string()),
            why: 1,
            candidates: vec![Candidate {
                name: "hog 1".to_string(),
                role: Role::Second,
                vruntime_ns: i64::MIN,
                gap_ns: 0,
                limit_ns: 1,
                wants: Some(Wants {
                    due_ns: -7,
                    slice_ns: 3_000_000,
                    eligible: true,
                    protected: false,
                    delayed: true,
                }),
                buddy: true,
                verdict: Verdict::FeatureOff,
            }],
            waiting: Vec::new(),
            more: 2,
            tasks: 1,
            throttled: vec![("group A".to_string(), 2)],
        }
    }

    fn replies() -> Vec<Reply> {
        let explained = |decision| {
            Some(Explained {
                cpu: 1,
                at_ns: 2,
                decision,
            })
        };
        let queue = RunQueue {
            queued: vec![QueuedTask {
                task: Some(1),
                comm: "hog".to_string(),
                vruntime_ns: -1,
                weight: 1024,
            }],
            curr: Some(0),
            ..RunQueue::default()
        };
        vec![
            Reply::Rejected {
                run: 1,
                problems: vec!["one".to_string(), String::new()],
            },
            Reply::Ended {
                run: 1,
                why: Halt::Tasks,
                wall_ms: 0.25,
            },
            Reply::Inspected {
                ticket: 9,
                queue: Some(queue),
                explained: explained(Decision::Wakeup(wakeup())).map(Rc::new),
            },
            Reply::Diverged(Partings {
                found: vec![Parting {
                    kind: 2,
                    wakeup: 5,
                    nth: 1,
                    a: explained(Decision::Pick(pick())),
                    b: None,
                    about: Some(About::Pick),
                }],
                search: Search::default(),
                more: true,
                only_a: None,
                only_b: Some(("hog".to_string(), 3)),
            }),
            Reply::Benched {
                hash: None,
                events: 1 << 50,
                ms: 1.5,
            },
            Reply::Broken("it broke".to_string()),
        ]
    }

    #[test]
    fn every_message_comes_back_as_it_was() {
        for request in requests() {
            assert_eq!(Request::decode(&request.encode()), Ok(request));
        }
        for reply in replies() {
            let words = reply.encode();
            assert_eq!(decode(&words).unwrap_err(), DecodeError::NotOurs);
            assert_eq!(Reply::decode(&words), Ok(reply));
        }
    }

    #[test]
    fn no_part_of_a_message_is_a_message() {
        for reply in replies() {
            let mut words = reply.encode();
            for end in 0..words.len() {
                assert!(
                    Reply::decode(&words[..end]).is_err(),
                    "{reply:?} up to {end}"
                );
            }
            words.push(0);
            assert_eq!(Reply::decode(&words), Err(DecodeError::Invalid));
        }
    }

    #[test]
    fn values_that_mean_nothing_are_refused() {
        let halt = Request::Halt(true).encode();
        assert_eq!(Request::decode(&[halt[0], 2]), Err(DecodeError::Invalid));
        assert_eq!(Request::decode(&[99]), Err(DecodeError::Invalid));
        let ended = [1, 1, 6, 0, 0];
        assert_eq!(
            Reply::decode(&ended),
            Err(DecodeError::Invalid),
            "no such end"
        );
    }

    #[test]
    fn the_bench_in_the_browser_writes_and_reads_by_hand() {
        // tests/bench/engine.mjs knows these words.
        let request = Request::Bench {
            config: "w=a".to_string(),
            watched: true,
        };
        assert_eq!(request.encode(), [7, 3, 0x0061_3d77, 1]);
        let reply = Reply::Benched {
            hash: Some("0123456789abcdef".to_string()),
            events: 3,
            ms: 1.0,
        };
        let text = [0x3332_3130, 0x3736_3534, 0x6261_3938, 0x6665_6463];
        let words = [&[4, 1, 16], &text[..], &[3, 0, 0, 0x3ff0_0000]].concat();
        assert_eq!(reply.encode(), words);
    }
}
