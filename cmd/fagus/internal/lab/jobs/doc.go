// Package jobs has the command fagus lab jobs. It runs many short jobs of real processes, one after
// another: programs of the catalog, in sizes, modes and numbers of ranks that a seed selects. It
// verifies every result, and counts what the jobs leave behind.
//
//	args := draw(random, "tcp", []int{2, 3})     // run sor --net tcp --nodes 3 --n 24 ...
//	ranks, wrong := c.runJob(ctx, mark, args)    // "" if the result is right
package jobs
