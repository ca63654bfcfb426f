use std::{collections::HashMap, fmt, future::Future, sync::Arc};

use serde_json::Value;

use super::{Contents, Declaration, Entry, Read, Target};
use crate::{
    Call, Error, IntoContext, IntoReply,
    cache::Cache,
    catalog::Rendered,
    codec::DefinitionFault,
    completion::{Completer, Completion},
    content::{Annotations, Icon},
    handler::Handler,
    input::{self, Forms},
    reply::Complete,
    tool::DefinitionError,
    uri,
    uri_template::{UriTemplate, Variables},
};

/// A resource that has everything but its handler; `K` is [`Direct`] or [`Template`].
#[must_use = "a definition becomes a resource with `handle`"]
pub struct Definition<C, K> {
    declaration: Declaration,
    kind: K,
    context: std::marker::PhantomData<fn(C)>,
}

/// Marks a resource with one URI.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Direct;

/// Marks a resource with a URI template.
pub struct Template<C> {
    parsed: UriTemplate,
    matcher: Option<Arc<Matcher>>,
    completers: HashMap<String, Completer<C>>,
    lister: Option<Lister<C>>,
}

/// A finished resource over the context `C`: direct or a template.
///
/// Cheap to clone.
pub struct Resource<C> {
    pub(crate) declaration: Arc<Declaration>,
    pub(crate) rendered: Arc<Rendered>,
    pub(crate) kind: Kind<C>,
    reader: Reader<C>,
}

pub(crate) enum Kind<C> {
    Direct,
    Template(Arc<Template<C>>),
}

pub(crate) type Lister<C> = Handler<C, (Option<String>, usize), Vec<Entry>>;
type Matcher = dyn Fn(&str) -> Option<Variables> + Send + Sync;
type Reader<C> = Handler<C, Arc<Target>, Complete<Vec<Contents>>>;

pub(crate) type Outcome = Result<Complete<Vec<Contents>>, Error>;

/// Begins a direct resource: its URI and its name.
///
/// # Panics
///
/// If the URI is not one of RFC 3986 with a scheme (RES-10), or the name is empty. [`try_direct`]
/// returns the faults instead.
pub fn direct<C>(uri: &str, name: &str) -> Definition<C, Direct> {
    try_direct(uri, name).unwrap_or_else(|error| error.raise())
}

/// [`direct`] for definitions that are made from data.
///
/// # Errors
///
/// Every fault of the definition.
pub fn try_direct<C>(uri: &str, name: &str) -> Result<Definition<C, Direct>, DefinitionError> {
    let kind = uri::is_valid(uri).then_some(Direct).ok_or_else(|| {
        DefinitionFault::new(
            "this is not a URI: begin with a scheme, such as `notes://`, and percent-encode what \
             RFC 3986 reserves",
        )
    });
    begin(uri, name, kind, false)
}

/// Begins a template: its URI template (RFC 6570) and its name.
///
/// # Panics
///
/// If the template is malformed, or the name is empty. [`try_template`] returns the faults instead.
pub fn template<C>(uri_template: &str, name: &str) -> Definition<C, Template<C>> {
    try_template(uri_template, name).unwrap_or_else(|error| error.raise())
}

/// [`template`] for definitions that are made from data.
///
/// # Errors
///
/// Every fault of the definition.
pub fn try_template<C>(
    uri_template: &str,
    name: &str,
) -> Result<Definition<C, Template<C>>, DefinitionError> {
    let kind = UriTemplate::parse(uri_template)
        .map(|parsed| Template {
            parsed,
            matcher: None,
            completers: HashMap::new(),
            lister: None,
        })
        .map_err(|error| DefinitionFault::new(error.to_string()));
    begin(uri_template, name, kind, true)
}

fn begin<C, K>(
    uri: &str,
    name: &str,
    kind: Result<K, DefinitionFault>,
    is_template: bool,
) -> Result<Definition<C, K>, DefinitionError> {
    let name_fault = name
        .is_empty()
        .then(|| DefinitionFault::new("the name is empty"));
    match (kind, name_fault) {
        (Ok(kind), None) => Ok(Definition {
            declaration: Declaration::new(uri, name.to_owned(), is_template),
            kind,
            context: std::marker::PhantomData,
        }),
        (kind, name_fault) => {
            let faults = kind.err().into_iter().chain(name_fault).collect();
            Err(DefinitionError::new(uri, faults))
        }
    }
}

