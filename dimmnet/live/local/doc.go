// Package local is the common part of the networks that use the wall clock. It keeps threads,
// failures and counters. For networks whose ranks share memory (inproc, shm) it also performs the
// posts. It does not wait: each network wakes sleepers in its own way. On every live network a
// [Ladder] says how long a waiting thread polls before it sleeps, and whether it yields.
//
// A network embeds a [Run] in its run type and a [Thread] in its port type, and adds the wake-ups:
//
//	func (p *port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
//		if !p.Thread.Store(dst, off, v, size) {
//			return false
//		}
//		p.run.arrive(&p.run.nodes[dst]) // wakes the threads of dst
//		return true
//	}
//
// A network over connections (stream) embeds only a [Host].
//
// [CalmMonitor] and [Foreground] prepare the threads of a process that is a rank.
package local
