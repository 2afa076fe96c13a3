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
}
