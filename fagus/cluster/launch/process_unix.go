//go:build unix

package launch

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// runLocked runs cmd on a locked thread: the kernel sends Pdeathsig when the thread ends.
func runLocked(cmd *exec.Cmd, g *processes, outputs ...*stream) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return g.run(cmd, outputs...)
}

// terminate asks a process, and all processes that it started, to end.
func terminate(p *os.Process, s syscall.Signal) error {
	err := syscall.Kill(-p.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// killGroup kills the processes that an ended process has left in its group.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // usually no process is left
}

// exitCode returns the exit code that a shell would report.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// detach keeps signals from the launcher's terminal away from the process.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
