//! What the server shows on the wire, row by row of the checklists, without a transport.

mod tools;
