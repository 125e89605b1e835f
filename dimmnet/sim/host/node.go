package host

import "github.com/fagus-dsm/fagus/dimmnet/sim/network"

// node is one host: its CPUs and threads, and its end of the network.
type node struct {
	net     *network.Node
	past    past       // what its thread still sees
	coupled bool       // it has users, pauses or several threads: none looks ahead
	notice  sleepEvent // set by notices
	notices uint64     // number of notices that have come
	pauses  []pause    // in order

	scheduler
	stack // used on a UDP network only
}

type scheduler struct {
	threads  []*Thread // all threads of the node
	cpus     int       // CPUs that no thread has
	ready    []*Thread // threads that wait for a CPU, in order
	idle     []*Thread // idling threads
	sleepers []*Thread // threads that sleep in Sleep, on a UDP network
}
