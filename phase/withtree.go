//go:build !notree

package phase

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/agreement/tree"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// haveTree says that lists can travel over a tree.
const haveTree = true

// NewReplica returns the Replica of a process.
func NewReplica() Replica { return new(replica) }

type replica struct{ tree.Replica }

// agree lets the lists of a rank travel over a tree. The lines and the words are taken from limits.
func (r *replica) agree(m *movement.Mover, cfg Config, limits dimmnet.Limits, push movement.PushConfig) (_ agreement.Protocol, err error) {
	over := tree.Of(m.Port.Nodes())
	lines := tree.PlaceLines(&limits)
	push.Words, push.Repeats = movement.PlacePushWords(&limits, 4, 0), true
	if m.Layout, err = ringbuf.NewTreeLayout(limits, over); err != nil {
		return nil, err
	}
	m.UsePush(push)
	return tree.New(m, tree.Config{
		Observer: cfg.Observer, First: cfg.FirstVersion,
		Lines: lines, Virtual: cfg.Charge != nil && !cfg.Live, Replica: &r.Replica,
	}), nil
}
