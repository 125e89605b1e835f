// Package porttest is the conformance suite of the NIC contract: what package
// dimmnet says, as tests that every port must pass.
//
//	func TestPort(t *testing.T) {
//		porttest.Run(t, func() dimmnet.Network { return inproc.New(inproc.Config{}) })
//	}
//
// It is not a benchmark, and it does not test what only one port promises
// (deadlocks named by rank, golden timings); that stays with the port. Its own
// test runs it against deliberately broken ports, each of which it must catch.
//
// Sizes come from Limits. Each test gets a fresh network. The bodies meet the
// rules of simulated threads: ranks speak through their ports alone, and wait by
// dimmnet.Drive with small Steppers whose false Step changes nothing and reads
// the same words in the same order. Where a test must look at memory without
// ever idling it loads in a loop, which every clock moves on.
//
// Nothing waits without bound: the context of a run ends after a minute, and a
// Run that then does not return fails the test with the stacks of all
// goroutines.
//
// Random tests print their seed when they fail; PORTTEST_SEED in the environment
// repeats it. With -short, rounds are fewer.
//
// Wrap lets other tests see, refuse or change what a network's ports do. Refusing,
// Restless, Late and Multicasting make ports that keep the contract and use the
// freedom that it leaves: the suite passes on them. Watch finds Steps that are not
// pure.
//
// # Limits
//
// The port has an LLCM of at least 2 KiB and 5 blocks, and bulk memory of at least
// 4 KiB or none. Five nodes are the most that a test runs. What a port has not (its
// limit is 0) must panic, and is not tested further. A test moves 64 KiB at once at
// most, but for one Push and one Pull at the limit or at 1 MiB.
package porttest
