use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
        ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
    },
};

use crate::{body::Body, mirror::PARAMETER};

/// What a page may send besides what every page may; parameters come on top, by their own names,
/// because `*` does not stand for a part of a name.
const ALLOWED: &str = "content-type, authorization, mcp-protocol-version, mcp-method, mcp-name";

/// The longest list of headers that a preflight is answered with.
const LONGEST: usize = 8 * 1024;

/// Whether a request asks what a page may send.
pub(crate) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Says what a page of this origin may send (HTTP-30).
pub(crate) fn preflight(origin: &HeaderValue, asked: &HeaderMap) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    open(headers, origin);
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("POST"),
    );
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed(asked));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

/// Lets a page of this origin read an answer.
pub(crate) fn expose(headers: &mut HeaderMap, origin: &HeaderValue) {
    open(headers, origin);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("WWW-Authenticate"),
    );
}

/// Names the one origin. Credentials of the browser's own are never asked for.
fn open(headers: &mut HeaderMap, origin: &HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.append(VARY, HeaderValue::from_name(ORIGIN));
}

fn allowed(asked: &HeaderMap) -> HeaderValue {
    let parameters = asked
        .get_all(ACCESS_CONTROL_REQUEST_HEADERS)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| name.starts_with(PARAMETER) && name.parse::<HeaderName>().is_ok());
    let mut list = ALLOWED.to_owned();
    for name in parameters {
        if list.len() + name.len() < LONGEST {
            list.push_str(", ");
            list.push_str(&name);
        }
    }
    HeaderValue::try_from(list).unwrap_or(HeaderValue::from_static(ALLOWED))
}

#[cfg(test)]
mod tests {
    use super::*;

    // HTTP-30
    #[test]
    fn a_preflight_names_each_header() {
        let mut asked = HeaderMap::new();
        asked.insert(
            ACCESS_CONTROL_REQUEST_HEADERS,
            HeaderValue::from_static("content-type,Mcp-Param-Region, mcp-param-b c, cookie"),
        );
        let origin = HeaderValue::from_static("https://good.example");
        let response = preflight(&origin, &asked);
        assert_eq!(response.status(), 204);
        let header = |name: HeaderName| response.headers()[name].to_str().unwrap();
        assert_eq!(header(ACCESS_CONTROL_ALLOW_ORIGIN), "https://good.example");
        assert_eq!(
            header(ACCESS_CONTROL_ALLOW_HEADERS),
            "content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, \
             mcp-param-region"
        );
        assert_eq!(header(VARY), "origin");
        assert!(
            !response
                .headers()
                .contains_key("access-control-allow-credentials")
        );
    }
}
