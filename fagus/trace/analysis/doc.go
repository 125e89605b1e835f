// Package analysis says where the time of a run has gone, from its trace, and what changes of the
// program would save. It is pure: a Trace in, a Result out.
//
//	t, err := tracefile.Read(file)
//	r := analysis.Of(t)
//	fmt.Println(r.Total, r.Overall[analysis.Computing], r.Advice)
//
// # Causes
//
// Each moment of a rank has one Cause. The time between two calls is computing. In a call in which
// ranks meet, the time up to the moment when the last rank makes its call is waiting for that rank,
// or for the variable that another rank was granted first. After this moment data move, and the
// rest is what the agreement and the network take.
//
// # Critical path
//
// The path goes backwards from the end of the rank that ends last. Where the rank waited, the path
// goes on with the rank for which it waited. So there is no waiting in the path, and its parts add
// up to the time of the run.
//
// # Predictions
//
// A model makes the calls of the trace again: each takes what it took after the others were there,
// and is granted when the variables are free. In Phase mode syncvar.Grant decides, as in a run. A
// prediction is the time of the model with one thing changed, in proportion to the time of the
// model with nothing changed. Model says how far that one is from the run. A change that would let
// ranks do other calls, or in which variables contain other data, is not in the model.
//
// # Limits
//
// The trace has the first 64 variables of a set. It does not say which bytes a rank reads.
// Of ranks that are missing, or whose first events are dropped, only what is there counts: Warnings
// says so. Times of processes are as exact as their clocks are aligned (Result.Uncertain).
package analysis
