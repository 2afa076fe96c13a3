//! What tasks share: channels, condition queues, locks, barriers, with their real capacities and wake rules.
//!
//! Here is what is in them and who may go on; who sleeps on them is a [`WaitList`] that the simulator links.
//! Not here: costs (`machine::cost`), or the waking itself.

use crate::machine::CpuId;
use crate::task::TaskId;
use alloc::vec;
use alloc::vec::Vec;

/// A channel, as an index into [`super::World::channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u32);

/// A condition queue, as an index into [`super::World::queues`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueId(pub u32);

/// A lock, as an index into [`super::World::locks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockId(pub u32);

/// A barrier, as an index into [`super::World::barriers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BarrierId(pub u32);

/// The kinds of channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ChannelKind {
    /// A connected AF_UNIX stream socket: its buffer is charged by true buffer size.
    Unix,
    /// A pipe of 2.6.3x: 16 pages, one wait queue for readers and writers.
    Pipe,
    /// A pipe since 5.5 (0ddad21d): the same pages; readers and writers wait in queues of their own and are woken one
    /// at a time.
    ExclusivePipe,
    /// A TCP connection over loopback: the receive path runs in the sender's context, as softirq.
    Tcp,
}

/// A channel as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelSpec {
    /// Its kind.
    pub kind: ChannelKind,
    /// What fits, bytes; none = what the kernel of the time gives. See [`ChannelKind::capacity`].
    pub capacity: Option<u32>,
    /// Do messages received from it count as the workload's throughput?
    pub counted: bool,
}

impl ChannelKind {
    /// What fits if nothing is said, and the least and most that may be asked for, bytes: `SO_SNDBUF` of a socket,
    /// `F_SETPIPE_SZ` of a pipe (whole pages, here no more than it has anyway), both buffers of a connection.
    pub const fn capacity(self) -> (u32, u32, u32) {
        match self {
            ChannelKind::Unix => (UNIX_SNDBUF, 1, MAX_BUFFER),
            ChannelKind::Pipe | ChannelKind::ExclusivePipe => {
                (PIPE_PAGES as u32 * PAGE, PAGE, PIPE_PAGES as u32 * PAGE)
            }
            ChannelKind::Tcp => (TCP_BUFFERS, 1, MAX_BUFFER),
        }
    }
}

/// The kinds of queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueKind {
    /// A futex or condition variable: no sync hint.
    Condition,
    /// `poll` on a pipe that nobody reads: its wakeups carry the pipe's sync hint, and once one has been sent, a
    /// later wait returns at once.
    Poll,
    /// A futex that counts: a wakeup that finds nobody lets a later wait pass.
    Semaphore,
}

/// The kinds of lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockKind {
    /// Sleeps in the kernel as soon as it is contended.
    Futex,
    /// Spins up to 30 rounds, then sleeps as a futex (InnoDB).
    Adaptive,
    /// Spins, then sleeps for growing times; a release wakes nobody (PostgreSQL).
    SpinSleep,
    /// Spins until it has the lock; its holder cannot be preempted.
    KernelSpin,
}

/// Tasks asleep on one thing, linked through the tasks themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitList {
    /// The one to be woken first.
    pub head: Option<TaskId>,
    /// The one to be woken last.
    pub tail: Option<TaskId>,
}

impl WaitList {
    /// Does nobody sleep on it?
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.head.is_none()
    }
}

/// The largest message, in bytes: what an empty pipe takes.
pub const MAX_MESSAGE: u32 = 65_536;

/// The largest buffer of a socket that may be asked for, bytes.
const MAX_BUFFER: u32 = 1 << 24;

/// `sk_sndbuf` of an AF_UNIX socket: `wmem_default` around 2.6.32, 124928 bytes (sysctl dumps of the time).
const UNIX_SNDBUF: u32 = 124_928;

/// `sizeof(struct sk_buff)` of 2.6.31 on x86-64, chosen: the charge of a 100-byte message is then 360 bytes, as
/// workloads-machines.md §1.1 has it.
const SK_BUFF: u32 = 232;

/// Data of a buffer is aligned to a cache line (`SKB_DATA_ALIGN`, include/linux/skbuff.h).
const SKB_ALIGN: u32 = 64;

