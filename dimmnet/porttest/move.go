package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// move is a Push of n bytes to the next rank, or a Pull from the previous rank. Either way, the n
// bytes at to afterwards are those that the previous rank has at from.
type move struct {
	pull     bool
	from, to dimmnet.Offset
	n        int
	done     dimmnet.Offset
	near     memory // range of memory to check for bytes that should not have changed
}

// String describes the move in error messages.
func (m move) String() string {
	method := "a Push"
	if m.pull {
		method = "a Pull"
	}
	return fmt.Sprintf("%s of %d bytes from offset %d to %d", method, m.n, m.from, m.to)
}

// startMoves posts moves, and returns a function that waits until all are done.
func (t *thread) startMoves(moves ...move) (wait func() error, err error) {
	for _, m := range moves {
		// Set all bits of the word at done, to check that all 8 bytes are overwritten.
		if err := t.storeWord(t.me, m.done, ^uint64(0)); err != nil {
			return nil, err
		}
	}
	if err := t.settle(); err != nil {
		return nil, err
	}
	for _, m := range moves {
		err := t.post(func() bool {
			if m.pull {
				return t.Pull(t.prev, m.from, m.to, m.n, m.done)
			}
			return t.Push(t.next, m.from, m.to, m.n, m.done)
		})
		if err != nil {
			return nil, err
		}
	}
	return func() error {
		for _, m := range moves {
			if err := t.awaitWord(m.done, uint64(m.n)); err != nil {
				return fmt.Errorf("porttest: %v: %w", m, err)
			}
		}
		return nil
	}, nil
}

// stage writes p to this node's LLCM and returns when it has landed.
func (t *thread) stage(off dimmnet.Offset, p []byte) error {
	if err := t.write(t.me, off, p); err != nil {
		return err
	}
	return t.settle()
}
