//! One key, and the keys derived from it for each purpose.

use std::fmt;

use chacha20poly1305::XChaCha20Poly1305;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// In bytes.
pub(super) const MIN_KEY_LENGTH: usize = 32;
const BLOCK_LENGTH: usize = 64;

/// What a token is for. One purpose's keys open nothing of another's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose(&'static str);

impl Purpose {
    pub(crate) const CURSOR: Self = Self("relay/cursor/v1");
    pub(crate) const STATE: Self = Self("relay/state/v1");
    /// Not a token's: names a key without telling anything about it.
    const KEY_ID: Self = Self("relay/key-id/v1");

    #[cfg(test)]
    pub(crate) const fn for_test(label: &'static str) -> Self {
        Self(label)
    }
}

/// A short public name of a key, so that a token says which key of a ring to try.
pub(crate) type KeyId = [u8; 4];

/// A key as HMAC takes it: padded, or hashed and padded, to one block.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) id: KeyId,
    pub(super) block: Zeroizing<[u8; BLOCK_LENGTH]>,
}

impl Key {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut block = Zeroizing::new([0; BLOCK_LENGTH]);
        if bytes.len() > BLOCK_LENGTH {
            let digest = Zeroizing::new(<[u8; 32]>::from(Sha256::digest(bytes)));
            fill(&mut block, digest.as_slice());
        } else {
            fill(&mut block, bytes);
        }
        let mut key = Self {
            id: KeyId::default(),
            block,
        };
        key.id = key.subkey(Purpose::KEY_ID).name();
        key
    }

    pub(super) fn subkey(&self, purpose: Purpose) -> Subkey {
        let mut mac = Hmac::<Sha256>::new((&*self.block).into());
        mac.update(purpose.0.as_bytes());
        Subkey {
            id: self.id,
            derived: Zeroizing::new(mac.finalize().into_bytes().into()),
        }
    }
}

/// A key of a ring, for one purpose.
pub(crate) struct Subkey {
    id: KeyId,
    derived: Zeroizing<[u8; 32]>,
}

impl Subkey {
    pub(crate) fn id(&self) -> KeyId {
        self.id
    }

    /// An HMAC-SHA256 under this key, with nothing in it yet.
    pub(crate) fn mac(&self) -> Hmac<Sha256> {
        let mut block = Zeroizing::new([0; BLOCK_LENGTH]);
        fill(&mut block, self.derived.as_slice());
        Hmac::new((&*block).into())
    }

    /// XChaCha20-Poly1305 under this key.
    pub(crate) fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&*self.derived).into())
    }

    fn name(&self) -> KeyId {
        let [a, b, c, d, ..] = <[u8; 32]>::from(self.mac().finalize().into_bytes());
        [a, b, c, d]
    }
}

impl fmt::Debug for Subkey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subkey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Writes `bytes` over the beginning of `block`.
fn fill(block: &mut [u8; BLOCK_LENGTH], bytes: &[u8]) {
    block
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
}

#[cfg(test)]
mod tests {
    use zeroize::ZeroizeOnDrop;

    use super::*;

    const OTHER: Purpose = Purpose("test/other/v1");

    fn tag(key: &Subkey, message: &[u8]) -> [u8; 32] {
        key.mac()
            .chain_update(message)
            .finalize()
            .into_bytes()
            .into()
    }

    #[test]
    fn keys_behave_as_hmac_defines_them() {
        for length in [32, 63, 64, 65, 200] {
            let bytes = vec![0xA5; length];
            let subkey = Key::new(&bytes).subkey(OTHER);
            let derived = Hmac::<Sha256>::new_from_slice(&bytes)
                .unwrap()
                .chain_update(OTHER.0)
                .finalize()
                .into_bytes();
            let expected = Hmac::<Sha256>::new_from_slice(&derived)
                .unwrap()
                .chain_update(b"m")
                .finalize();
            assert_eq!(
                tag(&subkey, b"m"),
                <[u8; 32]>::from(expected.into_bytes()),
                "{length}"
            );
        }
    }

    // RS-09
    #[test]
    fn what_holds_a_key_wipes_it() {
        fn wiped(_: impl ZeroizeOnDrop) {}

        let key = Key::new(&[1; 32]);
        let subkey = key.subkey(OTHER);
        wiped(subkey.cipher());
        wiped(subkey.derived);
        wiped(key.block);
    }

    #[test]
    fn purposes_have_keys_of_their_own() {
        let key = Key::new(&[1; 32]);
        let (cursor, other) = (key.subkey(Purpose::CURSOR), key.subkey(OTHER));
        assert_ne!(tag(&cursor, b"m"), tag(&other, b"m"));
        assert_eq!(cursor.id(), other.id());
    }
}
