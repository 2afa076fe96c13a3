//! The browser and its driver for the tests: found, or installed with apt where that is allowed.

use std::path::PathBuf;

use crate::Outcome;
use crate::process::{command, quiet_output, run, which};

/// Programs that count as a browser, best first; tests/e2e/browser.mjs has the same list.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// A browser and the driver that fits it.
#[derive(Debug)]
pub(crate) struct Browser {
    pub(crate) program: PathBuf,
    pub(crate) driver: PathBuf,
}

/// `$CHROME` and `$CHROMEDRIVER`, or what is on PATH, or what apt brings.
pub(crate) fn find_or_install() -> Outcome<Browser> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    let packages = packages(&std::fs::read_to_string("/etc/os-release").unwrap_or_default());
    let advice = format!(
        "the tests need Chromium or Chrome and a chromedriver of the same version.\n\
         On Debian or Ubuntu: sudo apt-get install {}\n\
         Elsewhere: install both, and set CHROME and CHROMEDRIVER if they are not on PATH.",
        packages.join(" ")
    );
    let Some(apt) = apt() else { return Err(advice) };
    println!("installing {} with apt", packages.join(" "));
    let apt_get = |words: &[&str]| {
        let (program, first) = apt.split_first().expect("at least one word");
        let lock = "DPkg::Lock::Timeout=300";
        run(command(program)
            .args(first)
            .args(["-q", "-y", "-o", lock])
            .args(words)
            .env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let mut install = vec!["install", "--no-install-recommends"];
    install.extend(packages);
    apt_get(&["update"])
        .and_then(|()| apt_get(&install))
        .map_err(|error| format!("{error}\n{advice}"))?;
    find().ok_or(advice)
}

fn find() -> Option<Browser> {
    let named = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let program = named("CHROME").or_else(|| BROWSERS.iter().find_map(|name| which(name)))?;
    let driver = named("CHROMEDRIVER").or_else(|| which("chromedriver"))?;
    Some(Browser { program, driver })
}

/// The packages' names differ between Debian and Ubuntu.
fn packages(os_release: &str) -> [&'static str; 2] {
    if os_release.lines().any(|line| line == "ID=ubuntu") {
        ["chromium-browser", "chromium-chromedriver"]
    } else {
        ["chromium", "chromium-driver"]
    }
}

/// How to call apt-get without being asked anything, if that is possible at all.
fn apt() -> Option<Vec<&'static str>> {
    which("apt-get")?;
    let is_root = quiet_output(command("id").arg("-u")).is_some_and(|id| id.trim() == "0");
    if is_root {
        return Some(vec!["apt-get"]);
    }
    quiet_output(command("sudo").args(["-n", "true"]))?;
    Some(vec!["sudo", "-n", "apt-get"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_packages_of_both() {
        assert_eq!(
            packages("NAME=\"Ubuntu\"\nID=ubuntu\n")[0],
            "chromium-browser"
        );
        assert_eq!(packages("ID=debian\n")[1], "chromium-driver");
    }
}
