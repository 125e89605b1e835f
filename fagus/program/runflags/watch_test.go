package runflags

import (
	"io"
	"testing"
)

// A copy of the configuration and its target say what the run does; the name of the run stays.
func TestRunning(t *testing.T) {
	var cfg Config
	g := cfg.newWatch(io.Discard, "fagus", "the runs have not begun")
	said := func(want string) {
		t.Helper()
		if got := g.text(); got != want {
			t.Errorf("an overdue run says %q, want %q", got, want)
		}
	}
	said("the runs have not begun")
	of := cfg
	of.Running("D1-Fagus with n = 8")
	said("D1-Fagus with n = 8: the run has not ended")
	of.Doing("a rank has not returned")
	said("D1-Fagus with n = 8: a rank has not returned")
	cfg.Running("D1-Fagus2 with n = 8")
	said("D1-Fagus2 with n = 8: the run has not ended")
}
