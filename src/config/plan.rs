//! The plan of a migration: expected stages, tools without a cursor, exceptions with a date.
//!
//! Never asks what day it is: that is told to it.

use std::collections::BTreeMap;
use std::fmt;

use super::file::{ExceptionEntry, Progress};
use super::locate::Step;
use super::{nearest, ConfigError, Reader};

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    /// Year.
    pub year: i32,
    /// Month, from 1.
    pub month: u8,
    /// Day of the month, from 1.
    pub day: u8,
}

impl Date {
    /// Reads `YYYY-MM-DD`; nothing for a day that no calendar has.
    pub fn parse(text: &str) -> Option<Date> {
        let digits = |part: &str, length: usize| {
            let plain = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| part.parse::<i32>().ok()).flatten()
        };
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
        if parts.next().is_some() || !(1..=12).contains(&month) || day < 1 {
            return None;
        }
        let date = Date { year, month: month as u8, day: day as u8 };
        // A day past the end of its month comes back as one of the next.
        (day <= 31 && Date::from_days(date.days()) == date).then_some(date)
    }

    /// The day that is this many days after 1970-01-01.
    pub fn from_days(days: i64) -> Date {
        // Years are counted from March, so that a leap day is the last of its year.
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = (of_year - (153 * shifted + 2) / 5 + 1) as u8;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u8;
        let year = year + era * 400 + i64::from(month <= 2);
        Date { year: year as i32, month, day }
    }

    /// Days after 1970-01-01.
    pub fn days(self) -> i64 {
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = i64::from(self.year) - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// What the migration is expected to have reached.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Names of tools that page without a resume field by agreement.
    pub cursor_less: Vec<String>,
    /// Expected stages by the names of commands; of several that fit, the longest holds.
    pub stages: BTreeMap<String, String>,
    /// Agreed exceptions, in the order of the file.
    pub exceptions: Vec<Exception>,
}

/// A departure that was agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The tool or command.
    pub name: String,
    /// The rule; without it the whole tool or command is excepted.
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds.
    pub until: Option<Date>,
    /// 1-based line of its name in the configuration.
    pub line: u32,
}

impl Exception {
    /// Whether its day has passed.
    pub fn expired(&self, today: Date) -> bool {
        self.until.is_some_and(|until| until < today)
    }

    /// That its day has passed, in a sentence.
    pub fn ended(&self) -> String {
        let until = self.until.map(|day| day.to_string()).unwrap_or_default();
        let about = self.rule.as_deref().map(|r| format!(" ({r})")).unwrap_or_default();
        format!("the exception of `{}`{about} ended on {until}: {}", self.name, self.reason)
    }
}

impl Plan {
    /// Whether a tool may page without a resume field.
    pub fn cursor_less(&self, name: &str) -> bool {
        self.cursor_less.iter().any(|pattern| fits(pattern, name))
    }

    /// The stage that a command should have reached.
    pub fn stage(&self, name: &str) -> Option<&str> {
        let fitting = self.stages.iter().filter(|(pattern, _)| fits(pattern, name));
        fitting.max_by_key(|(pattern, _)| pattern.len()).map(|(_, stage)| stage.as_str())
    }
}

/// Whether a name fits a pattern in which `*` stands for any text.
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut rest) = name.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = tail.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl Reader<'_> {
    pub(super) fn plan(
        &self,
        progress: Progress,
        entries: Vec<ExceptionEntry>,
    ) -> Result<Plan, ConfigError> {
        let mut exceptions = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let at = |key| [Step::Key("exception"), Step::Index(index), Step::Key(key)];
            if let Some(rule) = entry.rule.as_deref().filter(|id| !self.known.rules.contains(id)) {
                let help =
                    nearest(rule, self.known.rules).map(|near| format!("did you mean `{near}`?"));
                return Err(self.error(&at("rule"), format!("there is no rule `{rule}`"), help));
            }
            if entry.reason.trim().is_empty() {
                let help = "say why, so that the next reader can judge it".to_string();
                let message = "an exception without a reason".to_string();
                return Err(self.error(&at("reason"), message, Some(help)));
            }
            let until = match &entry.until {
                None => None,
                Some(text) => Some(Date::parse(text).ok_or_else(|| {
                    let help = "dates are written as YYYY-MM-DD".to_string();
                    self.error(&at("until"), format!("`{text}` is no date"), Some(help))
                })?),
            };
            let start = self.error(&at("name"), String::new(), None).span.start;
            let line = self.text[..start].matches('\n').count() as u32 + 1;
            let ExceptionEntry { name, rule, reason, .. } = entry;
            exceptions.push(Exception { name, rule, reason, until, line });
        }
        Ok(Plan { cursor_less: progress.cursor_less, stages: progress.stages, exceptions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_go_round() {
        for days in (-800_000..800_000).step_by(97) {
            assert_eq!(Date::from_days(days).days(), days);
        }
        assert_eq!(Date::from_days(0).to_string(), "1970-01-01");
        assert_eq!(Date::parse("2024-02-29").map(Date::days), Some(19_782));
        for wrong in
            ["2023-02-29", "2024-13-01", "2024-1-1", "24-01-01", "2024-01-01-", "", "2024-04-31"]
        {
            assert_eq!(Date::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_fit() {
        assert!(fits("a.*", "a.list") && fits("*", "") && fits("a*b*c", "a1b2c") && fits("x", "x"));
        assert!(
            !fits("a.*", "b.a.")
                && !fits("x", "xy")
                && !fits("a*b*c", "acb")
                && !fits("ab*ba", "aba")
        );
    }
}
