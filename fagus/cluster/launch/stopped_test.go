//go:build linux

package launch_test

import (
	"errors"
	"os"
	"path/filepath"
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
			job.Spec.Stall = 3 * time.Second
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

// TestSuspend stops all ranks, with what they have started, by the signal of a terminal, for longer
// than Stall. They must go on afterwards, here and on hosts.
func TestSuspend(t *testing.T) {
	for _, hosts := range []bool{false, true} {
		t.Run(map[bool]string{false: "here", true: "hosts"}[hosts], func(t *testing.T) {
			t.Parallel()
			job, out := onHosts(t, 2, "a,b", `sh -c 'while [ ! -e "$0" ]; do echo runs; sleep 0.01; done' "$GO"; echo goes on`)
			end := filepath.Join(t.TempDir(), "end")
			job.Env = append(job.Env, "GO="+end)
			signals, running := make(chan os.Signal, 1), make(chan struct{})
			job.Signals, job.Spec.Stall = signals, 3*time.Second
			job.Stdout = &watcher{to: out, what: "runs", left: 10, seen: running}
			go func() {
				<-running
				signals <- launch.Suspend
			}()
			suspended := 0
			job.Suspend = func() {
				suspended++
				quiet := 0
				for said := -1; quiet < 60; time.Sleep(100 * time.Millisecond) { // 6 s
					if now := len(out.String()); now != said {
						said, quiet = now, 0
						continue
					}
					quiet++
				}
				if err := os.WriteFile(end, nil, 0o666); err != nil {
					t.Error(err)
				}
			}
			run := job.Job.Run
			if hosts {
				run = job.Run
			}
			if err := run(t.Context()); err != nil || suspended != 1 || strings.Count(out.String(), "goes on") != 2 {
				t.Errorf("%v, suspended %d times: %.300s", err, suspended, out)
			}
		})
	}
}
