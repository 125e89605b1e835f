package launch

import (
	"os"
	"os/exec"
	"syscall"
)

func runLocked(cmd *exec.Cmd, g *processes, outputs ...*stream) error { return g.run(cmd, outputs...) }

// terminate kills a process: Windows has no signal that asks it to end.
func terminate(p *os.Process, _ syscall.Signal) error { return p.Kill() }

func killGroup(*os.Process) {}

func leadGroup(*exec.Cmd) {}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }

func detach(*exec.Cmd) {}
