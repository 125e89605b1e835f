// Package replay has the command fagus replay. It starts a program as one rank of a recorded run,
// with the record in its environment (package fagus/replay), and says how far the program did what
// the rank did.
package replay
