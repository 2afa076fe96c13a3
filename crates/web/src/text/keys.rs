//! The list of everything the page says, by key.

macro_rules! keys {
    ($($id:ident $key:literal;)*) => {
        /// A sentence of the page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[expect(missing_docs, reason = "the sentences are in text/en.txt, under the key beside each name")]
        pub enum Msg {
            $($id,)*
        }

        impl Msg {
            /// Every sentence, in the order of the language files.
            pub const ALL: &'static [Msg] = &[$(Msg::$id),*];

            /// Its key in the language files.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Msg::$id => $key,)*
                }
            }
        }
    };
}

keys! {
    Brand "brand";
    ChangesOne "changes.one";
    ChangesMany "changes.many";
    NoteView "note.view";

    // Pictures.
    PictureTime "picture.time";
    PictureCpu "picture.cpu";
    PictureCpuHead "picture.cpu.head";
    PictureMean "picture.mean";
    PictureThroughput "picture.throughput";
    PictureThroughputUnit "picture.throughput.unit";
    PictureThroughputSummary "picture.throughput.summary";
    PictureLatency "picture.latency";
    PictureLatencyUnit "picture.latency.unit";
    PictureLatencySummary "picture.latency.summary";
    PictureDistribution "picture.distribution";
    PictureDistributionUnit "picture.distribution.unit";
    PictureDistributionUpToUnit "picture.distribution.upto.unit";
    PictureDistributionStep "picture.distribution.step";
    PictureDistributionSummary "picture.distribution.summary";
    PictureWaiting "picture.waiting";
    PictureWaitingUnit "picture.waiting.unit";
    PictureBusy "picture.busy";
    PictureBusyUnit "picture.busy.unit";
    PictureQueuesSummary "picture.queues.summary";
    PictureAccounts "picture.accounts";
    PictureAccountsUnit "picture.accounts.unit";
    PictureAccount "picture.account";
    AccountWork "account.work";
    AccountSwitch "account.switch";
    AccountRefill "account.refill";
    AccountSelection "account.selection";
    AccountBalancing "account.balancing";
    AccountIdle "account.idle";
    PictureData "picture.data";
    PictureSave "picture.save";
    PictureClose "picture.close";
}
