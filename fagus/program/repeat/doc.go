// Package repeat runs versions of a program again and again, in turn, and says what they take: for
// --repeat and --speedup of every program, and for the studies of the laboratory.
//
//	err := repeat.InTurn(5, len(versions), func(round, i int) error { ... })
//	fmt.Println(repeat.NewSample(times)) // 1.234 s ±5 %
//
// A [Plan] starts each run as a process of its own, and reads the times in the document that it
// prints with --json. It compares no results: programs verify theirs by themselves.
package repeat
