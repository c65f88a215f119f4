//! Do the packet programs do what their sources describe? The prebuilt ELFs run on the simulator and are compared
//! with RFC vectors, independent crates, and naive models.

mod classify;
mod drr;
mod integrity;
mod kit;
mod meters;
mod numbers;
mod payload;
mod portscan;
mod routes;
mod runtime;
mod safety;
mod stream;