impl<C, K> Definition<C, K> {
    /// The name shown to people.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.declaration.title = Some(title.into());
        self
    }

    /// What the resource is.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.declaration.description = Some(description.into());
        self
    }

    /// The MIME type of its contents, sent with each read that gives none of its own.
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.declaration.mime_type = Some(mime_type.into());
        self
    }

    /// Hints for the client.
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.declaration.annotations = Some(annotations);
        self
    }

    /// Icons that a client may show beside the resource.
    pub fn with_icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.declaration.icons = icons.into_iter().collect();
        self
    }

    /// Declares the forms that the handler asks, so that what is wrong with them shows here.
    ///
    /// # Panics
    ///
    /// With the resource's URI and every fault of the forms.
    pub fn with_forms(self, forms: impl Forms) -> Self {
        self.try_with_forms(forms)
            .unwrap_or_else(|error| error.raise())
    }

    /// [`with_forms`](Self::with_forms) for forms that are made from data.
    ///
    /// # Errors
    ///
    /// Every fault of the forms.
    pub fn try_with_forms(self, forms: impl Forms) -> Result<Self, DefinitionError> {
        input::check(&self.declaration.uri, forms)?;
        Ok(self)
    }

    /// One entry of the resource's `_meta`.
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.declaration.meta.insert(key.into(), value.into());
        self
    }

    /// How long, and by whom, a read of this resource may be cached; the server's own setting for
    /// reads where unset.
    pub fn with_cache(mut self, cache: Cache) -> Self {
        self.declaration.cache = Some(cache);
        self
    }
}

impl<C> Definition<C, Direct> {
    /// The size of its contents in bytes (RES-12).
    pub fn with_size(mut self, size: u64) -> Self {
        self.declaration.size = Some(size);
        self
    }
}

