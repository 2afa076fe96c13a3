//! Shorter names for what the wasm module imports from its glue script.
//!
//! wasm-bindgen names each import for people and adds a hash of 16 digits, which no compressor can shorten; both files
//! have them. Nobody but the two files uses the names, so they become numbers.
//!
//! The hash in the files' names is then that of what is in both: Trunk's is of what was in them before, and a browser
//! that kept one of the two files would not see that the numbers are others now.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::{Outcome, files};

/// The number of the section of imports in the binary format of WebAssembly.
const IMPORTS: u8 = 2;

/// Bytes before the first section.
const PREAMBLE: usize = 8;

/// Shortens the names of every module in `dist` that has a glue script.
pub(crate) fn shorten(dist: &Path) -> Outcome {
    let files = files::under(dist)?;
    for path in &files {
        let name = path.display().to_string();
        let Some(stem) = name.strip_suffix("_bg.wasm") else {
            continue;
        };
        let glue_path = format!("{stem}.js");
        let told = |error: std::io::Error| format!("{name}: {error}");
        let (wasm, glue) = (
            fs::read(path).map_err(told)?,
            fs::read_to_string(&glue_path).map_err(told)?,
        );
        let short = shortened(&wasm, &glue);
        let (wasm, glue) = short.ok_or_else(|| format!("{name} is no module with imports"))?;
        let (front, old) = stem
            .rsplit_once('-')
            .ok_or_else(|| format!("{name} has no hash in its name"))?;
        let new = format!("{:016x}", hash(&[&wasm, glue.as_bytes()]));
        fs::remove_file(path).map_err(told)?;
        fs::remove_file(&glue_path).map_err(told)?;
        fs::write(format!("{front}-{new}_bg.wasm"), wasm).map_err(told)?;
        fs::write(format!("{front}-{new}.js"), glue.replace(old, &new)).map_err(told)?;
        for page in files.iter().filter(|file| is_page(file)) {
            let text = fs::read_to_string(page).map_err(told)?;
            fs::write(page, text.replace(old, &new)).map_err(told)?;
        }
    }
    Ok(())
}

