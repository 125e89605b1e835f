// Package recording keeps on disk who wrote which elements of a run's arrays, and reads it again.
//
//	r := recording.New("rec")
//	_, err := fagus.Run(ctx, fagus.Config{Record: r}, program)
//	...
//	run, err := recording.Open("rec")
//	ranks, err := run.Rank(0)
//
// # What is recorded
//
// Each rank appends to a file of its own. When a tenure ends, the rank writes an entry with the
// variables that the tenure held, the versions that it saw and made, the rank's number of steps,
// the time and the source lines; and for each range that it has changed a hash of the bytes and,
// with Values, the bytes. Calls in which all ranks meet are entries, too: they are the points at
// which two runs can be compared. Rank 0 also records arrays, bindings and Rebinds, which are the
// same on all ranks.
//
// # The file
//
// A file begins with a magic number and the version of the format. Entries follow, each with its
// length and checksum (frame). A run that is killed leaves a file without an end: Next returns
// everything up to the last whole entry. A rank writes through a buffer, and at least once a second
// if it makes calls. A rank whose file has reached its share of the Limit, or cannot be written,
// records nothing more, and the run goes on.
package recording