impl<C: Send + Sync + 'static> Definition<C, Template<C>> {
    /// Suggests values for one variable while the person types: the completer gets what is typed
    /// so far and returns the values, most relevant first (COMP-07).
    ///
    /// # Panics
    ///
    /// If the template has no variable of that name.
    pub fn complete<F, Fut, R>(mut self, variable: &str, complete: F) -> Self
    where
        F: Fn(Call<C>, String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: Into<Completion> + 'static,
    {
        if !self.kind.parsed.variables().any(|name| name == variable) {
            let fault = format!("there is no variable {variable:?} to complete");
            DefinitionError::new(&self.declaration.uri, vec![DefinitionFault::new(fault)]).raise()
        }
        self.kind.completers.insert(
            variable.to_owned(),
            Completer::new(complete, |given| Ok(given.into())),
        );
        self
    }

    /// Decides with a function of the author's which URIs are this template's, and what their
    /// variables are, in place of the URI template, which is then only published.
    ///
    /// For what RFC 6570 can't tell apart. Nothing looks at the values for traversal (RES-06), and
    /// nothing finds out whether another template takes the same URIs: templates are asked in the
    /// order of their URI templates.
    ///
    /// ```
    /// use relay_core::{Read, Resource, resource, uri_template::Variables};
    ///
    /// let day: Resource<()> = resource::template("days://{date}", "day")
    ///     .with_matcher(|uri| {
    ///         let date = uri.strip_prefix("days://")?;
    ///         let is_date = date.len() == 10 && date.split('-').all(|part| part.parse::<u16>().is_ok());
    ///         is_date.then(|| Variables::from_iter([("date", date)]))
    ///     })
    ///     .handle(|read: Read<()>| async move {
    ///         Ok(vec![resource::text(read.variable("date").unwrap_or_default())])
    ///     });
    /// ```
    pub fn with_matcher(
        mut self,
        matcher: impl Fn(&str) -> Option<Variables> + Send + Sync + 'static,
    ) -> Self {
        self.kind.matcher = Some(Arc::new(matcher));
        self
    }

    /// Shows this template's resources in `resources/list`.
    ///
    /// The lister gets the URI that was shown last (`None` at the beginning) and how many to give,
    /// and returns what comes after it, in an order of its own that does not change. Giving fewer
    /// than asked for says that there are no more.
    ///
    /// ```
    /// use relay_core::{Call, Read, resource::{self, Entry}};
    ///
    /// let note = resource::template("note://{id}", "note")
    ///     .list(|_call: Call<()>, after: Option<String>, limit: usize| async move {
    ///         let uris = (1..=250).map(|id| format!("note://{id:03}"));
    ///         let rest = uris.filter(|uri| after.as_ref().is_none_or(|after| uri > after));
    ///         Ok(rest.take(limit).map(|uri| Entry::new(uri.clone(), uri)).collect())
    ///     })
    ///     .handle(|read: Read<()>| async move { Ok(vec![resource::text(read.uri())]) });
    /// ```
    pub fn list<F, Fut>(mut self, list: F) -> Self
    where
        F: Fn(Call<C>, Option<String>, usize) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Entry>, Error>> + Send + 'static,
    {
        let lister = move |call, (after, limit)| list(call, after, limit);
        self.kind.lister = Some(Handler::new(lister, Ok));
        self
    }

    /// Finishes the resource with a function that reads it.
    ///
    /// Several contents may be given; giving none means that there is no such resource (RES-03).
    pub fn handle<F, Fut, R>(self, handler: F) -> Resource<C>
    where
        F: Fn(Read<C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: IntoReply<Vec<Contents>> + 'static,
    {
        Resource::new(
            self.declaration,
            Kind::Template(Arc::new(self.kind)),
            handler,
        )
    }
}

impl<C: Send + Sync + 'static> Definition<C, Direct> {
    /// Finishes the resource with a function that reads it.
    ///
    /// Several contents may be given; giving none means that there is no such resource (RES-03).
    pub fn handle<F, Fut, R>(self, handler: F) -> Resource<C>
    where
        F: Fn(Read<C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: IntoReply<Vec<Contents>> + 'static,
    {
        Resource::new(self.declaration, Kind::Direct, handler)
    }
}

impl<C: Send + Sync + 'static> Resource<C> {
    fn new<F, Fut, R>(declaration: Declaration, kind: Kind<C>, handler: F) -> Self
    where
        F: Fn(Read<C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: IntoReply<Vec<Contents>> + 'static,
    {
        let reader = move |call, target| handler(Read::new(call, target));
        Self {
            declaration: Arc::new(declaration),
            rendered: Arc::new(Rendered::default()),
            kind,
            reader: Handler::new(reader, |reply: R| reply.into_reply().complete()),
        }
    }

    pub(crate) async fn read(&self, call: Call<C>, target: Arc<Target>) -> Outcome {
        self.reader.run(call, target).await
    }

    /// Lifts a resource written for the context `C` into a larger one that holds or makes a `C`.
    #[must_use]
    pub fn map_context<D, R>(
        self,
        context: impl Fn(&D) -> R + Clone + Send + Sync + 'static,
    ) -> Resource<D>
    where
        D: Send + Sync + 'static,
        R: IntoContext<C> + 'static,
    {
        let kind = match &self.kind {
            Kind::Direct => Kind::Direct,
            Kind::Template(template) => Kind::Template(Arc::new(template.map_context(&context))),
        };
        Resource {
            declaration: self.declaration,
            rendered: self.rendered,
            kind,
            reader: self.reader.map_context(context),
        }
    }
}

impl<C> Resource<C> {
    pub(crate) fn template(&self) -> Option<&Template<C>> {
        match &self.kind {
            Kind::Direct => None,
            Kind::Template(template) => Some(template),
        }
    }

    /// The URI template, where it decides which URIs are this resource's.
    pub(crate) fn uri_template(&self) -> Option<&UriTemplate> {
        let template = self.template()?;
        template.matcher.is_none().then_some(&template.parsed)
    }

    /// What the resource publishes about itself.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }
}

impl<C> Template<C> {
    /// The variables of a URI, if it is one of this template's.
    pub(crate) fn match_uri(&self, uri: &str) -> Option<Variables> {
        match &self.matcher {
            Some(matcher) => matcher(uri),
            None => self.parsed.match_uri(uri),
        }
    }

    pub(crate) fn completer(&self, variable: &str) -> Option<&Completer<C>> {
        self.completers.get(variable)
    }

    pub(crate) fn completes(&self) -> bool {
        !self.completers.is_empty()
    }

    pub(crate) fn lister(&self) -> Option<&Lister<C>> {
        self.lister.as_ref()
    }
}

impl<C: Send + Sync + 'static> Template<C> {
    fn map_context<D, R>(
        &self,
        context: &(impl Fn(&D) -> R + Clone + Send + Sync + 'static),
    ) -> Template<D>
    where
        D: Send + Sync + 'static,
        R: IntoContext<C> + 'static,
    {
        Template {
            parsed: self.parsed.clone(),
            matcher: self.matcher.clone(),
            completers: self
                .completers
                .iter()
                .map(|(name, complete)| (name.clone(), complete.map_context(context.clone())))
                .collect(),
            lister: self
                .lister
                .as_ref()
                .map(|lister| lister.map_context(context.clone())),
        }
    }
}

impl<C> Clone for Kind<C> {
    fn clone(&self) -> Self {
        match self {
            Self::Direct => Self::Direct,
            Self::Template(template) => Self::Template(Arc::clone(template)),
        }
    }
}

impl<C> Clone for Resource<C> {
    fn clone(&self) -> Self {
        Self {
            declaration: Arc::clone(&self.declaration),
            rendered: Arc::clone(&self.rendered),
            kind: self.kind.clone(),
            reader: self.reader.clone(),
        }
    }
}

impl<C, K> fmt::Debug for Definition<C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Definition")
            .field(&self.declaration)
            .finish()
    }
}

impl<C> fmt::Debug for Template<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.parsed).finish()
    }
}

impl<C> fmt::Debug for Resource<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Resource").field(&self.declaration).finish()
    }
}
