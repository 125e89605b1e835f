//go:build linux

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/pmi"
)

const (
	hydraLauncher = "mpiexec.mpich"
	slurmLauncher = "../../.ci/slurm-test" // a Slurm of this host, for as long as the job runs
	openMPI       = "mpirun.openmpi"
)

// flags returns the arguments of a launcher that start four ranks, and whether they join by PMIx.
func flags(launcher string) (all []string, byPMIx bool) {
	switch launcher {
	case openMPI:
		return []string{"--oversubscribe", "-n", "4", os.Args[0]}, true
	case slurmLauncher:
		return []string{"--mpi=pmi2", os.Args[0]}, false
	default:
		return []string{"-n", "4", os.Args[0]}, false
	}
}

// launched runs this test binary as four ranks of a launcher that join through it. It skips the
// test if the launcher cannot be started here.
func launched(t *testing.T, launcher, body string, env ...string) (output string, err error) {
	t.Helper()
	if testing.Short() {
		t.Skip("Slurm takes some seconds")
	}
	if _, err := exec.LookPath(launcher); err != nil {
		t.Skip(err)
	}
	flags, byPMIx := flags(launcher)
	if byPMIx && !pmi.HasPMIx() {
		t.Skip(pmi.ErrUnavailable)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for tries := 1; ; tries++ {
		cmd := exec.CommandContext(ctx, launcher, flags...)
		cmd.Env = append(append(os.Environ(), childBody+"="+body, "FAGUS_JOIN=pmi", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"), env...)
		// SIGTERM, not SIGKILL, so that the launcher can end its processes.
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 20 * time.Second
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 77 {
			t.Skipf("%s", out)
		}
		t.Logf("%s %s %v: %v\n%s", launcher, body, env, err, out)
		// Hydra itself may die, of a write to a rank that has ended early, and say nothing.
		if exit != nil && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGPIPE && tries < 3 {
			continue
		}
		return string(out), err
	}
}

// TestJoinLauncher runs a program of four ranks that join through a real launcher.
func TestJoinLauncher(t *testing.T) {
	outer := []string{"FAGUS_INTERFACE=127.0.0.1"} // as if the job spanned hosts
	for _, tt := range []struct {
		launcher, name string
		env            []string
	}{
		{hydraLauncher, "default", nil},
		{hydraLauncher, "quic", []string{"FAGUS_NET=quic"}},
		{hydraLauncher, "insecure", append(outer, "FAGUS_INSECURE=1")},
		{hydraLauncher, "identities", append(outer, identities(t, 4))},
		{slurmLauncher, "default", nil},
		{openMPI, "default", nil},
		{openMPI, "identities", append(outer, identities(t, 4))},
	} {
		t.Run(tt.launcher[strings.LastIndex(tt.launcher, "/")+1:]+" "+tt.name, func(t *testing.T) {
			out, err := launched(t, tt.launcher, "sum", tt.env...)
			if err != nil || strings.Count(out, " of 4: sum 10\n") != 4 {
				t.Error("want the sum 10 at all 4 ranks")
			}
			if got := strings.Count(out, "is insecure"); got > 1 || (got == 1) != (tt.name == "insecure") {
				t.Errorf("%d warnings", got)
			}
		})
	}
}

// TestJoinLauncherErrors: ranks of a real launcher get an error that says what to do.
func TestJoinLauncherErrors(t *testing.T) {
	longtest.Third(t)
	for _, tt := range []struct {
		launcher, body, env string
		want                string
	}{
		{hydraLauncher, "run", "FAGUS_INTERFACE=127.0.0.1", "cluster: rank 0 at 127.0.0.1 (lo) has no identity: set FAGUS_IDENTITY (`fagus identity` creates identities), or permit unencrypted data with --insecure or FAGUS_INSECURE=1"},
		{hydraLauncher, "run", "FAGUS_NET=shm", `FAGUS_NET is "shm": want tcp`},
		{hydraLauncher, "absent", "", "cluster: joining through the launcher: pmi: waiting for the other ranks in a fence: context deadline exceeded: rank "},
		// Hydra kills the others, which may interrupt its own answer to one that leaves the job.
		{hydraLauncher, "die", "", ""},
		{openMPI, "absent", "", "cluster: joining through the launcher: pmi: waiting for the other ranks in a fence: context deadline exceeded: rank "},
		{openMPI, "die", "", ""},
		// srun does not, so their network tells them.
		{slurmLauncher, "die", "", "tcp: rank 1 "},
	} {
		t.Run(tt.launcher[strings.LastIndex(tt.launcher, "/")+1:]+" "+tt.body, func(t *testing.T) {
			if out, err := launched(t, tt.launcher, tt.body, tt.env); err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("want %q", tt.want)
			}
		})
	}
}

// TestLauncherDies: a run fails when the launcher is gone, and names it.
func TestLauncherDies(t *testing.T) {
	for _, launcher := range []string{hydraLauncher, openMPI} {
		t.Run(launcher, func(t *testing.T) {
			dir := t.TempDir()
			_, _ = launched(t, launcher, "orphan", "CLUSTER_TEST_OUT="+dir)
			for rank := range 4 {
				var out []byte
				for range 200 { // the launcher may end before the ranks
					if out, _ = os.ReadFile(fmt.Sprintf("%s/%d", dir, rank)); len(out) > 0 {
						break
					}
					time.Sleep(100 * time.Millisecond)
				}
				if !strings.Contains(string(out), "is gone: pmi: the launcher has closed the connection: it has ended, or ends the job") {
					t.Errorf("rank %d ends with %q", rank, out)
				}
			}
		})
	}
}

// TestLauncherNetwork: a network that Launched does not have is refused, and not replaced.
func TestLauncherNetwork(t *testing.T) {
	_, err := cluster.JoinLauncher(t.Context(), cluster.Place{Size: 1, LocalSize: 1}, cluster.Spec{Drivers: cluster.AllDrivers(), Net: cluster.SHM})
	if err == nil || err.Error() != `cluster: joining through the launcher: the network is "shm": want tcp, quic or ofi` {
		t.Error(err)
	}
}

// TestNoStore: a process whose launcher has no store gets an error that names the variable, and
// what to start it with.
func TestNoStore(t *testing.T) {
	for rank, p := range start(t, 2, "run", "", "FAGUS_JOIN=pmi", "PMI_FD=", "FAGUS_INSECURE=1") {
		const want = "cluster: joining through the launcher: pmi: the launcher has passed no connection to its key-value store: PMI_FD is not set: start the program with "
		if output, err := p.end(); err == nil || !strings.HasPrefix(output, want) {
			t.Errorf("rank %d: %v: %s", rank, err, output)
		}
	}
}
