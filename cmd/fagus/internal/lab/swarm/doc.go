// Package swarm has the command fagus lab swarm. It runs random programs under random faults in
// virtual time, verifies every run, and shrinks the cases that fail (docs/lab/swarm.md).
package swarm
