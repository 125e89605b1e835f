// Package trace records what the ranks of a run do when, and keeps it in files that the user
// interface of Perfetto (ui.perfetto.dev) opens.
//
//	t := trace.New()
//	_, err := fagus.Run(ctx, fagus.Config{Trace: t}, program)
//	err = t.Write(file) // also after a run that has failed
//	...
//	t, err := trace.Read(file)
//
// # What is recorded
//
// Each rank records its calls with their source lines, what it waited for in a call, the bytes of
// each variable that arrived and that a tenure has changed, checkpoints and failures (Kind). A
// Recorder is a ring: when it is full, a new event replaces the oldest one, and Dropped counts it.
// All Recorders of a process together take at most 256 MiB.
//
// # Clocks
//
// Processes have clocks of their own. No rank leaves a step, in which all ranks meet, before every
// rank has entered it. So each step bounds the difference between two clocks from both sides. Align
// takes the tightest bounds of a run, and says how far off the result may be.
//
// # Files
//
// A file is a Trace of Perfetto's protobuf schema: a track for each rank, a slice for each call and
// tenure, nested slices for waits and moving data, instants for the rest. Arrows lead from the
// Release that has changed a variable to the calls in which the data arrived. The first packet has
// the tables to which events refer, as JSON (Tables).
package trace
