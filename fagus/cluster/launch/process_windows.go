package launch

import (
	"os"
	"os/exec"
	"syscall"
)

func runLocked(cmd *exec.Cmd, g *processes, outputs ...*stream) error { return g.run(cmd, outputs...) }

// terminate kills a process: Windows has no signal that asks it to end.
func terminate(p *os.Process, _ syscall.Signal) error { return p.Kill() }

// Suspend and resume are signals that Windows does not have.
const (
	Suspend = syscall.Signal(20)
	resume  = syscall.Signal(18)
)

func signalTo(p *os.Process, s os.Signal) error { return p.Signal(s) }

// StopSelf does nothing on Windows.
func StopSelf() {}

func killGroup(*os.Process) {}

func leadGroup(*exec.Cmd) {}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }

func detach(*exec.Cmd) {}
