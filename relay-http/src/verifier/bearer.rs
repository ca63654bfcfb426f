use http::{header::AUTHORIZATION, request::Parts};

use super::Refusal;

/// The bearer token of a request, for a [`Verifier`](super::Verifier).
///
/// A token in the query or the body is none (AUTH-11).
///
/// ```
/// use relay_http::bearer;
///
/// let request = http::Request::post("/mcp").header("authorization", "Bearer abc.def").body(());
/// let (parts, ()) = request.expect("a request").into_parts();
/// assert_eq!(bearer(&parts), Ok("abc.def"));
/// ```
///
/// # Errors
///
/// [`Refusal::unauthenticated`] without a token, or with credentials of another kind (AUTH-01);
/// [`Refusal::invalid_request`] for a header that is malformed or sent twice (AUTH-10).
pub fn bearer(parts: &Parts) -> Result<&str, Refusal> {
    let mut values = parts.headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Err(Refusal::unauthenticated());
    };
    let malformed =
        || Refusal::invalid_request("send one Authorization header, with Bearer and one token");
    if values.next().is_some() {
        return Err(malformed());
    }
    let value = value.to_str().map_err(|_illegal| malformed())?.trim();
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::unauthenticated());
    }
    let token = token.trim();
    if is_token(token) {
        Ok(token)
    } else {
        Err(malformed())
    }
}

/// `b64token` of RFC 6750.
pub(super) fn is_token(text: &str) -> bool {
    let of_a_token = |c: char| c.is_ascii_alphanumeric() || "-._~+/".contains(c);
    let stem = text.trim_end_matches('=');
    !stem.is_empty() && stem.chars().all(of_a_token)
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, Request};

    use super::*;

    fn parts(values: &[&[u8]]) -> Parts {
        let mut request = Request::post("/mcp?access_token=abc");
        for value in values {
            request = request.header(AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        }
        request.body(()).unwrap().into_parts().0
    }

    // AUTH-01, AUTH-10, AUTH-11
    #[test]
    fn one_token_is_read_and_nothing_else() {
        for value in [
            &b"Bearer abc"[..],
            b"bearer abc",
            b"BEARER  abc",
            b"Bearer abc ",
        ] {
            assert_eq!(bearer(&parts(&[value])), Ok("abc"));
        }
        assert_eq!(bearer(&parts(&[b"Bearer a-._~+/9=="])), Ok("a-._~+/9=="));
        let unauthenticated = Err(Refusal::unauthenticated());
        assert_eq!(bearer(&parts(&[])), unauthenticated);
        assert_eq!(bearer(&parts(&[b"Basic YTpi"])), unauthenticated);
        for values in [
            &[&b"Bearer"[..]][..],
            &[b"Bearer "],
            &[b"Bearer a b"],
            &[b"Bearer a,b"],
            &[b"Bearer a\"b"],
            &[b"Bearer =="],
            &[b"Bearer a=b"],
            &[b"Bearer caf\xc3\xa9"],
            &[b"Bearer a", b"Bearer a"],
        ] {
            let refusal = bearer(&parts(values)).unwrap_err();
            assert_eq!(refusal.status(), 400, "{values:?}");
        }
    }
}
