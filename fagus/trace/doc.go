// Package trace records what the ranks of a run do when. Package tracefile writes the result as a
// file, and reads it.
//
//	t := trace.New()
//	_, err := fagus.Run(ctx, fagus.Config{Trace: t}, program)
//	err = tracefile.Write(file, t) // also after a run that has failed
//
// # What is recorded
//
// Each rank records its calls with their source lines, what it waited for in a call, the bytes of
// each variable that arrived and that a tenure has changed, checkpoints and failures (Kind). A
// Recorder is a ring: when it is full, a new event replaces the oldest one, and Dropped counts it.
// All Recorders of a run together take at most Trace.Limit: each rank has its share, also where the
// ranks are processes. So the process of rank 0, which collects the records, and the file have that
// bound, too.
//
// # Clocks
//
// Processes have clocks of their own. No rank leaves a step, in which all ranks meet, before every
// rank has entered it. So each step bounds the difference between two clocks from both sides. Align
// takes the tightest bounds of a run, and says how far off the result may be.
package trace
