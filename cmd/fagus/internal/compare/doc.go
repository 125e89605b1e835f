// Package compare has the command fagus compare. It runs a program in all versions of Fagus,
// judges the claims of the paper by the measured times, and draws the results on a page
// (docs/lab/compare.md).
package compare
