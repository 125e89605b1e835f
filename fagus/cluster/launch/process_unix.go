//go:build unix

package launch

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// runLocked runs cmd. The signal at the parent's death is that of the thread that
// started the process, which must live as long.
func runLocked(cmd *exec.Cmd, g *processes) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return g.run(cmd)
}

// terminate asks a process and what it has started to end.
func terminate(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// sweep kills what a process that has ended may have left behind in its group.
func sweep(p *os.Process) {
	if p != nil {
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // mostly there is none
	}
}

// exitCode is what a shell would say.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// apart keeps the signals of the launcher's terminal from a process.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
