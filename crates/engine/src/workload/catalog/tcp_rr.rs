//! TCP_RR: pairs of processes that pass one byte to and fro over loopback TCP (netperf).

use super::{ParamInfo, ParamUnit, count, cpu, on_cpu, param};
use alloc::format;
use alloc::string::String;

pub(super) const PARAMS: &[ParamInfo] = &[
    count("pairs", 1, 1024, "How many pairs."),
    cpu("client", "The CPU the clients are pinned to."),
    cpu("server", "The CPU the servers are pinned to."),
    param(
        "size",
        ParamUnit::Bytes,
        (1, 1, 65_536),
        "Bytes of a request and of a reply.",
    ),
];

/// The programs of workloads-machines.md §1.5; a round trip counts when the client has the reply. They compute nothing:
/// all that they fetch after a move is the lines that every task does, which were derived from such pairs (§3.3).
pub(super) fn script(values: &[i64]) -> String {
    let (pairs, bytes) = (values[0], values[3]);
    let (client, server) = (on_cpu(values[1]), on_cpu(values[2]));
    format!(
        "team pair * {pairs} {{
    tcp request
    tcp reply counted
    task netserver{server} ws 0KiB as server forever {{
        recv request {bytes}B
        send reply {bytes}B
    }}
    task netperf{client} ws 0KiB as client forever {{
        send request {bytes}B
        recv reply {bytes}B
    }}
}}
"
    )
}