/// The true size of the buffer that a message of an AF_UNIX socket is charged (`__alloc_skb` of 2.6.31:
/// aligned data and the structure).
const fn unix_charge(bytes: u32) -> u32 {
    bytes.next_multiple_of(SKB_ALIGN) + SK_BUFF
}

/// Receive and send buffer of a TCP connection together, by default (`tcp_rmem[1]`, `tcp_wmem[1]`: 87380, 16384).
/// No load here reaches it.
const TCP_BUFFERS: u32 = 87_380 + 16_384;

/// Pages of a pipe (`PIPE_BUFFERS`, fs/pipe.c of 2.6.31).
const PIPE_PAGES: usize = 16;

/// Bytes of a page.
const PAGE: u32 = 4096;

/// The pages of a pipe: a ring of those in use, oldest first, each with the bytes written to it and read from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pages {
    written: [u16; PIPE_PAGES],
    read: [u16; PIPE_PAGES],
    first: u8,
    used: u8,
}

impl Pages {
    fn at(&self, n: u8) -> usize {
        usize::from(self.first + n) % PIPE_PAGES
    }

    /// Does a message of that size fit behind the last one? Only whole, and only into a page that is in use
    /// (`pipe_write`: "merge small writes"); pages given back by reading count only when they are empty.
    fn merges(&self, bytes: u32) -> bool {
        let small = bytes % PAGE;
        if self.used == 0 || small == 0 || bytes > PAGE {
            return false;
        }
        let last = u32::from(self.written[self.at(self.used - 1)]);
        last + small <= PAGE
    }

    fn has_room(&self, bytes: u32, pages: u32) -> bool {
        self.merges(bytes) || u32::from(self.used) + bytes.div_ceil(PAGE) <= pages
    }

    fn write(&mut self, bytes: u32) {
        if self.merges(bytes) {
            let last = self.at(self.used - 1);
            self.written[last] += bytes as u16;
            return;
        }
        let mut rest = bytes;
        while rest > 0 {
            let page = rest.min(PAGE);
            let new = self.at(self.used);
            (self.written[new], self.read[new]) = (page as u16, 0);
            self.used += 1;
            rest -= page;
        }
    }

    /// Takes bytes out; true if a page became empty.
    fn read(&mut self, bytes: u32) -> bool {
        let mut rest = bytes;
        let before = self.used;
        while rest > 0 {
            let page = self.at(0);
            let here = u32::from(self.written[page] - self.read[page]).min(rest);
            self.read[page] += here as u16;
            rest -= here;
            if self.read[page] == self.written[page] {
                self.first = self.at(1) as u8;
                self.used -= 1;
            }
        }
        self.used < before
    }
}

/// What fills a channel up.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Buffer {
    /// Bytes charged to the sending socket.
    Unix(u32),
    /// Pages of the pipe.
    Pipe(Pages),
    /// Bytes queued.
    Tcp,
}

/// Messages in a channel, oldest first: how long each is and which CPU wrote it, in a ring that grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Messages {
    /// `bytes << 8 | cpu`; the length is a power of two.
    ring: Vec<u32>,
    first: u32,
    count: u32,
    /// Bytes of the oldest that are read already.
    taken: u32,
}

impl Messages {
    fn slot(&self, n: u32) -> usize {
        self.first.wrapping_add(n) as usize & (self.ring.len() - 1)
    }

    fn push(&mut self, bytes: u32, from: CpuId) {
        if self.count as usize == self.ring.len() {
            self.grow();
        }
        let slot = self.slot(self.count);
        self.ring[slot] = bytes << 8 | u32::from(from.0);
        self.count += 1;
    }

    fn grow(&mut self) {
        let mut larger = vec![0; (self.ring.len() * 2).max(16)];
        for n in 0..self.count {
            larger[n as usize] = self.ring[self.slot(n)];
        }
        self.ring = larger;
        self.first = 0;
    }

    fn front(&self) -> Option<(u32, CpuId)> {
        if self.count == 0 {
            return None;
        }
        let message = self.ring[self.slot(0)];
        Some((message >> 8, CpuId((message & 0xff) as u16)))
    }

