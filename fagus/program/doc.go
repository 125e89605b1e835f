// Package program turns a function into a command that runs it as `fagus run` runs its programs.
//
//	func main() { program.Main(life) }
//
//	func life(n *fagus.Node) error { ... } // runs once as every rank
//
// The command has the flags of `fagus run` that say where and how a program runs, such as --net,
// --nodes, --mode and --check. Without them it reads FAGUS_NET, FAGUS_NODES and FAGUS_MODE. It runs
// all ranks itself, starts them as processes, or is a rank that a launcher has started (fagus
// launch, mpirun, srun, Kubernetes). At the end it prints a report. docs/guide/program.md is the
// guide.
//
// An [App] has a name, flags and arguments of its own beside these:
//
//	var size = flag.Int("size", 100, "rows and columns")
//
//	func main() {
//		program.App{About: "the game of life on a torus", Args: "[FILE]", Run: life}.Main()
//	}
//
// Flags may come before or after arguments. In processes, every rank has the same command line, and
// reads its own copy of the flags.
//
// # Limits
//
// A process runs one App at a time, because the flags belong to the process. On a simulated network
// under a launcher the process of rank 0 runs all ranks, and the other processes end at once. A
// program that calls fagus.Run or cluster.Run itself needs no part of this package.
package program
