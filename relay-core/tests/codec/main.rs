//! What a codec publishes is what it enforces, judged by a validator of its own.

#[cfg(test)]
mod derived;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod keywords;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod profile;
#[cfg(test)]
#[expect(
    unreachable_pub,
    reason = "a public module of the package that it is read from"
)]
#[path = "../../../tests/src/strict.rs"]
mod strict;
#[cfg(test)]
mod suite;
#[cfg(test)]
mod support;
#[cfg(test)]
mod values;
