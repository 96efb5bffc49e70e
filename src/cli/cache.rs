//! Ledgers of trees on disk, found again by content.
//!
//! Never trusted blindly: an entry counts only under the key that made it, whole, and written by
//! this very build of the program. Deleting the directory costs nothing but time.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use crate::discover::Options;
use crate::progress::Ledger;
use crate::revisions::Blob;

/// Changes when the form of an entry does.
const FORM: &str = "pagelint ledger 1";

/// The cache.
pub struct Cache {
    dir: PathBuf,
    /// Whether the directory can be written to.
    writes: bool,
    count: AtomicU64,
}

impl Cache {
    /// The cache of a directory, which is made when it is not there.
    pub fn open(dir: &Path) -> Cache {
        let inner = dir.join("ledgers");
        let writes = fs::create_dir_all(&inner).is_ok();
        if writes {
            // Neither version control nor backups want it.
            let mark = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by pagelint; safe to delete.\n";
            for (name, text) in [(".gitignore", "*\n"), ("CACHEDIR.TAG", mark)] {
                if !dir.join(name).exists() {
                    // A cache without them is still one.
                    let _ = fs::write(dir.join(name), text);
                }
            }
        }
        Cache { dir: inner, writes, count: AtomicU64::new(0) }
    }

    /// The ledger of a key, if a whole entry of it is there.
    pub fn get(&self, key: &str) -> Option<Ledger> {
        let text = fs::read_to_string(self.dir.join(key)).ok()?;
        let (head, body) = text.split_once('\n')?;
        (head == header(key, body)).then(|| serde_json::from_str(body).ok()).flatten()
    }

    /// Remembers a ledger. A cache that cannot be written is no failure.
    pub fn put(&self, key: &str, ledger: &Ledger) {
        let (true, Ok(body)) = (self.writes, serde_json::to_string(ledger)) else { return };
        // Written aside and moved, so that an interrupted run leaves no half entry.
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let aside = self.dir.join(format!("{key}.{}.{number}", std::process::id()));
        let written = fs::File::create(&aside)
            .and_then(|mut file| write!(file, "{}\n{body}", header(key, &body)));
        if written.is_err() || fs::rename(&aside, self.dir.join(key)).is_err() {
            let _ = fs::remove_file(&aside);
        }
    }
}

fn header(key: &str, body: &str) -> String {
    format!("{FORM} {key} {:016x}", digest(0, body.as_bytes()))
}

/// The key of what is read of a revision, under a configuration, by this build.
pub fn key(configuration: &str, options: &Options, files: &[(String, Blob)]) -> String {
    let mut text = format!(
        "{FORM}\0{}\0{}\0{configuration}\0{}\0",
        env!("CARGO_PKG_VERSION"),
        build(),
        options.tests
    );
    for (path, blob) in files {
        text.push_str(&format!("{path}\0{blob}\0"));
    }
    format!("{:016x}{:016x}", digest(1, text.as_bytes()), digest(2, text.as_bytes()))
}

/// What tells this build from another one of the same version.
fn build() -> String {
    let program = std::env::current_exe().and_then(fs::metadata);
    program.map_or(String::new(), |meta| {
        let changed = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        format!("{} {}", meta.len(), changed.map_or(0, |since| since.as_nanos()))
    })
}

/// FNV-1a from a start of one's own.
fn digest(start: u64, bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ start.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
