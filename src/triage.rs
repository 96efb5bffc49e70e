//! triage.
