// expects: this server's context is `Tenant`, but it was given `Guest`
use relay_core::Peer;

struct Tenant;
struct Guest;

fn main() {
    let _peer = Peer::<Tenant>::new(Guest);
}
