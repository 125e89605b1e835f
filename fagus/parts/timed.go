package parts

import "github.com/fagus-dsm/fagus/fagus"

// Timed calls f on all ranks after a Barrier, and returns the time that f took on this rank,
// including the time in which it waited for other ranks. It is collective.
func Timed(n *fagus.Node, f func() error) (fagus.Time, error) {
	if err := n.Barrier(); err != nil {
		return 0, err
	}
	begin := n.Now()
	if err := f(); err != nil {
		return 0, err
	}
	return n.Now() - begin, nil
}
