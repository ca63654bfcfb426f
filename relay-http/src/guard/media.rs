use http::{
    HeaderMap,
    header::{ACCEPT, CONTENT_TYPE},
};

/// Which of the two representations the client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) json: bool,
    pub(crate) sse: bool,
}

const JSON: &str = "application/json";

/// Whether the body is JSON in UTF-8, and says so once (HTTP-16).
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    let Ok(value) = value.to_str() else {
        return false;
    };
    if value == JSON {
        return true;
    }
    let mut parts = split(value, b';');
    let is_json = parts
        .next()
        .is_some_and(|media| media.trim().eq_ignore_ascii_case(JSON));
    is_json && parts.all(|parameter| is_harmless(parameter.trim()))
}

/// Whether a parameter of the content type changes nothing.
fn is_harmless(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return parameter.is_empty();
    };
    let value = value.trim().trim_matches('"');
    // A comma ends a value that is not quoted: what follows is another media type.
    let one = !value.contains(',');
    one && (!name.trim().eq_ignore_ascii_case("charset") || value.eq_ignore_ascii_case("utf-8"))
}

/// What clients send as `Accept` who do as the protocol says.
const USUAL: &str = "application/json, text/event-stream";

/// What the client takes: both where it does not say (HTTP-17).
pub(crate) fn accepted(headers: &HeaderMap) -> Accepted {
    let values = headers.get_all(ACCEPT);
    if values.iter().eq([USUAL]) {
        return Accepted {
            json: true,
            sse: true,
        };
    }
    let ranges = values
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| split(value, b','))
        .filter_map(Range::parse);
    let (mut json, mut sse) = (Choice::default(), Choice::default());
    let mut said = false;
    for range in ranges {
        said = true;
        json.hear(&range, "application", "json");
        sse.hear(&range, "text", "event-stream");
    }
    Accepted {
        json: !said || json.wanted,
        sse: !said || sse.wanted,
    }
}

/// What the ranges so far say of one media type: the most specific of them decides.
#[derive(Default)]
struct Choice {
    specificity: u8,
    wanted: bool,
}

impl Choice {
    fn hear(&mut self, range: &Range<'_>, kind: &str, subtype: &str) {
        let specificity = range.specificity();
        if specificity >= self.specificity && range.covers(kind, subtype) {
            self.specificity = specificity;
            self.wanted = range.wanted;
        }
    }
}

/// One range of `Accept`.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// Its weight is not zero.
    wanted: bool,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = split(text, b';');
        let (kind, subtype) = parts.next()?.trim().split_once('/')?;
        let weight = |parameter: &str| {
            let (name, value) = parameter.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("q")
                .then(|| value.trim().parse::<f32>().ok())?
        };
        let refused = parts.filter_map(weight).any(|weight| weight <= 0.0);
        Some(Self {
            kind,
            subtype,
            wanted: !refused,
        })
    }

    fn covers(&self, kind: &str, subtype: &str) -> bool {
        let covers = |range: &str, name: &str| range == "*" || range.eq_ignore_ascii_case(name);
        covers(self.kind, kind) && covers(self.subtype, subtype)
    }

    fn specificity(&self) -> u8 {
        u8::from(self.kind != "*") + u8::from(self.subtype != "*")
    }
}

/// The parts between separators that are not inside a quoted string.
fn split(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = end(text, separator);
        rest = text.get(end + 1..);
        text.get(..end)
    })
}

/// Where the next separator is that is not inside a quoted string, or the end.
fn end(text: &str, separator: u8) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    let ends = |byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => return !quoted && byte == separator,
        }
        false
    };
    text.bytes().position(ends).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn headers(name: &HeaderName, values: &[&str]) -> HeaderMap {
        values
            .iter()
            .map(|value| (name.clone(), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    // H02, HTTP-16
    #[test]
    fn only_json_in_utf_8_is_taken() {
        for value in [
            "application/json",
            "application/json; charset=utf-8",
            "APPLICATION/JSON;charset=\"UTF-8\"",
            "application/json;",
            "application/json; v=1",
            "application/json;v=\"a;b\"",
        ] {
            assert!(is_json(&headers(&CONTENT_TYPE, &[value])), "{value}");
        }
        for value in [
            "application/json;charset=utf-16",
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/jsonp",
            "application/json, text/plain",
            "application/json;a=b, text/plain",
            "application/json; charset",
            "",
            "application/json5",
            "*/*",
        ] {
            assert!(!is_json(&headers(&CONTENT_TYPE, &[value])), "{value}");
        }
        assert!(!is_json(&HeaderMap::new()));
        let twice = ["application/json", "application/json"];
        assert!(!is_json(&headers(&CONTENT_TYPE, &twice)));
    }

    // H01, HTTP-17, LH-06
    #[test]
    fn accept_is_read_leniently() {
        let both = (true, true);
        for (values, expected) in [
            (&[] as &[&str], both),
            (&["*/*"], both),
            (&[USUAL], both),
            (&[USUAL, "application/json;q=0"], (false, true)),
            (&[""], both),
            (&["application/json"], (true, false)),
            (&["text/event-stream"], (false, true)),
            (&["application/*"], (true, false)),
            (&["Application/JSON ; q=0.9, TEXT/Event-Stream;q=0.1"], both),
            (&["application/json", "text/event-stream"], both),
            (&["text/html"], (false, false)),
            (&["application/json;q=0"], (false, false)),
            (&["application/json;q=0, */*"], (false, true)),
            (&["*/*;q=0, application/json"], (true, false)),
            (&["text/*;q=0.0, */*;q=0.1"], (true, false)),
            (
                &["application/json;profile=\"a,text/event-stream\""],
                (true, false),
            ),
            (&["application/json;q=high"], (true, false)),
            (&["nonsense"], both),
        ] {
            let found = accepted(&headers(&ACCEPT, values));
            assert_eq!((found.json, found.sse), expected, "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn any_value_is_survived(value in "[ -~\t]{0,60}") {
            let headers = headers(&ACCEPT, &[&value]);
            let _accepted = accepted(&headers);
            let _json = is_json(&headers);
        }
    }
}
