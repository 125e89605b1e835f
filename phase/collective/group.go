package collective

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Config describes a group. The zero value is useful.
type Config struct {
	// Turn, if not nil, is called each time this rank has all that it waited for
	// and is about to pass it on: before it posts to its parent, for which a rank
	// without children waits for nothing, and before it posts to its children. A
	// simulated program charges there what the host's own work costs
	// (Host.Spend). The step that calls it makes progress, so no polling pass that
	// could be skipped contains it. It must not use the port or the group.
	Turn func()
}

// Group is one rank's part in the barriers and reductions of all ranks of a run.
// It belongs to the thread of its port.
type Group struct {
	port      dimmnet.Port
	cfg       Config
	tree      tree
	area      area
	barrier   barrier
	reduction reduction
	err       error // the first; the group stays failed
}

// New returns the group of all ranks of p's run. It uses Bytes(p.Nodes()) bytes
// at base, a multiple of 8, of every LLCM; they must be zero, and nobody else may
// ever write them. New posts nothing, so peers may be faster. It is an error if
// the area does not fit, or the port stores less than a word at once.
func New(p dimmnet.Port, base dimmnet.Offset, cfg Config) (*Group, error) {
	if limit := p.Limits().Store; limit < dimmnet.WordBytes {
		return nil, fmt.Errorf("collective: this port stores %d bytes at once, values need %d", limit, dimmnet.WordBytes)
	}
	area, err := newArea(base, p.Nodes(), p.Limits())
	if err != nil {
		return nil, err
	}
	g := &Group{port: p, cfg: cfg, tree: newTree(p.Rank(), p.Nodes()), area: area}
	g.barrier.init(g)
	g.reduction.init(g)
	return g, nil
}

// run takes this rank through one call.
func (g *Group) run(w *walk, call string, count uint64) error {
	if g.err != nil {
		return g.err
	}
	w.at = 0
	if err := dimmnet.Drive(g.port, w, w.done); err != nil {
		g.err = fmt.Errorf("collective: rank %d in %s %d: %w", g.port.Rank(), call, count, err)
	}
	return g.err
}

// turn is the stage before something is passed on.
func (g *Group) turn() (done, moved bool, err error) {
	if g.cfg.Turn != nil {
		g.cfg.Turn()
	}
	return true, true, nil
}

// landed says whether a peer's count is the one that is due. Until then the one
// before stands there.
func landed[C uint8 | uint32 | uint64](from dimmnet.Rank, got, due C) (bool, error) {
	if got != due && got != due-1 {
		return false, fmt.Errorf("rank %d sent count %d where %d is due", from, got, due)
	}
	return got == due, nil
}
