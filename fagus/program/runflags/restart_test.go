//go:build unix

package runflags

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// TestRefusedScale: a request to scale that is refused has no effect, and one that is accepted
// between two attempts does not stop the ranks of the next one.
func TestRefusedScale(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // for macOS
	pass := make(chan os.Signal, 2)
	var job launch.Job
	defer scalable(&job, pass)()
	pass <- syscall.SIGQUIT
	pass <- syscall.SIGTERM
	if err := launch.Scale(os.Getpid(), 3); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("error %v, though the ranks do not get a signal", err)
	}
	if ranks := job.Resize(); ranks != 0 {
		t.Errorf("refused, and the job goes on with %d ranks", ranks)
	}
	<-pass
	if err := launch.Scale(os.Getpid(), 3); err != nil {
		t.Error(err)
	}
	if ranks := job.Resize(); ranks != 3 || job.Resize() != 0 {
		t.Errorf("the job goes on with %d ranks: want 3, once", ranks)
	}
	if len(pass) != 1 || <-pass != syscall.SIGTERM {
		t.Error("the next ranks get other signals than SIGTERM, which has come before")
	}
}
