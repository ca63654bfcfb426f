//! Regular expressions of JSON Schema.

use regex::{Regex, RegexBuilder};

/// How long a pattern may be, in bytes.
pub(crate) const LONGEST: usize = 1_024;

/// How large a compiled pattern may be, in bytes.
pub(crate) const SIZE: usize = 1 << 20;

/// Compiles an ECMA-262 pattern, to be found anywhere in a text in linear time. The error is a
/// sentence for the author.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > LONGEST {
        return Err(format!("the pattern is longer than {LONGEST} bytes"));
    }
    let translated = jsonschema_regex::to_rust_regex(pattern).ok();
    let compiled = translated
        .filter(|_| jsonschema_regex::is_valid_ecma_regex(pattern))
        .and_then(|pattern| RegexBuilder::new(&pattern).size_limit(SIZE).build().ok());
    compiled.ok_or_else(|| {
        format!(
            "the pattern {pattern} is not a regular expression that can be matched in linear time \
             (look-around and back-references cannot)"
        )
    })
}
