// Package results has the command fagus lab results, which makes docs/lab/results.md. It runs every
// program on every network in both modes. It measures speed-ups on simulated nodes, and on this
// machine in comparison with the same program without Fagus.
//
// Each run is a process of the command fagus. This package reads the JSON document it prints.
package results
