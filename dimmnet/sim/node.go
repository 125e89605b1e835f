package sim

import "github.com/fagus-dsm/fagus/dimmnet"

// node is one host: the memory that peers write to, CPUs and threads, and a nic or a stack.
type node struct {
	memory   llcm                     // the LLCM
	expected expected                 // what can land, or become free
	past     past                     // what its thread still sees
	coupled  bool                     // it has users, pauses or several threads: none looks ahead
	arrivals dimmnet.Mark             // counts writes to memory and resources that became free
	cables   cables                   // to the Ethernet switch
	notice   sleepEvent               // set by notices
	notices  uint64                   // number of notices that have come
	pauses   []pause                  // in order
	flights  map[dimmnet.Rank]*flight // by destination; used only with random delays

	scheduler
	nic   // unused on a UDP network
	stack // used on a UDP network only
}

type scheduler struct {
	threads  []*thread // all threads of the node
	cpus     int       // CPUs that no thread has
	ready    []*thread // threads that wait for a CPU, in order
	idle     []*thread // idling threads
	sleepers []*thread // threads that sleep in Idle, on a UDP network
}

// flight keeps the packets from one node to another in order under random delays.
type flight struct {
	count uint64
	last  dimmnet.Time
}

// randomDelay returns a stream's delay number index, at most limit: half are 0, most others small.
func randomDelay(seed, stream, index uint64, limit dimmnet.Time) dimmnet.Time {
	x := mix(mix(seed^mix(stream)) + index)
	if x&1 == 0 {
		return 0
	}
	u := float64(x>>11) / (1 << 53)
	return dimmnet.Time(u * u * u * float64(limit))
}

// mix is the finisher of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
