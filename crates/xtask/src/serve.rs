//! A static file server for `dist/`: what is looked at is what would be shipped.
//!
//! It sends no header that a plain static host does not send, knows only GET and HEAD, and answers
//! only on 127.0.0.1. It can put the site below a path, as a project page of a static host does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::args::Args;
use crate::{Outcome, build};

const FIRST_PORT: u16 = 8080;
const PORTS_TRIED: u16 = 100;
const LONGEST_HEAD: u64 = 16 * 1024;

/// `cargo xtask serve`.
pub(crate) fn chore(mut args: Args) -> Outcome {
    let port = args.value::<u16>("--port")?;
    let base = args
        .value::<String>("--base")?
        .unwrap_or_else(|| "/".to_string());
    let (watch, no_build) = (args.flag("--watch"), args.flag("--no-build"));
    args.end()?;
    if watch {
        return build::watch(port);
    }
    if !no_build {
        build::site()?;
    }
    let site = Site::new(build::dist(), &base)?;
    let listener = listen(port)?;
    println!(
        "\nSchedlab is at {}   (Ctrl-C stops)",
        site.address(&listener)?
    );
    site.serve(&listener);
    Ok(())
}

/// A folder served below a path.
#[derive(Clone)]
pub(crate) struct Site {
    folder: PathBuf,
    base: String,
}

impl Site {
    /// `base` begins and ends with a slash.
    pub(crate) fn new(folder: PathBuf, base: &str) -> Outcome<Self> {
        if !(base.starts_with('/') && base.ends_with('/')) {
            return Err(format!(
                "the base {base:?} has to begin and end with a slash"
            ));
        }
        if !folder.join("index.html").is_file() {
            return Err(format!(
                "{} holds no site: `cargo xtask build` first",
                folder.display()
            ));
        }
        Ok(Self {
            folder,
            base: base.to_string(),
        })
    }

    /// What to type into a browser.
    pub(crate) fn address(&self, listener: &TcpListener) -> Outcome<String> {
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        Ok(format!("http://{address}{}", self.base))
    }

    /// Answers until the program ends.
    pub(crate) fn serve(&self, listener: &TcpListener) {
        for stream in listener.incoming().flatten() {
            let site = self.clone();
            // A reader that went away is its own problem.
            std::thread::spawn(move || site.answer(&stream));
        }
    }

    fn answer(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let mut head = BufReader::new(stream.take(LONGEST_HEAD));
        let mut request = String::new();
        head.read_line(&mut request)?;
        let mut line = String::new();
        while head.read_line(&mut line)? > 0 && !line.trim_end().is_empty() {
            line.clear();
        }
        self.reply(&request).write(stream)
    }

    fn reply(&self, request: &str) -> Reply {
        let mut words = request.split_whitespace();
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if method != "GET" && method != "HEAD" {
            return Reply::text("405 Method Not Allowed");
        }
        let file = self
            .file(target)
            .and_then(|file| Some((std::fs::read(&file).ok()?, file)));
        let mut reply = match file {
            Some((body, file)) => Reply {
                status: "200 OK",
                kind: media_type(&file),
                body,
                bare: false,
            },
            None => Reply::text("404 Not Found"),
        };
        reply.bare = method == "HEAD";
        reply
    }

    /// The file that a request names, if it is one of ours.
    fn file(&self, target: &str) -> Option<PathBuf> {
        let path = decoded(target.split(['?', '#']).next()?)?;
        let inside = Path::new(path.strip_prefix(&self.base)?);
        // `..`, a second root or a drive letter would lead out of the folder.
        if !inside
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return None;
        }
        let mut file = self.folder.join(inside);
        if file.is_dir() {
            file.push("index.html");
        }
        let real = file.canonicalize().ok()?;
        real.starts_with(self.folder.canonicalize().ok()?)
            .then_some(real)
    }
}

struct Reply {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
    /// Head only.
    bare: bool,
}

impl Reply {
    fn text(status: &'static str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            body: status.into(),
            bare: false,
        }
    }

    fn write(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        let (status, kind, length) = (self.status, self.kind, self.body.len());
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
             Cache-Control: no-cache\r\nConnection: close\r\n\r\n"
        )?;
        if !self.bare {
            stream.write_all(&self.body)?;
        }
        stream.flush()
    }
}

