package launch

import (
	"os"
	"os/exec"
)

func runLocked(cmd *exec.Cmd, g *processes) error { return g.run(cmd) }

// terminate ends a process: Windows has no signal that asks for it.
func terminate(p *os.Process) error { return p.Kill() }

func sweep(*os.Process) {}

func lead(*exec.Cmd) {}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }

func apart(*exec.Cmd) {}
