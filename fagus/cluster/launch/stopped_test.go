//go:build linux

package launch_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// TestStoppedRank checks that a job ends though a rank is stopped that nobody waits for, and that a
// rank which goes on in time is left alone. Here and on a host, the launcher names the rank.
func TestStoppedRank(t *testing.T) {
	for _, hosts := range []bool{false, true} {
		t.Run(map[bool]string{false: "here", true: "hosts"}[hosts], func(t *testing.T) {
			t.Parallel()
			const script = `case $FAGUS_RANK in 0) (sleep 1; kill -CONT $$) & kill -STOP $$; echo goes on; sleep 1;; 1) kill -STOP $$;; esac`
			job, out := onHosts(t, 2, "a,b", script)
			job.Stall = 3 * time.Second
			run := job.Job.Run
			if hosts {
				run = job.Run
			}
			err := run(t.Context())
			var exit *launch.ExitError
			if !errors.As(err, &exit) || exit.Rank != 1 || !strings.Contains(err.Error(), "it is stopped for 5 s (pid ") || !strings.Contains(out.String(), "goes on") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
