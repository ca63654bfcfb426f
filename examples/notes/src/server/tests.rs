mod asking;
mod fixture;
mod policy;
mod prompts;
mod resources;
mod tools;

use fixture::{Fixture, code, failure, output, sharing};

// T01, T04, T05
#[test]
fn no_client_refuses_a_tool() {
    for tool in sharing().tools() {
        let schema = tool.input_schema().to_value();
        let complaints = relay_tests::strict::complaints(&schema);
        assert_eq!(
            complaints,
            Vec::<String>::new(),
            "{}: {schema}",
            tool.name()
        );
    }
}
