// Package launch has the command fagus launch. It starts a program once per rank of a job, each
// rank a process. The ranks communicate over a live network or, for programs that use the C
// library, over a network simulated in the launcher. The hidden command fagus agent starts the
// ranks of a job on another host (docs/processes.md).
package launch
