//! Captured objects to pages of an offset envelope: which objects are pages, and the role of
//! each field.
//!
//! Judges nothing.

use super::facts::{Field, Page, Place, Request, Worth};
use super::json::{Kind, Value};
use crate::pack::{folded, singular, Pack, Role};

/// Members that hold a list which is never the rows.
const ASIDES: &[&str] =
    &["warnings", "errors", "notes", "notices", "hints", "messages", "suggestions", "diagnostics"];

/// The pages of a value: the object itself, or those among its named members. What stands in a
/// list is a row.
pub fn pages<'r>(
    value: Value<'_>,
    place: &Place,
    pack: &Pack,
    request: Option<&'r Request>,
) -> Vec<Page<'r>> {
    let mut pages = Vec::new();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        if !value.is_object() || is_error(value) {
            continue;
        }
        if let Some(page) = page(value, place, pack, request) {
            pages.push(page);
        }
        let inner: Vec<Value<'_>> = value.parts().filter(Value::is_object).collect();
        waiting.extend(inner.into_iter().rev());
    }
    pages
}

/// Whether an object tells of a failure.
pub fn is_error(value: Value<'_>) -> bool {
    let no = |name| value.get(name).and_then(|v| v.bool()) == Some(false);
    let error = value.get("error").is_some_and(|e| !matches!(e.kind(), Kind::Null | Kind::Bool));
    no("success") || no("ok") || error || value.get("isError").and_then(|v| v.bool()) == Some(true)
}

/// The page that an object is, if it is one.
fn page<'r>(
    value: Value<'_>,
    place: &Place,
    pack: &Pack,
    request: Option<&'r Request>,
) -> Option<Page<'r>> {
    // Most objects are no page: ask for names before anything is copied.
    let named = |part: &Value<'_>| {
        pack.role(&part.key()).is_some() || pack.weak_role(&part.key()).is_some()
    };
    if !value.parts().any(|part| named(&part)) {
        return None;
    }
    let mut fields: Vec<Field> = value
        .parts()
        .map(|part| Field {
            name: part.key().into_owned(),
            role: None,
            key: place.key(part),
            value: place.of(part),
            worth: Worth::of(part),
        })
        .collect();
    plain_roles(&mut fields, pack);
    if !is_paging(&mut fields, pack) {
        return None;
    }
    weak_roles(&mut fields, pack);
    let mut page = Page { fields, request, rows: None };
    let rows = rows(&page, pack).map(|f| f.name.clone());
    page.rows = rows.and_then(|name| value.get(&name)).and_then(|list| {
        let some = list.parts().next().is_some();
        some.then(|| (list.digest(), place.key(list)))
    });
    Some(page)
}

/// Roles that a name has by itself.
fn plain_roles(fields: &mut [Field], pack: &Pack) {
    let whole_total = |f: &Field| {
        matches!(pack.role(&f.name), Some((Role::Total, false))) && matches!(f.worth, Worth::Int(_))
    };
    let known_total = fields.iter().any(whole_total);
    for field in fields.iter_mut() {
        field.role = match (pack.role(&field.name), &field.worth) {
            // An old name is a common word: it counts only with the type of its role.
            (Some((Role::More, true)), Worth::Bool(_)) => Some((Role::More, true)),
            (Some((Role::Size | Role::Total, true)), Worth::Int(_)) => pack.role(&field.name),
            (Some((Role::More | Role::Size | Role::Total, true)), _) => None,
            // Beside a whole total, `total_time: "3s"` is something else.
            (Some((Role::Total, false)), worth)
                if known_total && !matches!(worth, Worth::Int(_)) =>
            {
                None
            }
            (role, _) => role,
        };
    }
}

fn has(fields: &[Field], role: Role) -> bool {
    fields.iter().any(|f| f.role.is_some_and(|(r, _)| r == role))
}

