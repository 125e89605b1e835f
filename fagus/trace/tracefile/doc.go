// Package tracefile writes traces as files that the user interface of Perfetto (ui.perfetto.dev)
// opens, and reads them.
//
//	err := tracefile.Write(file, t) // after the run
//	...
//	t, err := tracefile.Read(file)
//
// A file is a message Trace of Perfetto's protobuf schema: a track for each rank, a slice for each
// call and tenure, slices in it for waits and moving data, instants for the rest. Arrows lead from
// the Release that has changed a variable to the calls in which the data arrived. The first event
// has the tables to which the others refer, as JSON. A time is a whole number of nanoseconds.
package tracefile
