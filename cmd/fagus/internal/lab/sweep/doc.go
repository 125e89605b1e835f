// Package sweep has the command fagus lab sweep. Each sweep measures over a range of node counts,
// numbers of variables, or degrees of unequal work (docs/lab/compare.md).
package sweep
