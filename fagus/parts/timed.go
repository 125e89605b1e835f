package parts

import "github.com/fagus-dsm/fagus/fagus"

// Timed calls f on all ranks after a Barrier, and returns the time that f took on this rank,
// including the time in which it waited for other ranks. It is collective. It measures f by
// [fagus.Node.Measure].
func Timed(n *fagus.Node, f func() error) (fagus.Time, error) {
	if err := n.Barrier(); err != nil {
		return 0, err
	}
	took, err := n.Measure(f)
	if err != nil {
		return 0, err
	}
	return took, nil
}
