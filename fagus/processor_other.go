//go:build !linux

package fagus

// processorTime returns zeros: only Linux says for how long threads have waited for a processor.
func processorTime() ProcessorTime { return ProcessorTime{} }
