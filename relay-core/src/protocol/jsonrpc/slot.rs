/// A member that may be there, and may be something else than was hoped for.
///
/// The parser reports; whoever knows the method decides. `Wrong` holds what came instead, as words
/// for an error text, such as `"a number"`.
///
/// ```
/// use relay_core::protocol::jsonrpc::{Message, Slot, parse};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#;
/// let Ok(Message::Request(request)) = parse(frame) else { panic!("a request") };
/// assert_eq!(request.params.cursor, Slot::Wrong("a number"));
/// assert!(request.params.meta.is_absent());
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "these are all the states of a member, and a match on them should stay complete"
)]
pub enum Slot<T> {
    /// The member was not there.
    #[default]
    Absent,
    /// The member was `null`.
    Null,
    /// The member was as it should be.
    Value(T),
    /// The member was something else: this.
    Wrong(&'static str),
}

impl<T> Slot<T> {
    /// The value, if the member was there and right.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The value, if the member was there and right.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// What the member holds, leaving it absent.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Whether the member was not there.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether the member held something else than it should, `null` included.
    pub const fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong(_) | Self::Null)
    }

    /// What came instead of the value; `None` if the value is there. An absent member is
    /// `"nothing"`.
    pub const fn found(&self) -> Option<&'static str> {
        match self {
            Self::Absent => Some("nothing"),
            Self::Null => Some("null"),
            Self::Value(_) => None,
            Self::Wrong(found) => Some(found),
        }
    }

    /// The slot with its value changed.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Slot<U> {
        self.and_then(|value| Slot::Value(change(value)))
    }

    /// The slot with its value judged further.
    pub fn and_then<U>(self, judge: impl FnOnce(T) -> Slot<U>) -> Slot<U> {
        match self {
            Self::Absent => Slot::Absent,
            Self::Null => Slot::Null,
            Self::Value(value) => judge(value),
            Self::Wrong(found) => Slot::Wrong(found),
        }
    }
}
