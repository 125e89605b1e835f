//go:build unix

package pmi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// rankBody is the environment variable that makes this test binary a rank.
const rankBody = "PMI_TEST_BODY"

// rankMain is the main function of a rank of a real launcher. It returns the exit status.
func rankMain() int {
	err := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		c, err := Open(ctx, os.LookupEnv)
		if err != nil {
			return err
		}
		how := "PMIx"
		if w, ok := c.server.(*wire); ok {
			how = fmt.Sprintf("frames %v, values of %d bytes", w.store.frames, w.store.value)
		}
		fmt.Printf("rank %d of %d: %s, job %s\n", c.rank, c.size, how, c.job)
		return c.exchangeAll(ctx)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestLaunchers exchanges bytes between ranks of real launchers.
func TestLaunchers(t *testing.T) {
	longtest.Third(t)
	if testing.Short() {
		t.Skip("Slurm takes some seconds")
	}
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"mpiexec.mpich", "-n", "4"}, "rank 3 of 4: frames false, values of "},
		{[]string{"flux", "start", "flux", "run", "-n", "4"}, "rank 3 of 4: frames false, values of "},
		{[]string{"../../../.ci/slurm-test", "--mpi=pmi2"}, "rank 3 of 4: frames true, values of 1023 bytes, job "},
		// Without PMI_JOBID a rank asks for PMI-1, which Slurm's plugin speaks, too.
		{[]string{"../../../.ci/slurm-test", "--mpi=pmi2", "env", "-u", "PMI_JOBID"}, "rank 3 of 4: frames false, values of "},
		{[]string{"mpirun.openmpi", "--oversubscribe", "-n", "4"}, "rank 3 of 4: PMIx, job "},
		{[]string{"../../../.ci/slurm-test", "--mpi=pmix"}, "rank 3 of 4: PMIx, job slurm.pmix."},
	} {
		t.Run(filepath.Base(tt.words[0]), func(t *testing.T) {
			if _, err := exec.LookPath(tt.words[0]); err != nil {
				t.Skip(err)
			}
			if !HasPMIx() && strings.Contains(tt.want, "PMIx") {
				t.Skip(ErrUnavailable)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, tt.words[0], append(tt.words[1:], os.Args[0])...)
			cmd.Env = append(os.Environ(), rankBody+"=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
			// SIGTERM, not SIGKILL, so that the launcher can end its processes.
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
			cmd.WaitDelay = 20 * time.Second
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == 77 {
				t.Skipf("%s", out)
			}
			if err != nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v: %s: want %q", err, out, tt.want)
			}
			t.Logf("%s", out)
		})
	}
}
