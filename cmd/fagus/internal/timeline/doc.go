// Package timeline draws the activity of every rank of a simulated run over time.
//
//	err := timeline.Save("phases.svg", nodes, trace)
package timeline
