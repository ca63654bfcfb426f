mod fixture;
mod policy;
mod prompts;
mod resources;
mod tools;

use fixture::{Fixture, code, failure, output};
