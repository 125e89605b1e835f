//go:build linux

package launch_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// throughShell makes a shell, which runs a script on host b first, reach the hosts of a job.
func throughShell(job *launch.Hosts, script string) {
	job.Rsh = []string{"sh", "-c", "case $0 in b) " + script + ";; esac; \"$@\"", "%h"}
}

// TestSilentHost checks that a host whose command hangs or prints text is named, and that nothing
// of its command is left. Text is noticed at once.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("84%d", os.Getpid())
	const silent, talks = "launch: host b: its agent has not reported in 1 s: try it by hand: sh -c", "launch: host b: reading the output of its agent (does a login shell print text?"
	for script, want := range map[string]string{
		"sleep " + mark:           silent,
		"exec >&-; sleep " + mark: talks,
		"yes >&2":                 silent,
		"yes; sleep " + mark:      talks,
		"yes '' | head -c 9999999; sleep " + mark: talks,
		"yes | head -c 200000":                    talks,
		"echo '{}'; sleep " + mark:                talks,
		"echo Welcome; sleep " + mark:             talks,
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			job, _ := onHosts(t, 2, "a,b", "true")
			job.Stderr = new(counter)
			throughShell(job, script)
			if job.Answer = time.Second; want == talks {
				job.Answer = time.Minute
			}
			// The output of exec ends, but text is no reason to wait.
			if !strings.HasPrefix(script, "exec") {
				job.Grace = time.Minute
			}
			err := job.Run(t.Context())
			if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v, want %s", script, err, want)
			}
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("%s: took %v", script, took)
			}
		})
	}
	t.Cleanup(func() { gone(t, mark) }) // after the subtests
}

// counter is a writer that keeps nothing.
type counter struct{ bytes int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

// TestAgentStopped checks that a stopped agent is named, and its ranks are ended.
func TestAgentStopped(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("83%d", os.Getpid())
	job, out := onHosts(t, 2, "a,b", `[ $FAGUS_RANK = 0 ] || { sleep 0.5; kill -STOP $PPID; }; sleep `+mark)
	job.Spec.Stall = time.Second
	const want = "launch: host b: its agent shows no sign of life for 3 s"
	if err := job.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s: %s", err, want, out)
	}
	gone(t, mark)
}

// slow is a writer that takes its time, once.
type slow struct {
	bytes.Buffer
	pause time.Duration
}

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(s.pause)
	s.pause = 0
	return s.Buffer.Write(p)
}

// TestQuietRanks checks that an agent lives though its ranks print nothing, and though nobody reads
// what they print.
func TestQuietRanks(t *testing.T) {
	t.Parallel()
	job, _ := onHosts(t, 2, "a,b", `[ $FAGUS_RANK = 0 ] || echo starts; sleep 4; echo ends`)
	job.Spec.Stall = 3 * time.Second
	out := &slow{pause: 4 * time.Second}
	job.Stdout = out
	if err := job.Run(t.Context()); err != nil || strings.Count(out.String(), "ends") != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestHostStays checks that a job ends though the command of a host stays, or leaves a process that
// keeps its output open, and though a rank fails meanwhile.
func TestHostStays(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("82%d", os.Getpid())
	for i, stays := range []string{"sleep " + mark, "setsid sleep 30 >/dev/null & exit 0", "setsid sleep 30 2>/dev/null & exit 0"} {
		for code := range 2 {
			t.Run(fmt.Sprint(i, code), func(t *testing.T) {
				t.Parallel()
				begun := time.Now()
				job, out := onHosts(t, 2, "a,b", fmt.Sprintf("[ $FAGUS_RANK = 0 ] || exit %d", code))
				job.Rsh = []string{"sh", "-c", "trap '' TERM INT; \"$@\"; [ $0 = a ] || { " + stays + "; }", "%h"}
				err := job.Run(t.Context())
				var exit *launch.ExitError
				if code == 0 && err != nil || code > 0 && (!errors.As(err, &exit) || exit.Rank != 1) {
					t.Errorf("%s: %v: %s", stays, err, out)
				}
				if took := time.Since(begun); took > 20*time.Second {
					t.Errorf("%s: took %v", stays, took)
				}
			})
		}
	}
	t.Cleanup(func() { gone(t, mark) }) // after the subtests
}