/// The port that was asked for, or the first free one.
pub(crate) fn listen(port: Option<u16>) -> Outcome<TcpListener> {
    let first = port.unwrap_or(FIRST_PORT);
    let last = first.saturating_add(PORTS_TRIED);
    let mut refused = String::new();
    for port in first..=last {
        match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))) {
            Ok(listener) => return Ok(listener),
            Err(error) => refused = error.to_string(),
        }
    }
    Err(format!("no port from {first} to {last} is free: {refused}"))
}

/// Serves in the background for as long as this program runs; gives the address.
pub(crate) fn in_background(site: Site) -> Outcome<String> {
    let listener = listen(Some(0))?;
    let address = site.address(&listener)?;
    std::thread::spawn(move || site.serve(&listener));
    Ok(address)
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// `%41` becomes `A`; nothing, if the text is no valid path.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            if !digits.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|path| !path.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that goes away with the test.
    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// A site of two files, with a secret beside it, and the folder that both are in.
    fn site(name: &str) -> (Site, Folder) {
        let folder =
            std::env::temp_dir().join(format!("xtask-serve-{name}-{}", std::process::id()));
        let dist = folder.join("dist");
        std::fs::create_dir_all(dist.join("sub")).unwrap();
        std::fs::write(dist.join("index.html"), "home").unwrap();
        std::fs::write(dist.join("sub/a b.wasm"), "module").unwrap();
        std::fs::write(folder.join("secret.txt"), "secret").unwrap();
        (Site::new(dist, "/x/").unwrap(), Folder(folder))
    }

    fn get(site: &Site, target: &str) -> (String, String, &'static str) {
        let reply = site.reply(&format!("GET {target} HTTP/1.1\r\n"));
        (
            reply.status.to_string(),
            String::from_utf8(reply.body).unwrap(),
            reply.kind,
        )
    }

    #[test]
    fn serves_files_below_the_base() {
        let (site, _folder) = site("files");
        assert_eq!(get(&site, "/x/?q#f").1, "home");
        assert_eq!(get(&site, "/x/sub/a%20b.wasm").1, "module");
        assert_eq!(get(&site, "/x/sub/a%20b.wasm").2, "application/wasm");
        assert_eq!(get(&site, "/").0, "404 Not Found");
        assert_eq!(get(&site, "/x/none").0, "404 Not Found");
    }

    #[test]
    fn never_leaves_the_folder() {
        let (site, _folder) = site("inside");
        let tries = [
            "/x/../secret.txt",
            "/x/%2e%2e/secret.txt",
            "/x/sub/..%2f..%2fsecret.txt",
            "/x//etc/passwd",
            "/x/%00",
            "/x/%zz",
            "/x/%",
            "",
        ];
        for target in tries {
            assert_eq!(get(&site, target).0, "404 Not Found", "{target}");
        }
        let link = site.folder.join("link.txt");
        let _ = std::fs::remove_file(&link);
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret.txt", &link).unwrap();
        assert_eq!(get(&site, "/x/link.txt").0, "404 Not Found");
    }

    #[test]
    fn answers_only_what_it_knows() {
        let (site, _folder) = site("methods");
        assert_eq!(
            site.reply("POST /x/ HTTP/1.1").status,
            "405 Method Not Allowed"
        );
        assert!(site.reply("HEAD /x/ HTTP/1.1").bare);
        assert!(Site::new(site.folder.clone(), "x").is_err());
        assert!(Site::new(site.folder.join("sub"), "/").is_err());
    }

    #[test]
    fn a_taken_port_is_passed_over() {
        let first = listen(None).unwrap();
        let second = listen(Some(first.local_addr().unwrap().port())).unwrap();
        assert_ne!(first.local_addr().unwrap(), second.local_addr().unwrap());
    }

    #[test]
    fn talks_http() {
        let (site, _folder) = site("http");
        let address = in_background(site).unwrap();
        let host = address
            .trim_start_matches("http://")
            .trim_end_matches("/x/");
        let mut stream = TcpStream::connect(host).unwrap();
        stream
            .write_all(b"GET /x/ HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        assert!(text.ends_with("\r\n\r\nhome"), "{text}");
    }
}
