//go:build linux

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
	longtest.Third(t)
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
		t.Setenv("FAGUS_JOIN", c.join)
		out := slurm(t, "", "../../.ci/slurm-test", c.words...)
		if !strings.Contains(out, c.want) || slices.Contains(c.words, fagus) && !strings.Contains(out, "verified: ") {
			t.Errorf("want %q: %s", c.want, out)
		}
	}
}

// TestSlurmRequeue: a batch job that Slurm puts back into its queue resumes from its checkpoint.
func TestSlurmRequeue(t *testing.T) {
	if !longtest.Thorough() {
		t.Skip("Slurm takes half a minute: FAGUS_LONG=2")
	}
	dir := t.TempDir()
	job := "#!/bin/sh\necho start $SLURM_RESTART_COUNT\nexec srun --kill-on-bad-exit=1 -n 4 " + command(t, "fagus") +
		" run sor --net shm -n 40 --iterations 60000 --checkpoint kept --checkpoint-every 20ms\n"
	// Slurm lets a job wait for a minute or two before it starts again unless it is told otherwise.
	const user = `id=$(sbatch --parsable --requeue -n 4 --open-mode=append -o out job.sh) || exit 1
until ls kept/*.manifest >/dev/null 2>&1; do sleep 0.1; done
scontrol requeue $id
until [ "$(squeue -h -j $id -o %T)" = PENDING ]; do sleep 0.5; done
scontrol update JobId=$id StartTime=now
while [ "$(squeue -h -j $id -o %T)" ]; do sleep 0.5; done
cat out
`
	for name, text := range map[string]string{"job.sh": job, "user.sh": user} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("../../.ci/slurm-test")
	if err != nil {
		t.Fatal(err)
	}
	out := slurm(t, dir, script, "--user", "sh", "user.sh")
	for _, want := range []string{"start\n", "start 1\n", "verified: "} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q", want)
		}
	}
	t.Logf("%s", out)
}

// slurm runs .ci/slurm-test in a folder and returns its output, or skips the test.
func slurm(t *testing.T, dir, script string, words ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, script, words...)
	cmd.Dir = dir
	// SIGTERM, not SIGKILL, so that the script can end its daemons.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skipf("%s", out)
	}
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return string(out)
}
