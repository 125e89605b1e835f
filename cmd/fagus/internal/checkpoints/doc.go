// Package checkpoints has the command group fagus checkpoint: it lists and verifies the checkpoints
// in a directory, writes an array of one to a file, and compares two. It only reads, takes no lock,
// and may run while a job makes checkpoints in the directory.
//
// The files may be damaged or made by anybody: their sizes are checked before memory is allocated,
// and texts from them are quoted unless they are printable.
package checkpoints
