// Package launch has the command fagus launch. It starts a program once per rank of a job, each
// rank a process. The ranks communicate over a live network or a simulated one. For programs that
// use the C library, the launcher simulates the network; for programs of package fagus/program the
// process of rank 0 does, and the others end at once. Each process sends on its line (FAGUS_LINE)
// which of the two it is. The hidden command fagus agent starts the ranks of a job on another host
// (docs/guide/processes.md).
package launch
