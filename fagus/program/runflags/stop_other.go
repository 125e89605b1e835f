//go:build !unix

package runflags

import "os"

// stopSignal returns nil: there is no signal for it here.
func stopSignal() os.Signal { return nil }
