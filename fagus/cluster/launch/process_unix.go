//go:build unix

package launch

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
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

// A terminal stops a job by the signal Suspend; by resume the job goes on.
const (
	Suspend = syscall.SIGTSTP
	resume  = syscall.SIGCONT
)

// signalTo sends a signal to a process. Suspend and resume stop and continue the programs that it
// has started, too, even if they catch the signals.
func signalTo(p *os.Process, s os.Signal) error {
	switch s {
	case Suspend:
		return syscall.Kill(-p.Pid, syscall.SIGSTOP)
	case resume:
		return syscall.Kill(-p.Pid, resume)
	}
	return p.Signal(s)
}

// StopSelf stops this process until somebody lets it go on, as SIGTSTP does.
func StopSelf() {
	// Another thread may be the first to stop: this one waits until the process goes on.
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, resume)
	defer signal.Stop(goesOn)
	if syscall.Kill(os.Getpid(), syscall.SIGSTOP) == nil {
		<-goesOn
	}
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
