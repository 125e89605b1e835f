package fagus

// During acquires set, calls f and releases set, whatever f says. Errors are those of
// Acquire, of f, or of Release, in that order.
func (n *Node) During(set *SyncSet, f func() error) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	if err := f(); err != nil {
		if n.held == set { // else f has failed in a call, and the run with it
			_ = n.Release(set) // f's error says more
		}
		return err
	}
	return n.Release(set)
}
