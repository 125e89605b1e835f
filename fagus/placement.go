package fagus

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase"
)

// Placement says where the copies of arrays are: in private memory of each rank, or in
// memory that all ranks share.
type Placement uint8

// The placements.
const (
	// PlaceAuto is PlaceShared on a network of processes of one host, unless Config.Check or
	// Config.Record is set, in Phase mode Config.History, or in Threaded mode Config.Helpers.
	// Otherwise it is PlacePrivate, but goroutines that run generated functions (package region)
	// work on the caller's slices.
	PlaceAuto Placement = iota
	// PlacePrivate gives every rank its own copy of every array.
	PlacePrivate
	// PlaceShared keeps one copy of every array for all ranks, so an Acquire moves no bytes. Entry
	// consistency permits one copy, because a rank accesses only data that it holds. Data that an
	// Update has refreshed may be read until the rank's next call of Acquire, Update, Barrier,
	// Fence or Reduce: no rank is granted them for writing before. Only the helper threads of
	// Threaded mode (Config.Helpers) do not wait for that call; with them, data that the rank does
	// not hold may not be read.
	PlaceShared
)

// String returns the placement as flags spell it: "auto", "private" or "shared".
func (p Placement) String() string { return nameOf(p, "placement", "auto", "private", "shared") }

// OneCopy reports whether all ranks work on one copy of each array (PlaceShared).
func (n *Node) OneCopy() bool { return n.space.IsOneCopy() }

func oneCopy(h dimmnet.Host, cfg Config) (bool, error) {
	switch cfg.Placement {
	case PlaceShared:
		if _, able := h.(dimmnet.Sharer); !able {
			return false, fmt.Errorf("fagus: placement %v: ranks on this network cannot share memory: use %v", PlaceShared, PlacePrivate)
		}
		return true, nil
	case PlaceAuto:
		locks := cfg.Mode == Threaded && !cfg.helpers()
		phases := cfg.Mode == Phase && cfg.History == nil
		return isProcess(h) && cfg.Check == CheckOff && cfg.Record == nil && (locks || phases), nil
	}
	return false, nil
}

// readsViews reports whether ranks read directly from the arrays of other ranks, so that data are
// copied only once. Direct reads are impossible if write detection relies on the kernel, which
// cannot watch memory that ranks share, or if Config.Check cannot map the memory a second time.
// Phases read directly only in runs of processes: goroutines mostly test how data are sent.
func readsViews(h dimmnet.Host, cfg Config) bool {
	v, able := h.(dimmnet.Viewer)
	if cfg.Mode == Threaded {
		able = able && !cfg.helpers()
	} else {
		able = able && cfg.Transfer == phase.Auto && isProcess(h)
	}
	return able && (cfg.Check == CheckOff || v.Mapped()) && cfg.WriteDetection != DetectKernel
}

// isProcess reports whether each rank is a process, and all can share memory.
func isProcess(h dimmnet.Host) bool {
	s, able := h.(dimmnet.Sharer)
	return able && s.Sharing()
}
