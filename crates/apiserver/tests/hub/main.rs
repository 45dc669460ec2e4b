//! The server in the process of a test: how it starts, what it bears, what it refuses.

mod audit;
mod connections;
mod costs;
mod disk;
mod excess;
mod fairness;
mod full;
mod heads;
mod limits;
mod lists;
mod parts;
mod patience;
mod policies;
mod quotas;
mod races;
mod restart;
mod scope;
mod start;
mod strangers;
mod support;
mod unread;
mod watchers;
