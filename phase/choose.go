package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/agreement/pairs"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// Transfer selects how data go from rank to rank.
type Transfer uint8

// The choices of Transfer.
const (
	// Auto uses PUSH where the port has RDMA and bulk memory: for multicasts of at least
	// 512 guarded bytes (on live ports 256 KiB), and for all data where lists travel over a tree
	// (ListsAuto). Other ports use rings.
	Auto  Transfer = iota
	Rings          // only rings, one for every ordered pair of ranks
	Push           // PUSH for all data, rings for the lists
)

// String returns the name of t in command-line flags.
func (t Transfer) String() string {
	if names := [...]string{"auto", "rings", "push"}; int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("transfer %d", uint8(t))
}

// pushBytes is the threshold of Auto: a multicast whose variables guard at least so many bytes
// goes by PUSH. Fewer bytes arrive through rings before a grant would. BenchmarkTransfer in
// package fagus finds the two methods equal at about 230 bytes on the papers' machines, if all
// bytes are new. Often only some guarded bytes are new, so the threshold is about twice as high.
const pushBytes = 512

// livePushBytes is the threshold of Auto on live ports. There, a grant costs two more network
// latencies, and a slot costs almost nothing. For a hand-over of 64 KiB there and back,
// fagus bench --net tcp measures 137 us with --transfer rings and 290 us with --transfer push.
// For 256 KiB it measures 640 us with rings and 630 us with push.
const livePushBytes = 256 << 10

// Lists selects how the acquire lists of a phase reach all ranks.
type Lists uint8

// The choices of Lists.
const (
	// ListsAuto exchanges lists between all pairs with up to LiveRingNodes nodes on a live port,
	// and with up to simulatedRingNodes on a simulated one. With more, or where the LLCM does not
	// hold the rings, it uses a tree if data can go by PUSH.
	ListsAuto Lists = iota
	ListsAll        // between all pairs: the papers' protocol
	ListsTree       // over a tree, where phases that repeat need no lists; data go by PUSH
)

// String returns the name of l in command-line flags.
func (l Lists) String() string {
	if names := [...]string{"auto", "all", "tree"}; int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("lists %d", uint8(l))
}

// ringNodes is the largest number of nodes for which a live port has inline requests, and data by
// zero-copy, where lists go between all pairs.
const ringNodes = pairs.MaxNodes

// WholeBytes is the value of Config.Whole that the live networks use.
const WholeBytes = movement.WholeBytes

// LiveRingNodes is the largest number of nodes that exchange lists between all pairs on a live port
// if a tree is possible too. Milliseconds of fagus run PROGRAM --nodes N --lists all and --lists
// tree, stencil with --n 512, on two processors:
//
//	N                        8             16             32
//	shm stencil     11.2    8.5    23.9   12.6    41.9   15.4
//	shm cg         106.4  158.8   330.9  386.9  1259.3  475.2
//	tcp stencil     37.8   28.5   128.3   60.2   469.2  143.6
//	tcp cg        1653.7 2108.7  8503.3 5504.1
//	inproc stencil  10.4   16.3    49.6   11.0   102.0   24.4
const LiveRingNodes = 12

// simulatedRingNodes is the same limit on a port with a virtual clock. Milliseconds of fagus run
// PROGRAM --nodes N --lists all and --lists tree:
//
//	N                     8            16            32
//	p2p         48.6   49.1   57.1   44.0  104.5   66.7
//	conjugate   49.5   53.2  107.3   63.9  284.1   75.0
//	cg         177.7  162.6  222.2  156.0  643.5  189.8
//	kmeans     110.9  167.3  136.0  163.8  240.5  177.9
const simulatedRingNodes = 12

// choose chooses the method of m and the agreement of a run.
func choose(m *movement.Mover, cfg Config) (agreement.Protocol, error) {
	by, limits, nodes := cfg.Transfer, m.Port.Limits(), m.Port.Nodes()
	limits.LLCM -= cfg.Reserved
	able := movement.CanPush(limits)
	if err := cfg.check(limits, able); err != nil {
		return nil, err
	}
	tree := able && by != Rings && cfg.wantsTree(nodes)
	var words *pairs.Area
	if cfg.Live && !tree { // inline requests go between all pairs, not along a tree
		if area, ok := pairs.NewArea(&limits, nodes); ok {
			words = &area
		}
	}
	if words != nil && !cfg.Views {
		words.AddBlocks(&limits)
	}
	if port, ok := m.Port.(dimmnet.ZeroCopy); ok && cfg.Live && by == Auto && !cfg.Views && nodes <= ringNodes && !tree {
		if l, err := ringbuf.NewLayout(limits, nodes); err == nil {
			m.Layout = l
			m.UseZeroCopy(port)
			return agreeByPairs(m, cfg, words), nil
		}
	}
	if by == Rings || !able || by == Auto && cfg.Live && !tree && (cfg.Views || m.Space.IsOneCopy()) {
		return withoutPush(m, cfg, limits, able, words)
	}
	return withPush(m, cfg, limits, tree, words)
}

