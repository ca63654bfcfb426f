//! The walk over a peer's JSON that every part of a message is read by.
//!
//! A [`Reader`] says what it makes of each kind of value. It never fails on a kind it did not want,
//! so an error of the walk always means that the frame cannot be read: every byte of it has then
//! been seen, whatever the judgement on its members. Recursion is `serde_json`'s, whose limit of
//! 127 counts from the root of the frame.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, value::RawValue};

use super::{Id, MAX_DEPTH, Slot};

/// What is noticed on the way: keys given twice, and keys that a `Value` must not have.
#[derive(Debug, Default)]
pub(in crate::protocol) struct Scan<'de> {
    /// The keys of the objects being read beyond the first few of each, outermost first.
    keys: Vec<Cow<'de, str>>,
    /// A key that an object of the protocol's own had twice.
    duplicate: Option<String>,
    /// JSON pointers of the keys given twice in a value being built.
    pub(super) pointers: Vec<String>,
    /// Whether a value being built had a key with the [`RESERVED`] beginning.
    pub(super) reserved: bool,
    /// What the values built so far hold: see [`MAX_WEIGHT`].
    weight: usize,
}

/// How much the values that one message is built into may hold: an item of an array counts 1, a
/// member of an object [`MEMBER`]. A few bytes of JSON can be an object of some hundred; this keeps
/// what a line of 16 MiB becomes below some 300 MiB.
pub(super) const MAX_WEIGHT: usize = 4 << 20;

/// What a member of an object counts.
pub(super) const MEMBER: usize = 8;

/// How the keys begin by which `serde_json` passes things on to itself. A `Value` that has one is
/// not what it looks like: deserialising it again, which codecs of derived types do, parses the
/// text under the key and puts that in its place, however deep it nests.
pub(super) const RESERVED: &str = "$serde_json::private::";

impl<'de> Scan<'de> {
    /// Why the message is not taken, whatever its members are: the first key found twice, or one
    /// that is reserved.
    pub(super) fn fault(&self) -> Option<String> {
        if self.reserved {
            return Some(format!("a key may not begin with `{RESERVED}`"));
        }
        if self.weight > MAX_WEIGHT {
            return Some("it holds too many values: send fewer at a time".to_owned());
        }
        let key = shortened(self.duplicate.as_deref()?);
        Some(format!("duplicate key {key:?}"))
    }

    /// Counts one more value; whether there is still room for it. What has no room is read all the
    /// same, so that the message is refused under its id.
    pub(super) fn weigh(&mut self, weight: usize) -> bool {
        self.weight = self.weight.saturating_add(weight);
        self.weight <= MAX_WEIGHT
    }

    /// Counts what the last built value had twice as found.
    pub(super) fn refuse_pointers(&mut self) {
        if let Some(first) = self.pointers.drain(..).next() {
            self.duplicate.get_or_insert(first);
        }
    }

    /// Reads the members of an object of the protocol's own: `member` is called at each value.
    pub(in crate::protocol) fn members<A: MapAccess<'de>>(
        &mut self,
        mut map: A,
        mut member: impl FnMut(&mut Self, &str, &mut A) -> Result<(), A::Error>,
    ) -> Result<(), A::Error> {
        let mark = self.keys.len();
        let mut few = [const { Cow::Borrowed("") }; FEW];
        let mut count = 0;
        while let Some(key) = map.next_key_seed(Key)? {
            member(self, &key, &mut map)?;
            match few.get_mut(count) {
                Some(place) => *place = key,
                None => self.keys.push(key),
            }
            count += 1;
        }
        if self.duplicate.is_none() {
            let duplicate = match few.get(..count) {
                Some(keys) => find_duplicate(keys),
                None => self.find_duplicate_beside(few, mark),
            };
            self.duplicate = duplicate;
        }
        self.keys.truncate(mark);
        Ok(())
    }
}

