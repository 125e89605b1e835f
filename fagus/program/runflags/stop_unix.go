//go:build unix

package runflags

import (
	"os"
	"syscall"
)

// stopSignal returns the signal that tells a rank which keeps checkpoints to stop at the next cut.
func stopSignal() os.Signal { return syscall.SIGUSR1 }
