package launch

import (
	"os/exec"
	"syscall"
)

// leadGroup makes the process lead a group of its own and die with its parent.
func leadGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
