//! A history to a burn-down chart as SVG: rows over time, stacked by status or stage.
//!
//! Only the chain of first parents is drawn; what happened on side branches came with a merge.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::words::escape;
use super::{badge, Shown};
use crate::config::Date;
use crate::progress::history::{History, Point};

/// Colours of the bands, for light and dark surroundings.
pub const STYLE: &str = "\
.chart{font:12px system-ui,sans-serif;fill:#3d4450}.chart .grid{stroke:#d5d9df;stroke-width:1}\
.chart .fell{fill:#b3261e}.open,.stage0{fill:#c8503c}.partly,.stage1{fill:#dda32b}\
.excepted{fill:#9aa1ab}.done,.stage3{fill:#3f8f5f}.stage2{fill:#4f86c6}.stage4{fill:#1f5f3f}\
@media(prefers-color-scheme:dark){.chart{fill:#c5ccd6}.chart .grid{stroke:#39414d}\
.chart .fell{fill:#ff8a7a}.open,.stage0{fill:#d9644f}.excepted{fill:#6f7782}.done,.stage3{fill:#4fa873}}";

/// Writes the chart; without a history the badge.
pub fn render(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    match shown.history {
        Some(history) => out.write_all(svg(history, 960, 380, true).as_bytes()),
        None => badge::render(shown, out),
    }
}

/// Where things stand in the picture.
struct Frame {
    left: f64,
    top: f64,
    wide: f64,
    /// How much of the width the newest revision has to itself.
    tail: f64,
    high: f64,
    first: i64,
    last: i64,
    most: usize,
}

impl Frame {
    fn x(&self, time: i64) -> f64 {
        let span = (self.last - self.first).max(1) as f64;
        self.left + (self.wide - self.tail) * (time - self.first) as f64 / span
    }

    fn y(&self, count: usize) -> f64 {
        self.top + self.high * (1.0 - count as f64 / self.most.max(1) as f64)
    }
}

/// The chart in a width and height; a standalone one brings its own colours.
pub fn svg(history: &History, width: u32, height: u32, standalone: bool) -> String {
    let series = history.series();
    let line: Vec<&Point> = history.points.iter().filter(|point| point.mainline).collect();
    let counts: Vec<Vec<usize>> =
        line.iter().map(|point| history.counts(&point.ledger, &series)).collect();
    // Clocks go wrong; a revision is never drawn before the one that it follows.
    let mut times: Vec<i64> = line.iter().map(|point| point.time).collect();
    for at in 1..times.len() {
        times[at] = times[at].max(times[at - 1]);
    }
    // Revisions of a day or two would stand on one another: they are drawn one by one.
    let dated = times.last().zip(times.first()).is_some_and(|(last, first)| last - first > 172_800);
    if !dated {
        times = (0..times.len() as i64).collect();
    }
    let most = counts.iter().map(|c| c.iter().sum::<usize>()).max().unwrap_or(0);
    let wide = f64::from(width) - 54.0;
    let frame = Frame {
        left: 38.0,
        top: 34.0,
        wide,
        tail: if dated { 14.0 } else { wide / times.len().max(1) as f64 },
        high: f64::from(height) - 64.0,
        first: times.first().copied().unwrap_or(0),
        last: times.last().copied().unwrap_or(0),
        most: round_up(most),
    };
    let mut out = String::new();
    let style = if standalone { format!("<style>{STYLE}</style>") } else { String::new() };
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\"><title>{}</title>{style}",
        escape(&title(&line, &counts, &series))
    );
    legend(&series, history.staged(), &counts, &mut out);
    grid(&frame, width, &labels(&frame, &line, dated, width), &mut out);
    let mut below = vec![0usize; line.len()];
    for (band, _) in series.iter().enumerate() {
        let above: Vec<usize> = below.iter().zip(&counts).map(|(b, c)| b + c[band]).collect();
        let class = class(history.staged(), &series, band);
        if above != below {
            let path = area(&frame, &times, &below, &above);
            let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
        below = above;
    }
    let at: BTreeMap<&str, i64> =
        line.iter().zip(&times).map(|(point, time)| (point.revision.as_str(), *time)).collect();
    marks(history, &frame, (dated, standalone), &at, &mut out);
    out.push_str("</svg>\n");
    out
}

fn class(staged: bool, series: &[String], band: usize) -> String {
    if staged {
        format!("stage{}", band.min(4))
    } else {
        series[band].clone()
    }
}

/// The next number that divides into four even steps.
fn round_up(most: usize) -> usize {
    let mut step = 1;
    loop {
        for factor in [1, 2, 3, 5] {
            if step * factor * 4 >= most {
                return step * factor * 4;
            }
        }
        step *= 10;
    }
}

