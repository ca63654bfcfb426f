//! The keys of a server: one that seals, any number that still open.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::RngExt as _;
use zeroize::Zeroizing;

use super::key::{Key, KeyId, MIN_KEY_LENGTH, Purpose, Subkey};

/// The keys that protect what a server hands out: one key seals, and every key of the ring opens.
///
/// Replicas that share a ring accept each other's tokens. To rotate without failing a request:
/// add the new key everywhere as an opening key, then make it the sealing key, and remove the old
/// one once the longest-lived token has expired.
///
/// Clones share the keys, which are wiped from memory with the last of them and never printed.
///
/// # Examples
///
/// ```
/// use relay_core::{KeyError, KeyRing};
///
/// let ring = KeyRing::new(&[7; 32])?.with_opening(&[6; 32])?;
/// assert_eq!(format!("{ring:?}"), "KeyRing { keys: 2, .. }");
///
/// // A weak key is refused, by its place.
/// let error = KeyRing::new(b"secret").unwrap_err();
/// assert!(matches!(error, KeyError::TooShort { position: 1, length: 6 }));
/// # Ok::<(), KeyError>(())
/// ```
#[derive(Clone)]
pub struct KeyRing(Arc<Keys>);

#[derive(Clone)]
struct Keys {
    sealing: Key,
    opening: Vec<Key>,
    random: bool,
}

impl KeyRing {
    /// A ring of one key from the operating system's randomness.
    ///
    /// What it seals opens in this process only. Replicas, and clients that outlive a restart,
    /// need a ring made from configured keys.
    ///
    /// # Panics
    ///
    /// If the operating system has no randomness to give.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = Zeroizing::new([0; MIN_KEY_LENGTH]);
        rand::rng().fill(bytes.as_mut_slice());
        let mut keys = Arc::unwrap_or_clone(Self::of(Key::new(bytes.as_slice())).0);
        keys.random = true;
        Self(Arc::new(keys))
    }

    /// Whether the sealing key was made by [`KeyRing::random`], so that no other process has it
    /// (RS-10).
    #[must_use]
    pub fn is_random(&self) -> bool {
        self.0.random
    }

    /// A ring of one key, at least 32 bytes of randomness.
    ///
    /// # Errors
    ///
    /// [`KeyError::TooShort`] for a key under 32 bytes.
    pub fn new(sealing: &[u8]) -> Result<Self, KeyError> {
        Ok(Self::of(checked(sealing, 1)?))
    }

    /// Adds a key that opens what it sealed, and seals nothing.
    ///
    /// # Errors
    ///
    /// [`KeyError::TooShort`] for a key under 32 bytes.
    pub fn with_opening(self, key: &[u8]) -> Result<Self, KeyError> {
        let key = checked(key, self.0.opening.len() + 2)?;
        let mut keys = Arc::unwrap_or_clone(self.0);
        keys.opening.push(key);
        Ok(Self(Arc::new(keys)))
    }

    /// Reads a comma-separated list of standard base64 keys, the first of which seals.
    ///
    /// White space around a key is ignored. `openssl rand -base64 32` makes a key.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotBase64`] and [`KeyError::TooShort`] name the first bad key by its place,
    /// never by its content.
    ///
    /// # Examples
    ///
    /// ```
    /// use relay_core::{KeyError, KeyRing};
    ///
    /// let ring = KeyRing::from_base64(
    ///     "bmV3IGtleSBvZiBhdCBsZWFzdCAzMiBieXRlcyAuLi4=, b2xkIGtleSBvZiBhdCBsZWFzdCAzMiBieXRlcyAuLi4=",
    /// )?;
    ///
    /// let error = KeyRing::from_base64("not a key").unwrap_err();
    /// assert!(matches!(error, KeyError::NotBase64 { position: 1 }));
    /// # Ok::<(), KeyError>(())
    /// ```
    pub fn from_base64(list: &str) -> Result<Self, KeyError> {
        let mut keys = list.split(',').zip(1..).map(|(text, position)| {
            let bytes = decoded(text.trim()).ok_or(KeyError::NotBase64 { position })?;
            checked(&bytes, position)
        });
        let sealing = keys.next().ok_or(KeyError::NotBase64 { position: 1 })??;
        let opening = keys.collect::<Result<_, _>>()?;
        Ok(Self(Arc::new(Keys {
            sealing,
            opening,
            random: false,
        })))
    }

    /// Reads the list that [`KeyRing::from_base64`] takes from an environment variable,
    /// `RELAY_KEYS` by convention.
    ///
    /// # Errors
    ///
    /// [`KeyError::Missing`] if the variable is not set, else [`KeyError::InVariable`] around what
    /// [`KeyRing::from_base64`] gives. A variable that is set but empty is an error too: silently
    /// falling back to a random ring would break every replica but this one.
    ///
    /// # Examples
    ///
    /// ```
    /// use relay_core::{KeyError, KeyRing};
    ///
    /// let error = KeyRing::from_env("NO_SUCH_VARIABLE").unwrap_err();
    /// assert_eq!(error, KeyError::Missing { variable: "NO_SUCH_VARIABLE".into() });
    /// ```
    pub fn from_env(variable: &str) -> Result<Self, KeyError> {
        let list = std::env::var_os(variable).ok_or_else(|| KeyError::Missing {
            variable: variable.into(),
        })?;
        let list = Zeroizing::new(list.into_encoded_bytes());
        let list = std::str::from_utf8(&list).unwrap_or_default();
        Self::from_base64(list).map_err(|fault| KeyError::InVariable {
            variable: variable.into(),
            fault: Box::new(fault),
        })
    }

    fn of(sealing: Key) -> Self {
        Self(Arc::new(Keys {
            sealing,
            opening: Vec::new(),
            random: false,
        }))
    }

    /// The key that seals for `purpose`.
    pub(crate) fn sealing(&self, purpose: Purpose) -> Subkey {
        self.0.sealing.subkey(purpose)
    }

    /// The keys called `id` that may open what was sealed for `purpose`: one, unless two keys of
    /// a ring happen to share an id.
    pub(crate) fn opening(&self, purpose: Purpose, id: KeyId) -> impl Iterator<Item = Subkey> {
        std::iter::once(&self.0.sealing)
            .chain(&self.0.opening)
            .filter(move |key| key.id == id)
            .map(move |key| key.subkey(purpose))
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRing")
            .field("keys", &(1 + self.0.opening.len()))
            .finish_non_exhaustive()
    }
}

