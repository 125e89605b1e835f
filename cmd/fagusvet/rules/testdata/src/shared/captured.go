package shared

import "github.com/fagus-dsm/fagus/fagus"

func capturedSlices(n *fagus.Node, x, y *fagus.Guarded[int64]) {
	from, to := x.Slice(), y.Slice()[2:]
	n.Set(x.Read(), y.Write()).Do(func() {
		for i := range to {
			to[i] = from[i]
		}
		from[0] = 0 // want `shared: an element of x is written, but the set that line 7 acquires`
		func() { to[0] = from[0] }()
	})
	all := x.Slice()
	n.Set(x.Read()).Do(func() { clear(all) }) // want `an element of x is written`
	n.Set(x.Write()).Do(func() { clear(all) })
}