fn is_paging(fields: &mut [Field], pack: &Pack) -> bool {
    if has(fields, Role::More) || has(fields, Role::Resume) || has(fields, Role::Clamped) {
        return true;
    }
    let whole = |f: &&Field, role| {
        f.role.is_some_and(|(r, _)| r == role) && matches!(f.worth, Worth::Int(_))
    };
    if !fields.iter().any(|f| whole(&f, Role::Total)) {
        return false;
    }
    if fields.iter().any(|f| whole(&f, Role::Size)) {
        return true;
    }
    // An old page size such as `node_count` must count the same as the total.
    let units: Vec<String> = fields
        .iter()
        .filter(|f| whole(f, Role::Total))
        .filter_map(|f| pack.unit(&f.name))
        .collect();
    fields.iter().any(|f| {
        matches!(f.worth, Worth::Int(_))
            && pack.weak_role(&f.name) == Some(Role::Size)
            && pack.unit(&f.name).is_some_and(|unit| units.contains(&unit))
    })
}

/// Roles that old names have by what they count.
fn weak_roles(fields: &mut [Field], pack: &Pack) {
    let lists: Vec<(String, i64)> = fields
        .iter()
        .filter_map(|f| match f.worth {
            Worth::List(length) => Some((singular(&folded(&f.name)), length as i64)),
            _ => None,
        })
        .collect();
    let units: Vec<String> = fields
        .iter()
        .filter(|f| f.role.is_some_and(|(r, _)| r == Role::Total))
        .filter_map(|f| pack.unit(&f.name))
        .collect();
    for at in 0..fields.len() {
        let Worth::Int(count) = fields[at].worth else { continue };
        if fields[at].role.is_some() {
            continue;
        }
        let unit = pack.unit(&fields[at].name);
        let of_rows =
            |(name, length): &(String, i64)| *length == count || unit.as_ref() == Some(name);
        let related = lists.iter().any(of_rows) || unit.as_ref().is_some_and(|u| units.contains(u));
        let (size, total) = (has(fields, Role::Size), has(fields, Role::Total));
        fields[at].role = match pack.weak_role(&fields[at].name) {
            Some(Role::Size) if related && !size => Some((Role::Size, true)),
            Some(Role::Size | Role::Total) if related && !total => Some((Role::Total, true)),
            _ => None,
        };
    }
    // `count` beside `returned` can only be the total that is missing.
    let size = |f: &Field, old| f.role == Some((Role::Size, old));
    if !has(fields, Role::Total) && fields.iter().any(|f| size(f, false)) {
        if let Some(field) = fields.iter_mut().find(|f| size(f, true)) {
            field.role = Some((Role::Total, true));
        }
    }
}

/// The list that holds a page's rows, if that can be told: the only one, or the one that the
/// total counts.
pub fn rows<'p>(page: &'p Page<'_>, pack: &Pack) -> Option<&'p Field> {
    let lists: Vec<&Field> = page
        .fields
        .iter()
        .filter(|f| matches!(f.worth, Worth::List(_)) && !ASIDES.contains(&&*folded(&f.name)))
        .collect();
    let units: Vec<String> = page.role(Role::Total).filter_map(|f| pack.unit(&f.name)).collect();
    let counted = |f: &&&Field| units.contains(&singular(&folded(&f.name)));
    if let Some(list) = lists.iter().find(counted) {
        return Some(list);
    }
    // Text is counted in lines or bytes, and rows may be the members of an object.
    let other = page.fields.iter().any(|f| {
        let name = folded(&f.name);
        match f.worth {
            Worth::Object(_) => units.contains(&singular(&name)),
            Worth::Text(_) => {
                ["text", "content", "contents", "body", "source", "data", "log"].contains(&&*name)
            }
            _ => false,
        }
    });
    let of_text = units.iter().any(|u| ["line", "byte", "char", "character"].contains(&u.as_str()));
    match lists[..] {
        [list] if !other && !of_text => Some(list),
        _ => None,
    }
}
