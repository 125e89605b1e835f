package porttest

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
)

type crew struct {
	over      atomic.Bool  // the run has returned, or was given up
	helpers   atomic.Int64 // helpers that have started and not returned
	complaint atomic.Pointer[error]
}

// helpers is the number of threads that a test starts on a node besides the body.
const helpers = 3

// spawn starts helper i of this node, counted from 1. Each helper has its own word for settle.
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

// end returns the first failure that a helper found; without one, the err that the run returned.
func (c *crew) end(err error) error {
	if complaint := c.complaint.Load(); complaint != nil {
		return *complaint
	}
	if n := c.helpers.Load(); n > 0 {
		return fmt.Errorf("porttest: Run returned %v, but %d threads still run", err, n)
	}
	return err
}
