// Package anatomy has the command fagus lab anatomy. It shows the stages of one AOTF store,
// with the time of each.
package anatomy
