// Package tree is the agreement of a phase in which lists travel over a tree (bundle.go).
//
// All ranks know the schedule of every phase, which is the lists of all ranks (schedule.go). From
// the last schedules they expect the next one (course.go). A rank whose list is the expected one
// sends a mark instead. A bundle of marks is a word instead of a slot, and a short bundle goes in
// the line of that word (signals.go). Lists that progress evenly from rank to rank are one entry
// (runs.go). A phase of a cycle repeats without a plan (repeat.go).
//
// In a phase that does not repeat, a rank plans only with the variables that it has ever wanted,
// and keeps their table (concern.go). Hops are numbered by peer, so a rank need not know the hops
// of others. The table is brought up to date when a phase needs it (replica.go). meter.go charges
// a simulated host for planning.
//
// All data go by PUSH, so package phase chooses a tree only where that is possible.
package tree
