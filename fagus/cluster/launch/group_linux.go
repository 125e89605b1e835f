package launch

import (
	"os/exec"
	"syscall"
)

// group makes the process lead a group of its own, and die with its parent.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
