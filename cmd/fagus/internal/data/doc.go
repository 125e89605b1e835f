// Package data has the command fagus data. It writes the small input files that examples of
// fagus run name. The files are drawn from a seed, so the repository does not contain them.
package data
