// Package timeline draws the activity of every rank of a run over time.
//
//	err := timeline.Save("phases.svg", report.Clock, report.Ranks)
package timeline
