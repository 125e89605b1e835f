package launch

import (
	"os"
	"os/exec"
)

func runLocked(cmd *exec.Cmd) error { return cmd.Run() }

// terminate ends a process: Windows has no signal that asks for it.
func terminate(p *os.Process) error { return p.Kill() }

func sweep(*os.Process) {}

func group(*exec.Cmd) {}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
