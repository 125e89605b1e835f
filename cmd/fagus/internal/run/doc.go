// Package run has the commands fagus run and fagus apps: it runs the programs of the catalog, and
// reports time, messages and verification.
//
//	r, err := run.Verified(ctx, job, on, progress)
//
// [Execute] and [Verified] are also how comparisons and sweeps run a job.
package run
