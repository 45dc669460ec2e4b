//! Definitions, judged by what the real server says of them.