fn is_page(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "html")
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo), over all of it.
fn hash(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().copied().flatten();
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// Both files with numbers in place of names; none if the first is not what it should be.
fn shortened(wasm: &[u8], glue: &str) -> Option<(Vec<u8>, String)> {
    let mut out = wasm.get(..PREAMBLE)?.to_vec();
    let mut rest = wasm.get(PREAMBLE..)?;
    let mut numbers = HashMap::new();
    while let Some((&id, after)) = rest.split_first() {
        let mut at = Bytes(after);
        let length = at.number()?;
        let body = at.take(length)?;
        let body = if id == IMPORTS {
            imports(body, glue, &mut numbers)?
        } else {
            body.to_vec()
        };
        out.push(id);
        put_number(&mut out, body.len());
        out.extend(body);
        rest = at.0;
    }
    Some((out, renamed(glue, &numbers)))
}

/// The section with numbers in place of the names that the glue has exactly once.
fn imports(body: &[u8], glue: &str, numbers: &mut HashMap<String, String>) -> Option<Vec<u8>> {
    let mut at = Bytes(body);
    let mut out = Vec::new();
    let count = at.number()?;
    put_number(&mut out, count);
    for _ in 0..count {
        put_name(&mut out, at.name()?);
        let name = at.name()?;
        let number = numbers.len().to_string();
        let short = match numbers.get(name) {
            Some(known) => known,
            None if words(glue).filter(|word| *word == name).count() == 1 => {
                numbers.entry(name.to_string()).or_insert(number)
            }
            None => name,
        };
        put_name(&mut out, short);
        let before = at.0;
        at.description()?;
        out.extend(&before[..before.len() - at.0.len()]);
    }
    at.0.is_empty().then_some(out)
}

fn renamed(glue: &str, numbers: &HashMap<String, String>) -> String {
    words(glue)
        .map(|word| numbers.get(word).map_or(word, String::as_str))
        .collect()
}

/// The text in pieces: identifiers, and what is between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut rest = text;
    std::iter::from_fn(move || {
        let kind = inside(rest.chars().next()?);
        let end = rest.find(|c| inside(c) != kind).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// What is still to be read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    /// An unsigned number in LEB128.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..).step_by(7).take(5) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn name(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    /// What is imported: a function, a table, a memory or a global.
    fn description(&mut self) -> Option<()> {
        match self.byte()? {
            0 => self.number().map(drop),
            1 => {
                self.byte()?;
                self.limits()
            }
            2 => self.limits(),
            3 => self.take(2).map(drop),
            _ => None,
        }
    }

    fn limits(&mut self) -> Option<()> {
        let has_end = self.byte()? & 1 == 1;
        self.number()?;
        if has_end {
            self.number()?;
        }
        Some(())
    }
}

fn put_number(out: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_name(out: &mut Vec<u8>, name: &str) {
    put_number(out, name.len());
    out.extend(name.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module of one section that imports functions of that type from "m".
    fn module(names: &[&str]) -> Vec<u8> {
        let mut body = Vec::new();
        put_number(&mut body, names.len());
        for name in names {
            put_name(&mut body, "m");
            put_name(&mut body, name);
            body.extend([0, 5]);
        }
        let mut wasm = b"\0asm\x01\0\0\0".to_vec();
        wasm.push(IMPORTS);
        put_number(&mut wasm, body.len());
        wasm.extend(body);
        wasm
    }

    #[test]
    fn names_become_numbers_in_both_files() {
        let glue = "const m = { __wbg_log_0a: f, __wbg_log_0ab: g };\nh(twice, twice);";
        let (wasm, glue) = shortened(
            &module(&["__wbg_log_0a", "twice", "__wbg_log_0ab", "elsewhere"]),
            glue,
        )
        .unwrap();
        assert_eq!(wasm, module(&["0", "twice", "1", "elsewhere"]));
        assert_eq!(glue, "const m = { 0: f, 1: g };\nh(twice, twice);");
    }

    #[test]
    fn the_name_of_both_files_follows_from_what_is_in_them() {
        let dist =
            std::env::temp_dir().join(format!("schedlab-short-names-{}", std::process::id()));
        let build = |glue: &str| {
            let _ = fs::remove_dir_all(&dist);
            fs::create_dir_all(&dist).unwrap();
            fs::write(dist.join("app-0123abcd_bg.wasm"), module(&["long"])).unwrap();
            fs::write(dist.join("app-0123abcd.js"), glue).unwrap();
            fs::write(
                dist.join("index.html"),
                "app-0123abcd.js app-0123abcd_bg.wasm",
            )
            .unwrap();
            shorten(&dist).unwrap();
            let page = fs::read_to_string(dist.join("index.html")).unwrap();
            let names: Vec<String> = page.split(' ').map(String::from).collect();
            let texts = fs::read_to_string(dist.join(&names[0])).unwrap();
            let module = fs::read(dist.join(&names[1])).unwrap();
            assert_eq!(files::under(&dist).unwrap().len(), 3);
            (names, texts, module)
        };
        let (first, glue, wasm) = build("long('app-0123abcd_bg.wasm')");
        assert_eq!(glue, format!("0('{}')", first[1]));
        assert_eq!(wasm, module(&["0"]));
        let (same, ..) = build("long('app-0123abcd_bg.wasm')");
        let (other, ..) = build("long( 'app-0123abcd_bg.wasm')");
        assert_eq!(first, same);
        assert_ne!(first, other);
        assert!(!first.contains(&"app-0123abcd.js".to_string()));
        fs::remove_dir_all(&dist).unwrap();
    }

    #[test]
    fn a_large_section_and_what_is_behind_it_stay_whole() {
        let names: Vec<String> = (0..200).map(|n| format!("import_{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut wasm = module(&names);
        wasm.extend([10, 2, 1, 7]);
        let (short, _) = shortened(&wasm, &names.join(" ")).unwrap();
        assert!(short.len() < wasm.len() && short.ends_with(&[10, 2, 1, 7]));
    }

    #[test]
    fn what_is_no_module_is_refused() {
        assert!(shortened(b"\0asm", "").is_none());
        let mut cut = module(&["a"]);
        cut.pop();
        assert!(shortened(&cut, "a").is_none());
    }
}
