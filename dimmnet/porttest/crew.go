package porttest

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// crew is the threads of a run.
type crew struct {
	over      atomic.Bool  // the run has returned, or been given up
	helpers   atomic.Int64 // that have started and not returned
	complaint atomic.Pointer[error]
}

// helpers is how many threads the tests start on a node beside the body.
const helpers = 3

// spawn starts helper i of this node, from 1. Each has a word of its own to settle
// by.
func (t *thread) spawn(i int, f func(*thread) error) {
	t.crew.helpers.Add(1)
	t.host.Go(helperName(i), func(h dimmnet.Host) (err error) {
		defer func() {
			if err != nil && strings.HasPrefix(err.Error(), "porttest:") {
				t.crew.complaint.CompareAndSwap(nil, &err)
			}
			t.crew.helpers.Add(-1)
		}()
		own := newThread(t.env, h, t.crew)
		own.self = flagThread + dimmnet.Offset(i*word)
		return f(own)
	})
}

func helperName(i int) string { return fmt.Sprintf("helper-%d", i) }

// end is what is wrong with a run that has returned err: that, or what its helpers
// have found, though the run may have failed before.
func (c *crew) end(err error) error {
	if complaint := c.complaint.Load(); complaint != nil {
		return *complaint
	}
	if n := c.helpers.Load(); n > 0 {
		return fmt.Errorf("porttest: Run has left %d threads behind: %v", n, err)
	}
	return err
}
