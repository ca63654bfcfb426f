mod client;
mod policy;
mod prompts;
mod resources;
mod tools;

use client::Client;
