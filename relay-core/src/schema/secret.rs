//! Names that tell of a secret.

/// Parts of a name, its separators left out, that only secrets have.
const PARTS: [&str; 15] = [
    "accesskey",
    "apikey",
    "authorization",
    "cardnumber",
    "credential",
    "creditcard",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "securitycode",
    "signingkey",
    "token",
];

/// Words that are too short to be looked for within others.
const WORDS: [&str; 6] = ["cvc", "cvv", "otp", "pin", "pwd", "ssn"];

/// Whether a name looks like that of a secret, which neither a header (XMH-06) nor a form (ELIC-03)
/// should hold.
pub(crate) fn is_secret(name: &str) -> bool {
    let words = words(name);
    let joined = words.concat();
    PARTS.iter().any(|part| joined.contains(part))
        || words.iter().any(|word| WORDS.contains(&word.as_str()))
}

/// The words of a name, in lower case: `apiKey`, `API_KEY` and `api-key` have the same two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for character in name.chars() {
        let separates = !character.is_alphanumeric();
        if separates || (after_lower && character.is_uppercase()) {
            words.push(String::new());
        }
        after_lower = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| !separates) {
            word.extend(character.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    // XMH-06, ELIC-03
    #[test]
    fn secrets_are_told_by_their_names() {
        for secret in [
            "password",
            "API_KEY",
            "api-key",
            "apiKey",
            "X-Authorization",
            "clientSecret",
            "access token",
            "cardNumber",
            "card_cvv",
            "PIN",
            "userPin",
        ] {
            assert!(is_secret(secret), "{secret}");
        }
        for name in [
            "row", "shipping", "opinion", "keyboard", "author", "card", "spinner", "",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
