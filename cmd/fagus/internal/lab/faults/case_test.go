//go:build linux

package faults

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// TestCases checks that the cases of 2000 seeds try every way of lists on every network, in both
// modes and with few and many ranks, and none that excludes another flag.
func TestCases(t *testing.T) {
	type way struct {
		network, mode, lists string
		many                 bool
	}
	drawn := map[way]int{}
	for seed := range uint64(2000) {
		c := newCase(seed, liveNetworks(), troubles(), []string{"auto", "twin"})
		value := func(flag string) string {
			if i := slices.Index(c.args, flag); i >= 0 {
				return c.args[i+1]
			}
			return ""
		}
		w := way{c.network, value("--mode"), value("--lists"), c.ranks >= manyRanks}
		drawn[w]++
		if w.lists == "tree" && w.mode == "phase" && value("--transfer") == "rings" {
			t.Errorf("%v: data in rings exclude lists over a tree", &c)
		}
		if c.ranks < 2 || c.ranks > moreRanks || c.trouble.hosts && c.ranks > mostHosts && !w.many {
			t.Errorf("%v: so many ranks", &c)
		}
	}
	for _, network := range []string{runflags.SHM, runflags.TCP, runflags.QUIC, runflags.Inproc} {
		for _, mode := range []string{"phase", "threaded"} {
			for _, lists := range []string{"auto", "all", "tree"} {
				for _, many := range []bool{false, true} {
					if w := (way{network, mode, lists, many}); drawn[w] == 0 {
						t.Errorf("no case is %+v", w)
					}
				}
			}
		}
	}
}
