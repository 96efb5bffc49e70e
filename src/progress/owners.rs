//! The text of a CODEOWNERS file to who owns a path.
//!
//! Never looks for the file: its text is given.

/// Where such a file may lie, best first.
pub const PLACES: [&str; 4] =
    [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];

/// Who owns what; the last line that fits a path says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    rules: Vec<(String, Vec<String>)>,
    /// What stands before a path of the workspace in the repository: empty or `sub/dir/`.
    inner: String,
}

impl Owners {
    /// Reads the text. Paths will be asked for as seen from `inner`. What is no pattern with owners is passed over, as code hosts do.
    pub fn parse(text: &str, inner: &str) -> Owners {
        let mut rules = Vec::new();
        for line in text.lines() {
            let line = line.trim();
            // Sections of one host are headings; their patterns mean what they mean elsewhere.
            if line.starts_with('#') || line.starts_with('[') || line.starts_with("^[") {
                continue;
            }
            let mut words = words(line).into_iter();
            let Some(pattern) = words.next() else { continue };
            let owners = words.take_while(|word| !word.starts_with('#')).collect();
            rules.push((pattern, owners));
        }
        Owners { rules, inner: inner.to_string() }
    }

    /// The owners of a path.
    pub fn of(&self, path: &str) -> &[String] {
        let path = format!("{}{path}", self.inner);
        let fitting = self.rules.iter().rev().find(|(pattern, _)| owns(pattern, &path));
        fitting.map_or(&[], |(_, owners)| owners)
    }
}

/// Splits at white space that no backslash holds together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        let last = words.len() - 1;
        match sign {
            '\\' => words[last].extend(signs.next()),
            sign if sign.is_whitespace() => words.push(String::new()),
            sign => words[last].push(sign),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn owns(pattern: &str, path: &str) -> bool {
    let anchored = pattern.trim_end_matches('/').contains('/');
    let dir_only = pattern.ends_with('/');
    let parts: Vec<&str> = pattern.trim_matches('/').split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    let starts = if anchored { 1 } else { path.len() };
    // `docs/*` owns the files of the directory and not those below; a plain name owns all below.
    let shallow = parts.last() == Some(&"*") && anchored;
    (0..starts).any(|start| fit(&parts, &path[start..], dir_only, shallow))
}

/// Whether the parts fit the path, or a directory that holds it.
fn fit(parts: &[&str], path: &[&str], dir_only: bool, shallow: bool) -> bool {
    match (parts.split_first(), path.split_first()) {
        (None, rest) => match rest {
            None => !dir_only,
            Some(_) => !shallow,
        },
        (Some((&"**", [])), _) => !path.is_empty(),
        (Some((&"**", rest)), _) => {
            (0..=path.len()).any(|skip| fit(rest, &path[skip..], dir_only, shallow))
        }
        (Some((part, parts)), Some((name, path))) => {
            glob(part.as_bytes(), name.as_bytes()) && fit(parts, path, dir_only, shallow)
        }
        (Some(_), None) => false,
    }
}

fn glob(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => (0..=name.len()).any(|skip| glob(rest, &name[skip..])),
        (Some((b'?', rest)), Some((_, name))) => glob(rest, name),
        (Some((sign, rest)), Some((first, name))) => sign == first && glob(rest, name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_fits_says_it() {
        let text = "* @all\n# no\n*.gd @gd me@example.org # why\n/docs/ @docs\napps/ @apps\n\
                    docs/* @top\n/a/**/z @z\nfree.md\nwith\\ space @s\n[Section]\n";
        let owners = Owners::parse(text, "");
        let of = |path: &str| owners.of(path).join(" ");
        assert_eq!(of("x/y.rs"), "@all");
        assert_eq!(of("x/y.gd"), "@gd me@example.org");
        assert_eq!(of("docs/a.md"), "@top");
        assert_eq!(of("docs/in/a.md"), "@docs");
        assert_eq!(of("in/docs/a.md"), "@all");
        assert_eq!(of("in/apps/deep/a.gd"), "@apps");
        assert_eq!(of("apps"), "@all");
        assert_eq!(of("a/z"), "@z");
        assert_eq!(of("a/b/c/z/file"), "@z");
        assert_eq!(of("free.md"), "");
        assert_eq!(of("with space"), "@s");
    }
}
