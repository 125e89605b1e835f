// Package results collects what docs/results.md shows: every program on every network and with both
// engines, its speed-up on simulated nodes, and on this machine against the same program without Fagus.
//
// It runs the command fagus itself, each run a process of its own, and reads the JSON that it prints.
package results
