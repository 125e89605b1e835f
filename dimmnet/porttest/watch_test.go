package porttest

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// counting is a Stepper that numbers its Steps from 0.
type counting struct {
	step func(n int) (progress bool)
	n    int
}

func (c *counting) Step() (bool, error) {
	c.n++
	return c.step(c.n - 1), nil
}

// watch drives step 20 times, and returns the failures that were reported and the number of
// compared passes.
func watch(t *testing.T, step func(w *Watched, n int) (progress bool)) (failures []string, compared int) {
	t.Helper()
	alone(t, Restless(0, 1), func(p dimmnet.Port) error {
		w := Watch(p, func(what string) { failures = append(failures, what) })
		c := &counting{step: func(n int) bool { return step(w, n) }}
		err := dimmnet.Drive(w, c, func() bool { return c.n == 20 })
		compared = w.Compared
		return err
	})
	return failures, compared
}

// TestWatchAccepts drives steps that keep the rules.
func TestWatchAccepts(t *testing.T) {
	for name, c := range map[string]struct {
		step     func(w *Watched, n int) bool
		compared int
	}{
		"the same reads":            {func(w *Watched, _ int) bool { w.Load(0); w.Read(make([]byte, 2), 8); return false }, 19},
		"progress by a post":        {func(w *Watched, _ int) bool { w.Load(0); return w.Store(0, 0, 1, 1) }, 0},
		"progress that is reported": {func(w *Watched, _ int) bool { w.Changed(); return true }, 0},
		"progress within":           {func(w *Watched, n int) bool { w.Load(0); return n%2 == 0 }, 0},
		"arrivals": {func(w *Watched, n int) bool {
			w.Load(dimmnet.Offset(n * word))
			w.Port.Store(0, 0, 1, 1) // as a peer would
			return false
		}, 0},
	} {
		if failures, compared := watch(t, c.step); failures != nil || compared != c.compared {
			t.Errorf("%s: %d compared, want %d, and %q", name, compared, c.compared, failures)
		}
	}
}

// TestWatchCatches drives steps that break the rules.
func TestWatchCatches(t *testing.T) {
	const changed = "a step without progress changed 1 things"
	type test struct {
		step func(w *Watched, n int) bool
		want string
	}
	tests := map[string]test{
		"reads other words":         {func(w *Watched, n int) bool { w.Load(dimmnet.Offset(n % 2 * word)); return false }, "one step read"},
		"reads more bytes":          {func(w *Watched, n int) bool { w.Read(make([]byte, 1+n%2), 0); return false }, "one step read"},
		"progress without a change": {func(w *Watched, _ int) bool { w.Load(0); return true }, "two steps with progress"},
		"reports a change":          {func(w *Watched, _ int) bool { w.Changed(); return false }, changed},
		"flips":                     {func(w *Watched, _ int) bool { w.Flip(); return false }, changed},
		"fills": {func(w *Watched, _ int) bool {
			w.Fill(dimmnet.Offset(w.Limits().LLCM), []byte{1})
			return false
		}, changed},
	}
	for name, post := range postOwn() {
		tests[name] = test{func(w *Watched, _ int) bool { return !post(w) }, changed}
	}
	for name, c := range tests {
		failures, _ := watch(t, c.step)
		if len(failures) == 0 || !strings.HasPrefix(failures[0], c.want) {
			t.Errorf("%s: %q, want %q", name, failures, c.want)
		}
	}
}
