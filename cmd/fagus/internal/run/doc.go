// Package run has the commands fagus run and fagus apps: it runs the programs of the catalog, and
// reports time, messages and verification.
//
// A program of the catalog is a runflags.App, as programs of one's own are. Comparisons and sweeps
// run a job many times in one process:
//
//	r, err := run.Verified(ctx, cfg, job, progress)
package run
