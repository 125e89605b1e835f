package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// checkDeclarations compares the declarations of all ranks with the declarations of this rank. It
// skips ranks that have made more: this rank compares with them when it has made as many.
func (e *Engine) checkDeclarations() error {
	e.same = true
	if e.agreed == nil {
		e.agreed = make([]uint32, len(e.lists))
	}
	for i := range e.lists {
		r, l := dimmnet.Rank(i), &e.lists[i]
		if r == e.rank {
			continue
		}
		e.same = e.same && l.Declared == uint32(e.space.Declared())
		if l.Declared > uint32(e.space.Declared()) {
			continue
		}
		if err := e.space.CheckSame(e.rank, r, e.agreed[r], l.Declared, l.Digest); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
		e.agreed[r] = l.Declared
	}
	return nil
}

// checkDeclaredAll returns an error if ranks in the same call differ in their declarations.
func (e *Engine) checkDeclaredAll() error {
	for r := range e.lists {
		if err := e.space.CheckCount(e.rank, dimmnet.Rank(r), e.lists[r].Declared); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
	}
	return nil
}
