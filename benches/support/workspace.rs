//! Makes the workspace that is measured where none is named: 700 files, one of 3,000 lines.
//!
//! Measures nothing.

use std::path::PathBuf;

use crate::tree::Tree;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const FILES: usize = 700;
const LONGEST: usize = 3000;
/// One tool of so many is not migrated yet.
const BY_HAND: usize = 20;

/// The workspace that `PAGELINT_BENCH` names, or one that is made here.
pub fn root(made: &Tree) -> PathBuf {
    match std::env::var_os("PAGELINT_BENCH") {
        Some(root) => PathBuf::from(root).canonicalize().expect("the workspace is there"),
        None => {
            make(made);
            made.root.clone()
        }
    }
}

/// Tools that page through a shared builder, some by hand, and much other code around them.
fn make(tree: &Tree) {
    tree.write("project.godot", b"");
    tree.write(
        "contract/pagination.gd",
        b"class_name Pagination\n\n\nstatic func build(noun: String, rows: Array, overall: int, skipped: int) -> Dictionary:\n\
\tvar place := skipped + rows.size()\n\tvar page := {noun: rows, \"returned\": rows.size()}\n\
\tpage[\"total_\" + noun] = overall\n\tpage[\"has_more\"] = place < overall\n\tif place < overall:\n\
\t\tpage[\"next_offset\"] = place\n\t\tpage[\"hint\"] = \"pass offset=%d to go on\" % place\n\treturn page\n",
    );
    for number in 1..FILES {
        let functions = if number == 1 { LONGEST / 18 + 1 } else { 3 };
        let mut text = String::from("extends RefCounted\n\nconst Pagination := preload(\"res://contract/pagination.gd\")\n\n\nfunc add_to(registry) -> void:\n");
        for function in 0..functions {
            text.push_str(&format!(
                "\tregistry.add(\"tool_{number}_{function}\", _tool_{function})\n"
            ));
        }
        for function in 0..functions {
            text.push_str(&tool(number, function));
        }
        tree.write(&format!("commands/c{:02}/f{number}.gd", number % 30), text.as_bytes());
    }
}

fn tool(number: usize, function: usize) -> String {
    let last = if (number + function).is_multiple_of(BY_HAND) {
        "\treturn MCPToolkitSuccess.ok({\"rows\": shown, \"returned\": shown.size(), \"total_rows\": all.size(), \"has_more\": offset + shown.size() < all.size()})"
    } else {
        "\treturn MCPToolkitSuccess.ok(Pagination.build(\"rows\", shown, all.size(), offset))"
    };
    format!(
        "\n\nfunc _tool_{function}(params: Dictionary) -> Dictionary:\n\
\tvar offset := int(params.get(\"offset\", 0))\n\tvar limit := int(params.get(\"limit\", 20))\n\
\tif offset < 0 or limit < 1:\n\t\treturn MCPToolkitError.fail(\"INVALID_PARAMS\", \"offset must not be negative, limit must be positive\")\n\
\tvar all := []\n\tfor index in range(100):\n\t\tif index % {} == 0:\n\t\t\tall.append({{\"name\": \"row\" + str(index), \"at\": index * {function}}})\n\
\tvar shown := all.slice(offset, offset + limit)\n\tfor row in shown:\n\t\trow[\"seen\"] = true\n{last}\n",
        number % 7 + 1
    )
}
