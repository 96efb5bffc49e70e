//! infer.
