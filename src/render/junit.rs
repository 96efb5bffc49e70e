//! A report to JUnit XML: a suite for each file, a failed case for each finding.
//!
//! Knows no rule; a clean run is one case that passed, because readers call none an error.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::address::xml_safe;
use super::{Places, Style};
use crate::report::{Finding, Level, Report};
use crate::text::Sources;

/// Writes the document.
pub fn render(
    report: &Report,
    sources: &Sources,
    _style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    let mut junit = Junit::new("pagelint");
    for findings in report.findings.chunk_by(|a, b| a.primary.file == b.primary.file) {
        let path = &sources.get(findings[0].primary.file).path;
        let mut suite = TestSuite::new(xml_safe(path));
        suite.add_test_cases(findings.iter().map(|finding| case(finding, &mut places)));
        junit.add_test_suite(suite);
    }
    let errors: Vec<_> = report.problems.iter().filter(|p| p.level == Level::Error).collect();
    if !errors.is_empty() || report.findings.is_empty() {
        let mut suite = TestSuite::new("pagelint");
        for problem in &errors {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(xml_safe(&problem.message)).set_type("problem");
            let place = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            suite.add_test_case(TestCase::new(
                xml_safe(&format!("{}{place}", problem.path)),
                status,
            ));
        }
        if errors.is_empty() {
            suite.add_test_case(TestCase::new("no findings", TestCaseStatus::success()));
        }
        junit.add_test_suite(suite);
    }
    let text = junit.to_string().map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}

fn case(finding: &Finding, places: &mut Places<'_>) -> TestCase {
    let at = places.position(finding.primary.file, finding.primary.start);
    let path = places.sources.get(finding.primary.file).path.clone();
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(xml_safe(&finding.message)).set_type(finding.level.word());
    let help = finding.help.as_deref().map(|help| format!("\n{help}")).unwrap_or_default();
    status.set_description(xml_safe(&format!(
        "{path}:{}:{}: {}[{}] {}{help}",
        at.line,
        at.column,
        finding.level.word(),
        finding.rule,
        finding.message
    )));
    let name = format!("{} at {}:{}", finding.rule, at.line, at.column);
    let mut case = TestCase::new(name, status);
    case.set_classname(xml_safe(&path));
    case
}
