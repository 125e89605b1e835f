// Package tree is the agreement of a phase in which lists travel over a tree (bundle.go).
//
// All ranks know the schedule of every phase: the lists of all (schedule.go). What the last ones
// were lets them expect the next one (course.go). A rank that does what is expected of it sends a
// mark instead of its list. A bundle of marks is a word instead of a slot, and a short bundle goes
// in the line of that word (signals.go). Lists that progress evenly from rank to rank are one entry
// (runs.go). A phase of a cycle repeats without a plan (repeat.go).
//
// In a phase that does not repeat, a rank plans from what the lists say of the variables that it
// has ever wanted, and keeps the table of these (concern.go). Hops are numbered by peer, so a rank
// need not know the hops of others. The table is brought up to date when a phase needs it
// (replica.go). What a simulated host is charged for planning is in meter.go.
//
// All data go by PUSH, so package phase chooses a tree only where that is possible.
package tree
