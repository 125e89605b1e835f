package host

// A call that only reads the thread's own node need not wait for all events before the thread's
// clock (Sync), but only for those that can change what it reads. The node knows when the packets
// that are on their way to it can land (expected), and a packet that has not left yet needs at
// least the flight over one link. So a thread reads its LLCM ahead of other threads, and it is
// suspended less often: a polling pass of many Loads is a few events. All that the thread reads,
// its clock and its counters are as if it had waited.

// Observe is Sync for a call that only reads or changes what the events of other nodes leave alone,
// unless they are expected.
func (th *Thread) Observe() {
	if th.Ahead() {
		th.looked()
	} else {
		th.Sync()
	}
}

// Ahead reports whether no event up to the thread's clock can change what the thread reads.
func (th *Thread) Ahead() bool {
	return !th.node.coupled && th.node.net.Settled(th.now)
}

// looked counts a call that did not wait.
func (th *Thread) looked() {
	th.catchUp()
	th.k.countCall(th.now)
	th.k.line.Accessed(th.now)
}
