use std::io;

/// Why serving ended other than by the end of its input.
///
/// That the peer stopped reading (a broken pipe) is an end like any other, not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// This process already serves, or served, on its standard streams. They carry one connection.
    #[error("the standard streams of this process are taken")]
    AlreadyServing,
    /// The messages could not be read to their end. What was read before has been answered.
    #[error("could not read the messages")]
    Read(#[source] io::Error),
    /// The process's streams or signals could not be set up. Nothing was read.
    #[error("could not set up the standard streams")]
    Setup(#[source] io::Error),
    /// The answers could not be written.
    #[error("could not write the answers")]
    Write(#[source] io::Error),
}