impl<'de> Scan<'de> {
    /// Of many keys, the first few and those that were put down from `mark` on.
    fn find_duplicate_beside(&mut self, few: [Cow<'de, str>; FEW], mark: usize) -> Option<String> {
        self.keys.extend(few);
        let keys = self.keys.get_mut(mark..)?;
        keys.sort_unstable();
        keys.windows(2).find_map(|pair| match pair {
            [one, two] if one == two => Some(one.clone().into_owned()),
            _ => None,
        })
    }
}

/// The first characters of a key, for an error text.
fn shortened(key: &str) -> &str {
    key.char_indices()
        .nth(64)
        .and_then(|(end, _)| key.get(..end))
        .unwrap_or(key)
}

/// Up to this many keys stay on the stack, where comparing each with each is cheaper than sorting.
const FEW: usize = 8;

fn find_duplicate(keys: &[Cow<'_, str>]) -> Option<String> {
    let mut rest = keys;
    while let [key, others @ ..] = rest {
        if others.contains(key) {
            return Some(key.clone().into_owned());
        }
        rest = others;
    }
    None
}

/// What to make of a value, kind by kind.
pub(in crate::protocol) trait Reader<'de>: Sized {
    /// What is made of it.
    type Output;

    fn scan(&mut self) -> &mut Scan<'de>;

    /// Anything that was not wanted.
    fn wrong(self, found: &'static str) -> Self::Output;

    fn null(self) -> Self::Output {
        self.wrong("null")
    }

    fn boolean(self, _value: bool) -> Self::Output {
        self.wrong("a boolean")
    }

    fn number(self, _value: Number) -> Self::Output {
        self.wrong("a number")
    }

    fn text(self, _value: Cow<'de, str>) -> Self::Output {
        self.wrong("a string")
    }

    fn array<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self::Output, A::Error> {
        while items.next_element_seed(Walk(Skip(self.scan())))?.is_some() {}
        Ok(self.wrong("an array"))
    }

    fn object<A: MapAccess<'de>>(mut self, map: A) -> Result<Self::Output, A::Error> {
        self.scan()
            .members(map, |scan, _, map| map.next_value_seed(Walk(Skip(scan))))?;
        Ok(self.wrong("an object"))
    }
}

/// Sends a [`Reader`] over the next value.
pub(in crate::protocol) struct Walk<R>(pub(in crate::protocol) R);

impl<'de, R: Reader<'de>> DeserializeSeed<'de> for Walk<R> {
    type Value = R::Output;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<R::Output, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, R: Reader<'de>> Visitor<'de> for Walk<R> {
    type Value = R::Output;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<R::Output, E> {
        Ok(self.0.null())
    }

    fn visit_bool<E>(self, value: bool) -> Result<R::Output, E> {
        Ok(self.0.boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<R::Output, E> {
        Ok(self.0.number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<R::Output, E> {
        Ok(self.0.number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<R::Output, E> {
        Ok(match Number::from_f64(value) {
            Some(number) => self.0.number(number),
            None => self.0.null(),
        })
    }

    fn visit_str<E>(self, value: &str) -> Result<R::Output, E> {
        Ok(self.0.text(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<R::Output, E> {
        Ok(self.0.text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<R::Output, A::Error> {
        self.0.array(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<R::Output, A::Error> {
        self.0.object(map)
    }
}

/// Reads over a value that nobody wants, as strictly as over any other.
pub(in crate::protocol) struct Skip<'a, 'de>(pub(in crate::protocol) &'a mut Scan<'de>);

impl<'de> Reader<'de> for Skip<'_, 'de> {
    type Output = ();

    fn scan(&mut self) -> &mut Scan<'de> {
        self.0
    }

    fn wrong(self, _found: &'static str) {}
}

/// Wants a string.
pub(in crate::protocol) struct Text<'a, 'de>(pub(in crate::protocol) &'a mut Scan<'de>);

impl<'de> Reader<'de> for Text<'_, 'de> {
    type Output = Slot<Cow<'de, str>>;

    fn scan(&mut self) -> &mut Scan<'de> {
        self.0
    }

    fn wrong(self, found: &'static str) -> Self::Output {
        Slot::Wrong(found)
    }

    fn null(self) -> Self::Output {
        Slot::Null
    }

    fn text(self, value: Cow<'de, str>) -> Self::Output {
        Slot::Value(value)
    }
}

/// Reads a value of `map` that should be a string.
pub(in crate::protocol) fn text<'de, A: MapAccess<'de>>(
    scan: &mut Scan<'de>,
    map: &mut A,
) -> Result<Slot<Cow<'de, str>>, A::Error> {
    map.next_value_seed(Walk(Text(scan)))
}

/// Reads a value of `map` that nobody wants.
pub(in crate::protocol) fn skip<'de, A: MapAccess<'de>>(
    scan: &mut Scan<'de>,
    map: &mut A,
) -> Result<(), A::Error> {
    map.next_value_seed(Walk(Skip(scan)))
}

/// Reads a value of `map` that should be an id or a token, as written; `level` is the depth of the
/// object that `map` is.
pub(in crate::protocol) fn id<'de, A: MapAccess<'de>>(
    scan: &mut Scan<'de>,
    map: &mut A,
    level: usize,
) -> Result<Slot<Id>, A::Error> {
    let raw = raw(scan, map, level)?.get();
    Ok(match Id::parse(raw) {
        Some(id) => Slot::Value(id),
        None => match raw.as_bytes().first() {
            Some(b'n') => Slot::Null,
            Some(b't' | b'f') => Slot::Wrong("a boolean"),
            Some(b'[') => Slot::Wrong("an array"),
            Some(b'{') => Slot::Wrong("an object"),
            _ => Slot::Wrong("a number with a fraction or an exponent"),
        },
    })
}

/// Captures a value of `map` as written, holding it to what the walk holds other values to:
/// capturing alone counts no depth and lets lone surrogates pass.
pub(in crate::protocol) fn raw<'de, A: MapAccess<'de>>(
    scan: &mut Scan<'de>,
    map: &mut A,
    level: usize,
) -> Result<&'de RawValue, A::Error> {
    let raw = map.next_value::<&'de RawValue>()?;
    if matches!(raw.get().as_bytes().first(), Some(b'"' | b'[' | b'{')) {
        check_depth(raw, level)?;
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        Walk(Skip(scan))
            .deserialize(&mut deserializer)
            .map_err(A::Error::custom)?;
    }
    Ok(raw)
}

/// Refuses a captured value that nests too deep, `level` being the depth of what holds it.
pub(super) fn check_depth<E: serde::de::Error>(raw: &RawValue, level: usize) -> Result<(), E> {
    if level + depth(raw.get()) > MAX_DEPTH {
        return Err(E::custom("recursion limit exceeded"));
    }
    Ok(())
}

/// How deep a well-formed JSON text nests: 0 for a scalar.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Reads a key, borrowed where it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(KeyVisitor(PhantomData))
    }
}

struct KeyVisitor<'de>(PhantomData<&'de str>);

impl<'de> Visitor<'de> for KeyVisitor<'de> {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_ignores_brackets_in_strings() {
        assert_eq!(depth("7"), 0);
        assert_eq!(depth(r#""[[[""#), 0);
        assert_eq!(depth(r#"{"a\"{":["\\",[]],"b":{}}"#), 3);
    }

    fn fault(text: &str) -> Option<String> {
        let mut scan = Scan::default();
        let mut deserializer = serde_json::Deserializer::from_str(text);
        Walk(Skip(&mut scan))
            .deserialize(&mut deserializer)
            .unwrap();
        assert_eq!(scan.keys.len(), 0, "each object puts away its keys");
        scan.fault()
    }

    #[test]
    fn a_duplicate_is_found_among_few_keys_and_among_many() {
        for count in [1, 2, FEW - 1, FEW, FEW + 1, 1_000] {
            let keys: Vec<_> = (0..count).map(|n| format!("\"{n}\":0")).collect();
            let object = keys.join(",");
            assert_eq!(fault(&format!("{{{object}}}")), None);
            for twice in [0, count / 2, count - 1] {
                let found = Some(format!("duplicate key \"{twice}\""));
                assert_eq!(fault(&format!("{{{object},\"{twice}\":1}}")), found);
                // Below a key of its own, among others.
                let inner = format!("{{\"a\":{{{object},\"{twice}\":1}},\"b\":{{}},{object}}}");
                assert_eq!(fault(&inner), found);
                let outer = format!("{{{object},\"a\":{{{object}}},\"{twice}\":1}}");
                assert_eq!(fault(&outer), found);
            }
        }
    }
}
