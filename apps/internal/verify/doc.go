// Package verify describes the outcome of a program: the numbers to compare with reference values,
// and the time of the timed section.
package verify
