//go:build unix && !linux

package launch

import (
	"os/exec"
	"syscall"
)

// leadGroup makes the process lead a group of its own.
func leadGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
