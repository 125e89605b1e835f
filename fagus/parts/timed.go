package parts

import "github.com/fagus-dsm/fagus/fagus"

// Timed calls f at all ranks at once, after a Barrier, and returns how long it took this rank, waiting
// included. It is collective.
func Timed(n *fagus.Node, f func() error) (fagus.Time, error) {
	if err := n.Barrier(); err != nil {
		return 0, err
	}
	stats := n.Stats()
	begin := stats.Total()
	if err := f(); err != nil {
		return 0, err
	}
	stats = n.Stats()
	return stats.Total() - begin, nil
}
