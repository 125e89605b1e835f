// Package reproduce has the command fagus lab reproduce. It repeats the papers' measurements on
// the simulated machines, and shows the papers' figures beside its own.
package reproduce