/// Why a [`KeyRing`] could not be made. Keys are named by their place, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Something is wrong with a key in an environment variable.
    #[error("{variable}: {fault}")]
    InVariable {
        /// The variable's name.
        variable: String,
        /// What, and with which key.
        fault: Box<Self>,
    },
    /// The environment variable is not set.
    #[error("the environment variable {variable} is not set")]
    Missing {
        /// Its name.
        variable: String,
    },
    /// A key is not standard base64, or there is nothing between two commas.
    #[error(
        "key {position} is not standard base64 (A-Z, a-z, 0-9, + and /, padded with =); \
         `openssl rand -base64 32` makes a key"
    )]
    NotBase64 {
        /// Which key.
        position: usize,
    },
    /// A key is shorter than 32 bytes.
    #[error(
        "key {position} is {length} bytes long and needs at least 32; \
         `openssl rand -base64 32` makes a key"
    )]
    TooShort {
        /// Which key.
        position: usize,
        /// Its length in bytes.
        length: usize,
    },
}

/// The key in place `position`, if it is long enough.
fn checked(bytes: &[u8], position: usize) -> Result<Key, KeyError> {
    if bytes.len() < MIN_KEY_LENGTH {
        return Err(KeyError::TooShort {
            position,
            length: bytes.len(),
        });
    }
    Ok(Key::new(bytes))
}

