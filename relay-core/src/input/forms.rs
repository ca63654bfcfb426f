use std::sync::LazyLock;

use super::Form;
use crate::{codec::DefinitionFault, tool::DefinitionError};

/// The forms that a handler asks: one, or a tuple of up to twelve.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a form",
    label = "expected `&FORM`, a static made by `elicit::form`, or a tuple of them"
)]
pub trait Forms {
    /// What is wrong with them.
    fn faults(self) -> Vec<DefinitionFault>;
}

impl<T> Forms for &Form<T> {
    fn faults(self) -> Vec<DefinitionFault> {
        let faults = self.check().err();
        faults.into_iter().flatten().collect()
    }
}

impl<T> Forms for &LazyLock<Form<T>> {
    fn faults(self) -> Vec<DefinitionFault> {
        let form: &Form<T> = self;
        form.faults()
    }
}

macro_rules! forms {
    ($($name:ident),*) => {
        impl<$($name: Forms),*> Forms for ($($name,)*) {
            fn faults(self) -> Vec<DefinitionFault> {
                #[expect(non_snake_case, reason = "the macro names values after their types")]
                let ($($name,)*) = self;
                [$($name.faults()),*].concat()
            }
        }
    };
}

forms!(A);
forms!(A, B);
forms!(A, B, C);
forms!(A, B, C, D);
forms!(A, B, C, D, E);
forms!(A, B, C, D, E, F);
forms!(A, B, C, D, E, F, G);
forms!(A, B, C, D, E, F, G, H);
forms!(A, B, C, D, E, F, G, H, I);
forms!(A, B, C, D, E, F, G, H, I, J);
forms!(A, B, C, D, E, F, G, H, I, J, K);
forms!(A, B, C, D, E, F, G, H, I, J, K, L);

/// Whether the definition of that name may go on with these forms.
pub(crate) fn check(name: &str, forms: impl Forms) -> Result<(), DefinitionError> {
    let faults = forms.faults();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(DefinitionError::new(name, faults))
    }
}
