//go:build unix && !linux

package launch

import (
	"os/exec"
	"syscall"
)

// lead makes the process lead a group of its own.
func lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
