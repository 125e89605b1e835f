package network

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// follow follows the path of a packet and returns the ports by which it leaves switches.
func follow(t *testing.T, f *fabric, src, dst dimmnet.Rank) (ports []int) {
	t.Helper()
	level, down := 0, false
	for hops := 0; level >= 0; hops++ {
		if hops > 2*len(f.reach) {
			t.Fatalf("path from %d to %d: no end after %d switches", src, dst, hops)
		}
		out := f.route(src, dst, level, down)
		if out.port < 0 || out.port >= len(f.free) {
			t.Fatalf("path from %d to %d: port %d of a fabric of %d ports", src, dst, out.port, len(f.free))
		}
		ports = append(ports, out.port)
		level, down = out.level, out.down
	}
	return ports
}

// TestFatTreeWiring checks that the last port of a path leads to its receiver only, that a
// port always leads to the same switch, and that the longest path climbs to the top.
func TestFatTreeWiring(t *testing.T) {
	for _, test := range []struct{ nodes, ports, levels int }{
		{3, 8, 1}, {8, 8, 1}, {9, 8, 2}, {32, 8, 2}, {33, 8, 3}, {128, 8, 3}, {200, 8, 4}, {16, 16, 1}, {300, 16, 3},
	} {
		f := newFabric(test.nodes, test.ports)
		if len(f.reach) != test.levels {
			t.Errorf("%d nodes: %d levels, want %d", test.nodes, len(f.reach), test.levels)
		}
		p := presets.Preset{Switch: presets.Switch{Ports: test.ports}}
		if got := p.SwitchLevels(test.nodes); got != test.levels {
			t.Errorf("%d nodes: SwitchLevels returns %d, want %d", test.nodes, got, test.levels)
		}
		hostPort := make(map[int]dimmnet.Rank)
		behind := make(map[int]int)    // by port: the switch that it leads to
		joined := make(map[[2]int]int) // by two switches: the first port that joins them
		longest := 0
		for src := range dimmnet.Rank(test.nodes) {
			for dst := range dimmnet.Rank(test.nodes) {
				if src == dst {
					continue
				}
				ports := follow(t, f, src, dst)
				longest = max(longest, len(ports))
				last := len(ports) - 1
				if r, ok := hostPort[ports[last]]; ok && r != dst {
					t.Fatalf("%d nodes: port %d leads to ranks %d and %d", test.nodes, ports[last], r, dst)
				}
				hostPort[ports[last]] = dst
				for i, p := range ports[:last] {
					next := ports[i+1] / f.ports
					if s, ok := behind[p]; ok && s != next {
						t.Fatalf("%d nodes: port %d leads to switches %d and %d", test.nodes, p, s, next)
					}
					behind[p] = next
					if q, ok := joined[[2]int{p / f.ports, next}]; ok && q != p {
						t.Fatalf("%d nodes: ports %d and %d lead to switch %d", test.nodes, p, q, next)
					}
					joined[[2]int{p / f.ports, next}] = p
				}
			}
		}
		if want := 2*test.levels - 1; longest != want {
			t.Errorf("%d nodes: the longest path has %d switches, want %d", test.nodes, longest, want)
		}
	}
}
