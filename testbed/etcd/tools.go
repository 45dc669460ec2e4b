//go:build tools

// Package etcdtest only pins what `cargo xtask testenv` builds.
package etcdtest

import _ "go.etcd.io/etcd/server/v3"
