//! Paths to `file:` URIs and back.
//!
//! Never asks the disk: whether a file is there does not matter here.

use std::path::{Path, PathBuf};

use lsp_types::Uri;

/// The URI of an absolute path.
pub fn from_path(path: &Path) -> Uri {
    let shown = path.to_string_lossy().replace('\\', "/");
    // `C:/x` has no root of its own in a URI.
    let rooted = if shown.starts_with('/') { shown } else { format!("/{shown}") };
    let text = format!("file://{}", escape(&rooted, |byte| byte == b'/'));
    text.parse().unwrap_or_else(|_| nowhere())
}

/// The path of a `file:` URI; nothing for any other.
pub fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file:")?;
    let rest = rest.split(['?', '#']).next()?;
    let path = match rest.strip_prefix("//") {
        // A host other than this machine is a share that only Windows can name.
        Some(rest) if rest.starts_with('/') => rest,
        Some(rest) => rest.strip_prefix("localhost")?,
        None => rest,
    };
    let text = String::from_utf8(unescape(path)).ok()?;
    if text.contains('\0') || !text.starts_with('/') {
        return None;
    }
    let drive = text.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &text[1..] } else { &text }))
}

/// Writes what no URI may hold as its bytes, so that sloppy clients are understood too.
pub fn tolerate(uri: &str) -> String {
    escape(uri, |byte| b":/?#@!$&'()*+,;=%".contains(&byte))
}

fn escape(text: &str, keeps: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || keeps(byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = || text.get(at + 1..at + 3).and_then(|d| u8::from_str_radix(d, 16).ok());
        match (bytes[at], digits()) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

fn nowhere() -> Uri {
    "file:///".parse().expect("the root is a URI")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_back() {
        for path in ["/a b/\u{fc}%[1]#?.gd", "/x/y.go", "/"] {
            let uri = from_path(Path::new(path));
            assert_eq!(to_path(uri.as_str()), Some(PathBuf::from(path)));
        }
        assert_eq!(from_path(Path::new("/a b[1]")).as_str(), "file:///a%20b%5B1%5D");
        assert_eq!(to_path("file:///c%3A/x"), Some(PathBuf::from("c:/x")));
        assert_eq!(to_path("file://localhost/x"), Some(PathBuf::from("/x")));
        assert_eq!(to_path("untitled:Untitled-1"), None);
        assert_eq!(to_path("file://host/x"), None);
        assert!(tolerate("file:///a [1]").parse::<Uri>().is_ok());
    }
}
