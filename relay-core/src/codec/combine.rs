//! The methods that every builder has.

/// Gives a builder with an `annotation` field the methods that all of them share.
macro_rules! combinators {
    ([$($generics:tt)*] $builder:ty) => {
        impl<$($generics)*> $builder {
            /// Describes the value, for the model.
            pub fn describe(mut self, description: impl Into<String>) -> Self {
                self.annotation.description = Some(description.into());
                self
            }

            /// Names the value, for people.
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.annotation.title = Some(title.into());
                self
            }

            /// A rule of your own that both halves keep: see
            /// [`Codec::check`](crate::codec::Codec::check).
            #[must_use]
            pub fn check(
                self,
                rule: impl Into<String>,
                holds: impl Fn(&<Self as $crate::codec::IntoCodec>::Value) -> bool
                + Send
                + Sync
                + 'static,
            ) -> $crate::codec::Codec<<Self as $crate::codec::IntoCodec>::Value> {
                $crate::codec::IntoCodec::into_codec(self).check(rule, holds)
            }

            /// Values that show a model what is meant: see
            /// [`Codec::examples`](crate::codec::Codec::examples).
            #[must_use]
            pub fn examples<E>(
                self,
                examples: impl IntoIterator<Item = E>,
            ) -> $crate::codec::Codec<<Self as $crate::codec::IntoCodec>::Value>
            where
                E: $crate::codec::IntoValue<<Self as $crate::codec::IntoCodec>::Value>,
            {
                $crate::codec::IntoCodec::into_codec(self).examples(examples)
            }

            /// A codec of `U`, given the way there and back: see
            /// [`Codec::map`](crate::codec::Codec::map).
            #[must_use]
            pub fn map<U: 'static>(
                self,
                into: impl Fn(<Self as $crate::codec::IntoCodec>::Value) -> U + Send + Sync + 'static,
                from: impl Fn(U) -> <Self as $crate::codec::IntoCodec>::Value + Send + Sync + 'static,
            ) -> $crate::codec::Codec<U> {
                $crate::codec::IntoCodec::into_codec(self).map(into, from)
            }

            /// A codec of `U`, where the way there can refuse: see
            /// [`Codec::try_map`](crate::codec::Codec::try_map).
            #[must_use]
            pub fn try_map<U: 'static, E: std::fmt::Display>(
                self,
                into: impl Fn(<Self as $crate::codec::IntoCodec>::Value) -> Result<U, E>
                + Send
                + Sync
                + 'static,
                from: impl Fn(U) -> <Self as $crate::codec::IntoCodec>::Value + Send + Sync + 'static,
            ) -> $crate::codec::Codec<U> {
                $crate::codec::IntoCodec::into_codec(self).try_map(into, from)
            }
        }
    };
}

/// Gives a builder of strings, integers or booleans the method for what can be mirrored.
macro_rules! mirrored {
    ([$($generics:tt)*] $builder:ty) => {
        impl<$($generics)*> $builder {
            /// Asks clients to repeat the argument in a header: see
            /// [`Codec::mirror_header`](crate::codec::Codec::mirror_header).
            #[must_use]
            pub fn mirror_header(
                self,
                header: impl Into<String>,
            ) -> $crate::codec::Codec<<Self as $crate::codec::IntoCodec>::Value> {
                $crate::codec::IntoCodec::into_codec(self).mirror_header(header)
            }
        }
    };
}

pub(super) use {combinators, mirrored};
