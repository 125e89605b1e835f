//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/cluster/pmi"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// command returns the path of a command: a copy of the test binary, which TestMain has made.
func command(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSlurm runs the command as the tasks of a Slurm step, if Slurm can be started.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("Slurm takes some seconds")
	}
	fagus := command(t, "fagus")
	type step struct {
		words []string
		want  string
		join  string
	}
	steps := []step{
		{[]string{fagus, "run", "matmul", "--net", runflags.SHM, "--n", "64"}, "on 4 nodes, phase mode, shm", ""},
		{[]string{fagus, "run", "matmul", "--net", runflags.TCP, "--n", "64"}, "on 4 nodes, phase mode, tcp", ""},
		{[]string{"--mpi=pmi2", fagus, "run", "matmul", "--net", runflags.TCP, "--n", "64"}, "on 4 nodes, phase mode, tcp", "pmi"},
		{[]string{command(t, "counter")}, "counter on 4 nodes, phase mode, shm", ""},
	}
	if ofi.Supported() == nil {
		for i, provider := range []string{"tcp;ofi_rxm", "net", "shm"}[:longtest.Cases(3, 1)] {
			words, join := []string{fagus, "run", "matmul", "--net", runflags.OFI, "--provider", provider, "--n", "64"}, ""
			if i == 0 && pmi.HasPMIx() {
				steps = append(steps, step{append([]string{"--mpi=pmix"}, words...), "on 4 nodes, phase mode, ofi", "pmi"})
			}
			if i == 0 {
				words, join = append([]string{"--mpi=pmi2"}, words...), "pmi"
			}
			steps = append(steps, step{words, "on 4 nodes, phase mode, ofi", join})
		}
	}
	for _, c := range steps {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "../../.ci/slurm-test", c.words...)
		cmd.Env = append(os.Environ(), "FAGUS_JOIN="+c.join)
		// SIGTERM, not SIGKILL, so that the script can end its daemons.
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 20 * time.Second
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 77 {
			t.Skipf("%s", out)
		}
		if err != nil || !bytes.Contains(out, []byte(c.want)) || slices.Contains(c.words, fagus) && !bytes.Contains(out, []byte("verified: ")) {
			t.Errorf("%v: %s", err, out)
		}
	}
}
