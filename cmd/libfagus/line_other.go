//go:build !unix

package main

import (
	"fmt"
	"runtime"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
)

func connect(int) (csession.Calls, error) {
	return nil, fmt.Errorf("fagus: FAGUS_LINE is set: C programs run in the simulator on Unix, not on %s", runtime.GOOS)
}