// check returns an error if a port with these limits cannot do what c asks for.
func (c *Config) check(limits dimmnet.Limits, able bool) error {
	switch by := c.Transfer; {
	case by == Push && c.Views:
		return fmt.Errorf("phase: transfer %v with Views: ranks that read each other's memory push nothing: use %v", by, Auto)
	case by > Push:
		return fmt.Errorf("phase: %v: want %v, %v or %v", by, Auto, Rings, Push)
	case by == Push && !able:
		return fmt.Errorf("phase: transfer by %v needs RDMA and bulk memory; this port has %d and %d bytes: use %v or %v",
			by, limits.RDMA, limits.Bulk, Auto, Rings)
	case c.Lists > ListsTree:
		return fmt.Errorf("phase: %v: want %v, %v or %v", c.Lists, ListsAuto, ListsAll, ListsTree)
	case c.Lists == ListsTree && (by == Rings || !able):
		return fmt.Errorf("phase: lists by %v need a port with RDMA and bulk memory, and no data in rings: use %v", ListsTree, ListsAuto)
	}
	return nil
}

// withoutPush lets data go through rings, or directly from the memory of other ranks.
func withoutPush(m *movement.Mover, cfg Config, limits dimmnet.Limits, able bool, words *pairs.Area) (_ agreement.Protocol, err error) {
	if m.Layout, err = ringbuf.NewLayout(limits, m.Port.Nodes()); err != nil {
		if able {
			err = fmt.Errorf("%w by %v alone: use %v or %v", err, Rings, Auto, Push)
		}
		return nil, err
	}
	switch {
	case !cfg.Views:
		m.UseRings()
	case words != nil:
		m.UseFetch(cfg.Whole, cfg.Help, words)
	default:
		m.UseFetch(cfg.Whole, false, nil)
	}
	return agreeByPairs(m, cfg, words), nil
}

// withPush lets data go by PUSH, and lists over a tree if tree is set or the LLCM has no space for
// rings between all pairs.
func withPush(m *movement.Mover, cfg Config, limits dimmnet.Limits, tree bool, words *pairs.Area) (_ agreement.Protocol, err error) {
	push := movement.PushConfig{Live: cfg.Live}
	if cfg.Views {
		push.Whole = cfg.Whole
	}
	// One word of each kind per peer is enough, unless a rank gets two multicasts from one
	// sender. With this share, 16 nodes of DIMMnet-1 still have slots of whole pages.
	below, nodes := limits, m.Port.Nodes()
	push.Words = movement.PlacePushWords(&below, 32, nodes)
	m.Layout, err = ringbuf.NewLayout(below, nodes)
	if err != nil && cfg.Lists == ListsAll {
		return nil, fmt.Errorf("%w with lists between all pairs: use lists by %v", err, ListsTree)
	}
	if tree || err != nil {
		return agreeByTree(m, cfg, limits, push)
	}
	if cfg.Transfer == Auto {
		push.Least = pushBytes
		if cfg.Live {
			push.Least = livePushBytes
		}
	}
	m.UsePush(push)
	return agreeByPairs(m, cfg, words), nil
}

// wantsTree reports whether lists travel over a tree even if the LLCM holds rings for all pairs.
func (c *Config) wantsTree(nodes int) bool {
	most := simulatedRingNodes
	if c.Live {
		most = LiveRingNodes
	}
	return c.Lists == ListsTree && nodes > 1 || c.Lists == ListsAuto && nodes > most && haveTree
}

// agreeByPairs lets all ranks send their lists to all others, by words if there are any.
func agreeByPairs(m *movement.Mover, cfg Config, words *pairs.Area) agreement.Protocol {
	by := pairs.Config{Observer: cfg.Observer, First: cfg.FirstVersion}
	if words == nil {
		return pairs.New(m, by)
	}
	return pairs.NewInline(m, by, *words, cfg.Polls)
}

// agreeByTree lets lists travel over a tree, and chooses push with its own words.
func agreeByTree(m *movement.Mover, cfg Config, limits dimmnet.Limits, push movement.PushConfig) (agreement.Protocol, error) {
	if cfg.Replica == nil {
		cfg.Replica = NewReplica()
	}
	if !haveTree {
		return nil, fmt.Errorf("phase: lists by %v: this program was built with the tag notree", ListsTree)
	}
	return cfg.Replica.agree(m, cfg, limits, push)
}

// Replica is the state that the engines of a process share where lists travel over a tree: the
// table, and conclusions from the same lists. Where lists go between pairs, engines ignore it.
type Replica interface {
	agree(m *movement.Mover, cfg Config, limits dimmnet.Limits, push movement.PushConfig) (agreement.Protocol, error)
}
