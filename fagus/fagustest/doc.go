// Package fagustest runs programs in tests and benchmarks.
//
//	func TestLife(t *testing.T) {
//		fagustest.Run(t, fagus.Config{}, func(n *fagus.Node) error {
//			got, err := life(n, 100)
//			if err == nil && got != want {
//				err = fmt.Errorf("%d cells live, want %d", got, want)
//			}
//			return err
//		})
//	}
//
//	func BenchmarkLife(b *testing.B) {
//		fagustest.Run(b, fagus.Config{Nodes: 4}, func(n *fagus.Node) error {
//			world := newWorld(n)
//			for range fagustest.Loop(n) {
//				world.step()
//			}
//			return n.Err()
//		})
//	}
//
// In a test the program runs in both modes, on goroutines and on a simulated DIMMnet-1, with the
// check of accesses (docs/guide/check.md). In a benchmark it runs as the configuration says, and
// all ranks go through a [Loop] together.
//
// # Limits
//
// Ranks are goroutines of the test's process, also simulated ones: for processes and hosts there is
// --repeat of package program. A program fails the test by its error. It must not call methods such
// as t.Fatal: these are for the goroutine of the test.
package fagustest