/// A band as steps: a count holds until the next revision.
fn area(frame: &Frame, times: &[i64], below: &[usize], above: &[usize]) -> String {
    let edge = |values: &[usize]| -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        for (at, value) in values.iter().enumerate() {
            if at > 0 && values[at - 1] == *value && at + 1 < values.len() {
                continue;
            }
            if at > 0 {
                points.push((frame.x(times[at]), frame.y(values[at - 1])));
            }
            points.push((frame.x(times[at]), frame.y(*value)));
        }
        // What holds now can be seen, too.
        points.extend(values.last().map(|value| (frame.left + frame.wide, frame.y(*value))));
        points
    };
    let mut back = edge(below);
    back.reverse();
    let mut path = String::new();
    for (at, (x, y)) in edge(above).into_iter().chain(back).enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
    }
    path.push('Z');
    path
}

fn legend(series: &[String], staged: bool, counts: &[Vec<usize>], out: &mut String) {
    let mut x = 38;
    for (band, name) in series.iter().enumerate() {
        if counts.iter().all(|count| count[band] == 0) {
            continue;
        }
        let now = counts.last().map_or(0, |count| count[band]);
        let (class, label) = (class(staged, series, band), format!("{name} {now}"));
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"6\" width=\"11\" height=\"11\" rx=\"2\"/>\
             <text x=\"{}\" y=\"16\">{}</text>",
            x + 15,
            escape(&label)
        );
        x += 30 + label.chars().count() * 7;
    }
}

/// Places on the axis with the day to write there.
fn labels(frame: &Frame, line: &[&Point], dated: bool, width: u32) -> Vec<(i64, Date)> {
    // On a narrow page more of them would touch.
    let ticks = if width < 600 { 2 } else { 6 };
    let mut labels: Vec<(i64, Date)> = match dated {
        true => {
            let time = |tick| frame.first + (frame.last - frame.first) * tick / ticks;
            (0..=ticks)
                .map(|tick| (time(tick), Date::from_days(time(tick).div_euclid(86_400))))
                .collect()
        }
        false => {
            let ends = line.first().into_iter().chain(line.last().filter(|_| line.len() > 1));
            [frame.first, frame.last].into_iter().zip(ends.map(|point| point.date())).collect()
        }
    };
    labels.dedup_by_key(|(_, day)| *day);
    labels
}

fn grid(frame: &Frame, width: u32, labels: &[(i64, Date)], out: &mut String) {
    let right = frame.left + frame.wide;
    for step in 0..=4 {
        let count = frame.most * step / 4;
        let y = frame.y(count);
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{:.1} {y:.1}H{right:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{count}</text>",
            frame.left,
            frame.left - 6.0,
            y + 4.0
        );
    }
    for (time, day) in labels {
        let x = frame.x(*time);
        let anchor = match x {
            x if x < frame.left + 30.0 => "start",
            x if x > f64::from(width) - 50.0 => "end",
            _ => "middle",
        };
        let y = frame.top + frame.high + 19.0;
        let _ =
            write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{day}</text>");
    }
}

/// A mark over every revision that let something fall back.
fn marks(
    history: &History,
    frame: &Frame,
    (dated, standalone): (bool, bool),
    at: &BTreeMap<&str, i64>,
    out: &mut String,
) {
    for event in &history.events {
        let point = &history.points[event.at];
        let fallen: Vec<&str> =
            event.changes.iter().filter(|c| c.kind.falls()).map(|c| c.name.as_str()).collect();
        if fallen.is_empty() {
            continue;
        }
        // A side branch has no place of its own where revisions are drawn one by one.
        let own = at.get(point.revision.as_str()).copied();
        let Some(time) = own.or(dated.then_some(point.time)) else { continue };
        let x = frame.x(time.clamp(frame.first, frame.last));
        let y = frame.top - 3.0;
        let label = format!("{} {}: {} fell back", point.date(), point.short(), few(&fallen));
        let mark = format!(
            "<path class=\"fell\" d=\"M{:.1} {:.1}h9l-4.5 8z\"><title>{}</title></path>",
            x - 4.5,
            y - 8.0,
            escape(&label)
        );
        // On a page, a mark leads to what it speaks of.
        match standalone {
            true => out.push_str(&mark),
            false => {
                let _ = write!(out, "<a href=\"#r{}\">{mark}</a>", point.short());
            }
        }
    }
}

/// The first names, and how many more there are.
fn few(names: &[&str]) -> String {
    match names.len().saturating_sub(5) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..5].join(", ")),
    }
}

/// What the picture shows, for those who cannot see it.
fn title(line: &[&Point], counts: &[Vec<usize>], series: &[String]) -> String {
    let (Some(first), Some(last), Some(now)) = (line.first(), line.last(), counts.last()) else {
        return "no revisions".to_string();
    };
    let shares: Vec<String> =
        now.iter().zip(series).map(|(count, name)| format!("{count} {name}")).collect();
    format!("From {} to {}; at the end {}", first.date(), last.date(), shares.join(", "))
}
