//! The committed JSON Schema is the one that the program prints.
//!
//! `UPDATE_EXPECT=1 cargo test` rewrites it.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::process::Command;

#[test]
fn committed_schema_is_the_printed_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/pagelint.schema.json");
    let output = Command::new(env!("CARGO_BIN_EXE_pagelint"))
        .args(["schema", "config"])
        .output()
        .expect("the program starts");
    let printed = String::from_utf8(output.stdout).expect("a schema is text");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, &printed).expect("the schema can be rewritten");
    }
    let committed =
        fs::read_to_string(path).expect("the schema is committed").replace("\r\n", "\n");
    assert_eq!(committed, printed, "pagelint schema config > pagelint.schema.json");
}
