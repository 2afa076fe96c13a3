//! What one declaration or statement becomes: the name of a task, and an operation on a thing.
//!
//! Not here: which tasks and things there are (`expand`).

use super::tree::{Origin, Scope, Stmt, Task};
use crate::workload::ipc::{BarrierId, ChannelId, LockId, QueueId};
use crate::workload::program::{MarkId, Op, Since};
use alloc::format;
use alloc::string::String;
use core::fmt::Write;

/// What the names of a row's tasks begin with: its own and the copy of its team, where there are several.
pub(super) fn stem(task: &Task, scope: Scope<'_>) -> String {
    let copy = scope.and_then(|(team, copy)| team.count.map(|_| copy));
    match (copy, task.count) {
        (None, None) => task.name.clone(),
        (None, Some(_)) => format!("{} ", task.name),
        (Some(copy), None) => format!("{} {copy}", task.name),
        (Some(copy), Some(_)) => format!("{} {copy}.", task.name),
    }
}

/// The name of one task, with its number where there are several.
pub(super) fn name(stem: &str, number: Option<u32>) -> String {
    let mut name = String::with_capacity(stem.len() + 5);
    name.push_str(stem);
    if let Some(number) = number {
        let written = write!(name, "{number}");
        debug_assert!(written.is_ok(), "there is always room in a string");
    }
    name
}

/// A statement about the lock of the CPU that the task is on: of so many from that number on.
pub(super) fn op_here(stmt: &Stmt, (first, count): (u32, u32)) -> Option<Op> {
    match stmt {
        Stmt::Lock(_) => Some(Op::LockHere(LockId(first), count)),
        Stmt::Unlock(_) => Some(Op::UnlockHere),
        _ => None,
    }
}

/// From when on a mark measures; `mark` finds a mark by its name.
pub(super) fn since<'s>(origin: &'s Origin, mark: impl FnOnce(&'s str) -> MarkId) -> Since {
    match origin {
        Origin::Expiry => Since::Expiry,
        Origin::Wake => Since::Wake,
        Origin::Mark(name) => Since::Mark(mark(name)),
    }
}

/// A statement about a thing, as an operation on the one with that number.
pub(super) fn op_on(stmt: &Stmt, id: u32) -> Option<Op> {
    Some(match stmt {
        Stmt::Send(_, bytes) => Op::Send(ChannelId(id), *bytes),
        Stmt::Recv(_, bytes) => Op::Recv(ChannelId(id), *bytes),
        Stmt::Lock(_) => Op::Lock(LockId(id)),
        Stmt::Unlock(_) => Op::Unlock(LockId(id)),
        Stmt::Wait(_) => Op::Wait(QueueId(id)),
        Stmt::Wake(_, count) => Op::Wake(QueueId(id), *count),
        Stmt::WakeAll(_) => Op::WakeAll(QueueId(id)),
        Stmt::Barrier(_) => Op::Barrier(BarrierId(id)),
        _ => return None,
    })
}