    /// Reads `bytes` bytes, no more than there are; calls `gone` with the length of each message that is used up.
    fn read(&mut self, bytes: u32, mut gone: impl FnMut(u32)) {
        self.taken += bytes;
        while let Some((length, _)) = self.front().filter(|(length, _)| *length <= self.taken) {
            self.taken -= length;
            self.first = self.first.wrapping_add(1);
            self.count -= 1;
            gone(length);
        }
    }
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its kind.
    pub kind: ChannelKind,
    /// Do messages received from it count as throughput?
    pub counted: bool,
    /// Sleeping readers; of a pipe with one queue, sleeping writers too.
    pub readers: WaitList,
    /// Sleeping writers; of a pipe with one queue nobody.
    pub writers: WaitList,
    /// Whoever reads or writes it holds its mutex until then, ns.
    held_until: u64,
    buffer: Buffer,
    /// What fits, bytes.
    capacity: u32,
    messages: Messages,
    bytes: u32,
}

impl Channel {
    /// An empty channel.
    pub fn new(spec: ChannelSpec) -> Channel {
        Channel {
            kind: spec.kind,
            counted: spec.counted,
            readers: WaitList::default(),
            writers: WaitList::default(),
            held_until: 0,
            buffer: match spec.kind {
                ChannelKind::Unix => Buffer::Unix(0),
                ChannelKind::Pipe | ChannelKind::ExclusivePipe => Buffer::Pipe(Pages::default()),
                ChannelKind::Tcp => Buffer::Tcp,
            },
            capacity: spec.capacity.unwrap_or(spec.kind.capacity().0),
            messages: Messages::default(),
            bytes: 0,
        }
    }

    /// Takes the mutex at `now` for `ns`; how long it takes until it is free. Reads and writes of a pipe exclude each other
    /// (`pipe->mutex` of `pipe_read` and `pipe_write`), and who finds it held spins for as long as the holder runs
    /// (`mutex_optimistic_spin`), first come first: always, as nobody is preempted in there here, whatever `preempt` is. The locks of a socket are
    /// held for short moments only, and are left out; so is the pipe's before 5.5.
    #[inline]
    pub fn hold(&mut self, now: u64, ns: u64) -> u64 {
        if self.kind != ChannelKind::ExclusivePipe {
            return 0;
        }
        let spin = self.held_until.saturating_sub(now);
        self.held_until = now + spin + ns;
        spin
    }

    /// Bytes in it.
    #[inline]
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Is nothing in it?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Is every page of the pipe in use? Of other channels: is there no room at all?
    pub fn is_full(&self) -> bool {
        match &self.buffer {
            Buffer::Pipe(pages) => u32::from(pages.used) >= self.capacity / PAGE,
            Buffer::Unix(_) | Buffer::Tcp => !self.has_room(1),
        }
    }

    /// The CPU that wrote the oldest message.
    #[inline]
    pub fn writer(&self) -> Option<CpuId> {
        self.messages.front().map(|(_, cpu)| cpu)
    }

    /// May a message of that size be written? Sockets look at what is charged before it (`sock_wait_for_wmem`),
    /// pipes at the room there is (`pipe_write`).
    #[inline]
    pub fn has_room(&self, bytes: u32) -> bool {
        match &self.buffer {
            Buffer::Unix(charged) => *charged < self.capacity,
            Buffer::Pipe(pages) => pages.has_room(bytes, self.capacity / PAGE),
            Buffer::Tcp => self.bytes < self.capacity,
        }
    }

    /// Writes a message; there is room. Every write wakes the readers, if they sleep; on a pipe everybody.
    #[inline]
    pub fn put(&mut self, bytes: u32, from: CpuId) {
        match &mut self.buffer {
            Buffer::Unix(charged) => *charged += unix_charge(bytes),
            Buffer::Pipe(pages) => pages.write(bytes),
            Buffer::Tcp => {}
        }
        self.messages.push(bytes, from);
        self.bytes += bytes;
    }