/// The bytes of one base64 key, in a buffer that is wiped also when it turns out not to be one.
fn decoded(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; base64::decoded_len_estimate(text.len())]);
    let length = STANDARD
        .decode_slice(text, &mut bytes)
        .ok()
        .filter(|length| *length > 0)?;
    bytes.truncate(length);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OTHER: Purpose = Purpose::for_test("test/other/v1");

    #[test]
    fn a_short_key_is_named_by_its_place() {
        assert_eq!(
            KeyRing::new(&[1; 31]).unwrap_err(),
            KeyError::TooShort {
                position: 1,
                length: 31
            }
        );
        let ring = KeyRing::new(&[1; 32])
            .unwrap()
            .with_opening(&[2; 32])
            .unwrap();
        assert_eq!(
            ring.with_opening(&[3; 5]).unwrap_err(),
            KeyError::TooShort {
                position: 3,
                length: 5
            }
        );
    }

    #[test]
    fn a_list_is_read_in_order() {
        let (new, old) = (STANDARD.encode([1; 32]), STANDARD.encode([2; 48]));
        let ring = KeyRing::from_base64(&format!(" {new} ,\n{old}\n")).unwrap();
        assert_eq!(ring.sealing(OTHER).id(), Key::new(&[1; 32]).id);
        assert_eq!(ring.opening(OTHER, Key::new(&[2; 48]).id).count(), 1);
        assert_eq!(ring.0.opening.len(), 1);
    }

    #[test]
    fn a_bad_list_says_which_key_and_never_what_it_was() {
        let good = STANDARD.encode([1; 32]);
        let short = STANDARD.encode(b"hunter2");
        let url_safe = good.replace("AQEB", "AQ_-");
        let trailing_bits = format!("{}F=", "AQEB".repeat(10) + "AQ");
        let cases = [
            (String::new(), KeyError::NotBase64 { position: 1 }),
            (format!("{good},"), KeyError::NotBase64 { position: 2 }),
            (
                format!("{good},,{good}"),
                KeyError::NotBase64 { position: 2 },
            ),
            (
                format!("{good},{url_safe}"),
                KeyError::NotBase64 { position: 2 },
            ),
            (
                format!("{good},{trailing_bits}"),
                KeyError::NotBase64 { position: 2 },
            ),
            (
                format!("{good},{good},{short}"),
                KeyError::TooShort {
                    position: 3,
                    length: 7,
                },
            ),
        ];
        for (list, expected) in cases {
            let error = KeyRing::from_base64(&list).unwrap_err();
            assert_eq!(error, expected, "{list}");
            for text in [error.to_string(), format!("{error:?}")] {
                assert!(
                    !text.contains(&short) && !text.contains("hunter2") && !text.contains("AQEB")
                );
            }
        }
    }

    #[test]
    fn the_environment_is_read() {
        assert_eq!(
            KeyRing::from_env("RELAY_NO_SUCH_VARIABLE").unwrap_err(),
            KeyError::Missing {
                variable: "RELAY_NO_SUCH_VARIABLE".into()
            }
        );
        // Cargo sets this one, to `relay-core`.
        assert_eq!(
            KeyRing::from_env("CARGO_PKG_NAME").unwrap_err().to_string(),
            "CARGO_PKG_NAME: key 1 is not standard base64 (A-Z, a-z, 0-9, + and /, padded with =); \
             `openssl rand -base64 32` makes a key"
        );
    }

    #[test]
    fn nothing_of_a_key_is_printed() {
        let ring = KeyRing::new(&[0xAB; 32]).unwrap();
        assert_eq!(format!("{ring:?}"), "KeyRing { keys: 1, .. }");
        let id = ring.sealing(OTHER).id();
        assert_eq!(
            format!("{:?}", ring.sealing(OTHER)),
            format!("Subkey {{ id: {id:?}, .. }}")
        );
    }

    #[test]
    fn random_rings_differ() {
        assert_ne!(
            KeyRing::random().0.sealing.block,
            KeyRing::random().0.sealing.block
        );
    }

    #[test]
    fn a_clone_keeps_its_keys_when_the_other_grows() {
        let ring = KeyRing::new(&[1; 32]).unwrap();
        let grown = ring.clone().with_opening(&[2; 32]).unwrap();
        assert_eq!((ring.0.opening.len(), grown.0.opening.len()), (0, 1));
    }

    proptest! {
        #[test]
        fn any_text_makes_a_ring_or_an_error(list in "[A-Za-z0-9+/=, \n_-]{0,200}") {
            if let Ok(ring) = KeyRing::from_base64(&list) {
                prop_assert_eq!(ring.0.opening.len(), list.matches(',').count());
            }
        }
    }
}
