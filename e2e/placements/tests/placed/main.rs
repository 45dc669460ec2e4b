//! Namespaces with their data are moved between clusters, with real processes, and a volume server that notes who could write.

mod moved;
