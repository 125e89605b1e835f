// Package event is the virtual time of a simulated run: the queue of events, the trace of what has
// happened, the random delays and the faults. It knows neither NICs nor threads.
//
//	var line event.Timeline
//	line.Schedule(at, kindLand, packet)
//	for line.Len() > 0 {
//		e := line.Pop()
//		line.Happened(e.At)
//		... // what e.Kind says, to what e.Ref names
//	}
//
// The queue is ordered by time. At the same time, packets come before threads; packets are ordered
// by insertion, threads by rank. So the same program, number of nodes, preset and seed give the
// same trace hash.
//
// Nothing runs by itself here: package host takes the events, in the loop in which it also resumes
// its threads, and hands those of the network to package network.
package event
