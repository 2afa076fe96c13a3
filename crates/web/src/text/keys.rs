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
    HeadSetup "head.setup";
    HeadRun "head.run";
    HeadPause "head.pause";
    HeadStepBack "head.step.back";
    HeadStepForward "head.step.forward";
    HeadOnlyA "head.only_a";
    HeadCompare "head.compare";
    HeadCompareLabel "head.compare.label";
    HeadOnlyALabel "head.only_a.label";
    HeadCompareLongLabel "head.compare.long_label";
    HeadShare "head.share";
    HeadHelp "head.help";
    HeadUndo "head.undo";
    HeadRedo "head.redo";
    HeadTheme "head.theme";
    ThemeAuto "theme.auto";
    ThemeLight "theme.light";
    ThemeDark "theme.dark";
    StatusStarting "status.starting";
    StatusRunning "status.running";
    StatusPaused "status.paused";
    StatusEnded "status.ended";
    StatusSeed "status.seed";
    StatusFailed "status.failed";
    AnnounceEnded "announce.ended";
    AnnounceProblem "announce.problem";
    AnnounceBroken "announce.broken";
    EndTime "end.time";
    EndEvents "end.events";
    EndQuiet "end.quiet";
    EndStuck "end.stuck";
    EndTasks "end.tasks";
    SetupLabel "setup.label";
    SetupClose "setup.close";
    SetupEdits "setup.edits";
    SetupSide "setup.side";
    SetupSearch "setup.search";
    SetupNothing "setup.nothing";
    SetupBoth "setup.both";
    SetupOnly "setup.only";
    SetupLink "setup.link";
    ChangesNone "changes.none";
    ChangesOne "changes.one";
    ChangesMany "changes.many";
    ChangesTitle "changes.title";
    ChangesUndo "changes.undo";
    ChangesUndoAll "changes.undo_all";
    ChangesFromTo "changes.from_to";
    DifferencesTitle "differences.title";
    DifferencesNone "differences.none";
    DifferencesOne "differences.one";
    DifferencesMany "differences.many";
    ChangesReset "changes.reset";
    MachineTitle "machine.title";
    MachinePick "machine.pick";
    MachineMap "machine.map";
    MachineFacts "machine.facts";
    MarkKnown "mark.known";
    MarkDerived "mark.derived";
    MarkChosen "mark.chosen";
    KernelTitle "kernel.title";
    KernelPick "kernel.pick";
    KernelReleased "kernel.released";
    KernelInIt "kernel.in_it";
    KernelNotInIt "kernel.not_in_it";
    KernelCount "kernel.count";
    KernelMail "kernel.mail";
    KernelSource "kernel.source";
    KnobsTitle "knobs.title";
    KnobsValue "knobs.value";
    KnobsSlider "knobs.slider";
    KnobsScaled "knobs.scaled";
    KnobsSysctl "knobs.sysctl";
    FeaturesTitle "features.title";
    FeaturesMissing "features.missing";
    FeaturesMissingBut "features.missing_but";
    FeaturesInert "features.inert";
    DomainsTitle "domains.title";
    DomainsFlag "domains.flag";
    DomainsCell "domains.cell";
    DomainsNone "domains.none";
    LoadTitle "load.title";
    LoadPick "load.pick";
    LoadAdd "load.add";
    LoadRemove "load.remove";
    LoadTasks "load.tasks";
    LoadMessages "load.messages";
    LoadNone "load.none";
    RunTitle "run.title";
    RunSeed "run.seed";
    RunReseed "run.reseed";
    RunDuration "run.duration";
    RunUntilDone "run.until_done";
    RunSpeed "run.speed";
    RunSpeedFull "run.speed.full";
    RunSpeedRatio "run.speed.ratio";
    RunMore "run.more";
    RunHz "run.hz";
    RunPhase "run.phase";
    RunSkew "run.skew";
    RunNohz "run.nohz";
    RunEvents "run.events";
    NotesLabel "notes.label";
    NoteView "note.view";
    NoteFix "note.fix";
    NoteDismiss "note.dismiss";
    NoteDismissAll "note.dismiss_all";
    NoteRejected "note.rejected";
    NoteBroken "note.broken";
    NoteRetry "note.retry";
    TilesLabel "tiles.label";
    TileThroughput "tile.throughput";
    TileP50 "tile.p50";
    TileP99 "tile.p99";
    TileSwitches "tile.switches";
    TilePreemptions "tile.preemptions";
    TileMigrations "tile.migrations";
    TileWasted "tile.wasted";
    TileMessagesUnit "tile.messages.unit";
    TileDelta "tile.delta";
    TileSame "tile.same";
    StageLabel "stage.label";
    WhyTitle "why.title";
    WhyHint "why.hint";
    ShareTitle "share.title";
    ShareLink "share.link";
    ShareCommand "share.command";
    ShareCopy "share.copy";
    ShareCopied "share.copied";
    ShareLength "share.length";
    KeysTitle "keys.title";
    KeyRun "key.run";
    KeyStepBack "key.step_back";
    KeyStepForward "key.step_forward";
    KeySwitchBack "key.switch_back";
    KeySwitchForward "key.switch_forward";
    KeyZoomIn "key.zoom_in";
    KeyZoomOut "key.zoom_out";
    KeyZoomAll "key.zoom_all";
    KeyWhy "key.why";
    KeyCompare "key.compare";
    KeySearch "key.search";
    KeyUndo "key.undo";
    KeyRedo "key.redo";
    KeyHelp "key.help";
    SheetClose "sheet.close";
    HelpAbout "help.about";

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
    AccountInterrupt "account.interrupt";
    AccountIdle "account.idle";
    PictureData "picture.data";
    PictureSave "picture.save";
    PictureClose "picture.close";
    Timeline "timeline";
    TimelineSummary "timeline.summary";
    TimelineSummaryRun "timeline.summary.run";
    TimelineIdle "timeline.idle";
    TimelineStart "timeline.start";
    TimelineLength "timeline.length";
    TimelineTask "timeline.task";
    TimelinePicked "timeline.picked";
    TimelineEnded "timeline.ended";
    TimelineRunning "timeline.running";
    TimelineWoken "timeline.woken";
    TimelineWaited "timeline.waited";
    TimelineQueue "timeline.queue";
    TimelineTimer "timeline.timer";
    TimelineWakeup "timeline.wakeup";
    TimelineMigration "timeline.migration";
    TimelineTo "timeline.to";
    TimelineFromTo "timeline.from_to";
    TimelinePlaced "timeline.placed";
    TimelinePreempts "timeline.preempts";
    TimelineYes "timeline.yes";
    TimelineNo "timeline.no";
    TimelineWhy "timeline.why";
    PickIdle "pick.idle";
    PickOnly "pick.only";
    PickLeftmost "pick.leftmost";
    PickNext "pick.next";
    PickLast "pick.last";
    EndedSleeping "ended.sleeping";
    EndedExited "ended.exited";
    EndedYielded "ended.yielded";
    EndedWakeup "ended.wakeup";
    EndedTick "ended.tick";
    EndedOther "ended.other";
    EndedIdle "ended.idle";
    TimelineKeys "timeline.keys";
    TimelineZoomIn "timeline.zoom_in";
    TimelineZoomOut "timeline.zoom_out";
    TimelineZoomAll "timeline.zoom_all";
    ColourBy "colour.by";
    ColourTask "colour.task";
    ColourGroup "colour.group";
    ColourKind "colour.kind";
    ColourReason "colour.reason";
    SignPreempts "sign.preempts";
    SignWakes "sign.wakes";
    SignMigrates "sign.migrates";
    SignPreempted "sign.preempted";
    SignNext "sign.next";
    SignLast "sign.last";
    Queue "queue";
    QueueTitle "queue.title";
    QueueUnit "queue.unit";
    QueueWindow "queue.window";
    QueueNone "queue.none";
    QueueIdle "queue.idle";
    QueueSummary "queue.summary";
    QueueWeight "queue.weight";
    QueueWeightHead "queue.weight.head";
    QueueRole "queue.role";
    QueueDistance "queue.distance";
    QueueVruntime "queue.vruntime";
    RoleCurr "role.curr";
    RoleLeft "role.left";
    RoleNext "role.next";
    RoleLast "role.last";
    TopologyTitle "topology.title";
    TopologyUnit "topology.unit";
    TopologyWaiting "topology.waiting";
    TopologySummary "topology.summary";
    TopologyRun "topology.run";
    TopologyPackage "topology.package";
    TopologyCache "topology.cache";
}
