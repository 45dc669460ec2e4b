//go:build tools

// Package kwoktest only pins what `cargo xtask testenv` builds.
package kwoktest

import _ "sigs.k8s.io/kwok/cmd/kwok"
