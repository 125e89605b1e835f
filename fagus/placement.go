package fagus

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase"
)

// Placement says where the copies of an array are.
type Placement uint8

// The placements.
const (
	// PlaceAuto is PlaceShared in mode Phase on a network of processes of one host, unless
	// Config.Check or Config.History is set; else PlacePrivate.
	PlaceAuto Placement = iota
	// PlacePrivate gives every rank a copy of its own.
	PlacePrivate
	// PlaceShared is one copy for all ranks: an Acquire moves no bytes. Entry consistency allows
	// it, since nobody may look at what it does not hold. What an Update has brought may be
	// read until the rank's next collective call in mode Phase, and not at all in mode
	// Threaded: then another rank may write it.
	PlaceShared
)

// String is the name as a flag has it.
func (p Placement) String() string {
	switch p {
	case PlaceAuto:
		return "auto"
	case PlacePrivate:
		return "private"
	case PlaceShared:
		return "shared"
	}
	return fmt.Sprintf("placement %d", uint8(p))
}

// oneCopy says whether all ranks have one copy of every array.
func oneCopy(h dimmnet.Host, cfg Config) (bool, error) {
	s, able := h.(dimmnet.Sharer)
	switch cfg.Placement {
	case PlaceShared:
		if !able {
			return false, fmt.Errorf("fagus: placement %v: on this network ranks cannot have the same memory: use %v", PlaceShared, PlacePrivate)
		}
		return true, nil
	case PlaceAuto:
		return able && s.Sharing() && cfg.Mode == Phase && cfg.Check == CheckOff && cfg.History == nil, nil
	}
	return false, nil
}

// reads says whether ranks read what they need from the arrays of others, which takes
// one copy, straight to its place. An array that Config.Check guards is not to be read; one
// whose pages the kernel is to watch is not to lie in memory that ranks share.
func reads(h dimmnet.Host, cfg Config) bool {
	_, able := h.(dimmnet.Viewer)
	return able && cfg.Mode == Phase && cfg.Transfer == phase.Auto && cfg.Check == CheckOff && cfg.WriteDetection != DetectKernel
}
