// expects: expected `Tool<Tenant>`, found `Tool<Guest>`
use relay_core::{Server, Tool};

struct Tenant;
struct Guest;

fn compose(for_tenants: Tool<Tenant>, for_guests: Tool<Guest>) -> Server<Tenant> {
    Server::new([for_tenants, for_guests])
}

fn main() {
    let _compose = compose;
}
