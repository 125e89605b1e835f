//go:build unix && !linux

package launch

import (
	"os/exec"
	"syscall"
)

// group makes the process lead a group of its own.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
