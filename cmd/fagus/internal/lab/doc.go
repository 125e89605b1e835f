// Package lab has the command group fagus lab: experiments on the simulated machines and on
// Fagus itself, each in a package of its own below this one.
package lab
