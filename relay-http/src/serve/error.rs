use std::{io, net::SocketAddr};

use crate::SettingError;

/// Why a port is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The port can't be had.
    #[error("can't listen on this address: {0}")]
    Bind(io::Error),
    /// Other replicas can't have this process's random keys.
    #[error(
        "the endpoint is replicated and the server's keys are random; give every replica the same \
         ones with `with_keys`, for instance from RELAY_KEYS"
    )]
    RandomKeys,
    /// Other replicas can't know what this process remembers.
    #[error(
        "the endpoint is replicated and each replica would take an answer to the tool {tool:?}, \
         which is single use, once; give the runtime a store that all replicas reach with \
         `with_store`"
    )]
    OwnStore {
        /// The name of a tool that is single use.
        tool: String,
    },
    /// A setting can't be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The address is reachable from other machines, and nobody is asked who they are.
    #[error(
        "{address} is reachable from other machines and the endpoint has no verifier; listen on \
         127.0.0.1, set one with `with_verifier`, or say `allow_unauthenticated`"
    )]
    Unprotected {
        /// The address.
        address: SocketAddr,
    },
}