    /// Takes up to `want` bytes out: how many there were, and whether the writers are woken now. On a pipe they
    /// are when a page became empty; on a socket when a buffer was freed and no more than a quarter is charged
    /// (`unix_write_space`), or two thirds are used (`sk_stream_write_space`).
    #[inline]
    pub fn take(&mut self, want: u32) -> (u32, bool) {
        let got = want.min(self.bytes);
        self.bytes -= got;
        let mut freed = 0;
        self.messages
            .read(got, |length| freed += unix_charge(length));
        let wake = match &mut self.buffer {
            Buffer::Unix(charged) => {
                *charged -= freed;
                freed > 0 && *charged * 4 <= self.capacity
            }
            Buffer::Pipe(pages) => pages.read(got),
            Buffer::Tcp => self.bytes * 3 <= self.capacity * 2,
        };
        (got, wake)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(kind: ChannelKind) -> Channel {
        sized(kind, None)
    }

    fn sized(kind: ChannelKind, capacity: Option<u32>) -> Channel {
        Channel::new(ChannelSpec {
            kind,
            capacity,
            counted: true,
        })
    }

    /// Writes until there is no room; how many messages that were.
    fn fill(channel: &mut Channel, bytes: u32) -> u32 {
        while channel.has_room(bytes) {
            channel.put(bytes, CpuId(3));
        }
        channel.messages.count
    }

    #[test]
    fn a_socket_takes_348_messages_and_wakes_writers_at_a_quarter() {
        let mut unix = channel(ChannelKind::Unix);
        // 347 × 360 = 124 920 is still below 124 928, so one more gets in.
        assert_eq!(fill(&mut unix, 100), 348);
        let mut left = 348;
        while !unix.take(100).1 {
            left -= 1;
        }
        // 86 × 360 × 4 = 123 840; 87 would be 125 280.
        assert_eq!(left - 1, 86);
        assert!(unix.take(100).1, "every further read wakes");
    }

    #[test]
    fn a_pipe_takes_640_messages_and_wakes_everybody_for_each_page() {
        let mut pipe = channel(ChannelKind::Pipe);
        assert_eq!(fill(&mut pipe, 100), 640);
        let woken: Vec<u32> = (1..=80).filter(|_| pipe.take(100).1).collect();
        assert_eq!(woken, [40, 80]);
        assert_eq!(fill(&mut pipe, 4096), 562);
        assert_eq!(fill(&mut channel(ChannelKind::Pipe), 1000), 64);
        assert_eq!(fill(&mut channel(ChannelKind::Pipe), 1), 65_536);
    }

    #[test]
    fn bytes_and_messages_are_conserved_however_they_are_read() {
        for kind in [ChannelKind::Unix, ChannelKind::Pipe, ChannelKind::Tcp] {
            let mut channel = channel(kind);
            for round in 0..40 {
                let sizes = [1, 63, 64, 65, 4000, 7];
                for size in sizes {
                    channel.put(size, CpuId(round));
                }
                let mut rest = sizes.iter().sum::<u32>();
                while rest > 0 {
                    assert_eq!(channel.bytes(), rest);
                    assert_eq!(channel.writer(), Some(CpuId(round)));
                    rest -= channel.take(rest.min(100)).0;
                }
                assert!(channel.is_empty());
                assert_eq!(channel.messages.count, 0);
            }
            assert_eq!(channel.take(5).0, 0);
            // Nothing stays charged.
            let full = fill(&mut channel, 100);
            assert_eq!(full, fill(&mut self::channel(kind), 100));
        }
    }

    #[test]
    fn a_capacity_that_is_asked_for_replaces_the_kernels() {
        // 3 × 360 = 1080 is the first charge that is not below 1000.
        assert_eq!(fill(&mut sized(ChannelKind::Unix, Some(1000)), 100), 3);
        assert_eq!(fill(&mut sized(ChannelKind::Pipe, Some(4096)), 100), 40);
        assert_eq!(fill(&mut sized(ChannelKind::Tcp, Some(1000)), 100), 10);
        for kind in [ChannelKind::Unix, ChannelKind::Pipe, ChannelKind::Tcp] {
            let (usual, least, most) = kind.capacity();
            assert!((least..=most).contains(&usual));
            let same = fill(&mut sized(kind, Some(usual)), 100);
            assert_eq!(same, fill(&mut channel(kind), 100), "{kind:?}");
        }
    }

    #[test]
    fn a_tcp_connection_holds_its_buffers_and_reopens_at_two_thirds() {
        let mut tcp = channel(ChannelKind::Tcp);
        assert_eq!(fill(&mut tcp, 1000), 104);
        let read = (1..=104).find(|_| tcp.take(1000).1);
        assert_eq!(read, Some(35));
    }
}
