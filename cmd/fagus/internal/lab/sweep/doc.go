// Package sweep has the command fagus lab sweep. Each sweep measures over a range of node counts,
// numbers of variables, degrees of unequal work (docs/lab/compare.md), or placements. A new one is
// easiest as an experiment.Study (placement.go).
package sweep
