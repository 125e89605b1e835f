package collective

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Config configures a group. The zero value is useful.
type Config struct {
	// Turn, if not nil, is called when this rank is ready to post: before the post to its parent,
	// when all children's values are here, and before the posts to its children. A simulated
	// program charges the host's own work there (Host.Spend). A step that calls Turn makes
	// progress, so no skipped polling pass contains a call. Turn must not use port or group.
	Turn func()
}

// Group is one rank's part in the barriers and reductions of all ranks of a run. Only the thread
// of its port may use it.
type Group struct {
	port      dimmnet.Port
	cfg       Config
	tree      tree
	area      area
	barrier   barrier
	reduction reduction
	err       error // the first error; the group stays failed
}

// New returns the group of all ranks of p's run. It uses Bytes(p.Nodes()) bytes of every LLCM
// from base on, a multiple of 8. They must be zero, and only the group may write them. New posts
// nothing, so peers may call the group's methods before this rank has called New. It returns an
// error if the area does not fit, or if the port stores less than a word at once.
func New(p dimmnet.Port, base dimmnet.Offset, cfg Config) (*Group, error) {
	if limit := p.Limits().Store; limit < dimmnet.WordBytes {
		return nil, fmt.Errorf("collective: the port stores %d bytes at once, and a value needs %d", limit, dimmnet.WordBytes)
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

// turn is the stage that calls Config.Turn before a post.
func (g *Group) turn() (done, moved bool, err error) {
	if g.cfg.Turn != nil {
		g.cfg.Turn()
	}
	return true, true, nil
}

// checkCount reports whether a peer's entry shows the count due; it may show the previous count.
func checkCount[C uint8 | uint32 | uint64](from dimmnet.Rank, got, due C) (bool, error) {
	if got != due && got != due-1 {
		return false, fmt.Errorf("the word of rank %d has call number %d: want %d or %d; all ranks must make the same calls", from, got, due-1, due)
	}
	return got == due, nil
}
