//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// buildFagus is the command, as a program.
func buildFagus(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fagus")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return path
}

// TestSlurm runs the command as the tasks of a Slurm step, where Slurm can be started.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("Slurm takes some seconds")
	}
	fagus := buildFagus(t)
	for _, net := range []string{netShm, netTCP} {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "../../.ci/slurm-test", fagus, "run", "matmul", "--net", net, "--n", "64")
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it has daemons to end
		cmd.WaitDelay = 20 * time.Second
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 77 {
			t.Skipf("%s", out)
		}
		if err != nil || !bytes.Contains(out, []byte("on 4 nodes, phase mode, "+net)) || !bytes.Contains(out, []byte("verified: ")) {
			t.Errorf("%v: %s", err, out)
		}
	}
}
