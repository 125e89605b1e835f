// Package delay makes races between waiting and waking more likely in tests, or tries them all.
//
// The live networks call Here between the steps of every protocol that sleeps and wakes: after a
// waiter has announced itself, before it polls again, before it sleeps, and on the other side
// between a post, the check for a waiter, and the wake-up. In a normal build these calls do
// nothing, and Mutex and Cond are the types of package sync. A build with the tag fagusdelay
// delays the caller at random:
//
//	go test -tags fagusdelay -run TestPort ./dimmnet/live/...
//
// .ci/run runs some tests in this way. Tests in a bubble of testing/synctest hang with the tag, if
// a thread sleeps there while another waits for its Mutex.
//
// With the tag, a test can also call Explore. It runs a few threads of the real code again and
// again, one thread at a time, under every order of the steps between two calls of Here:
//
//	schedules, err := delay.Explore(3, func() []func() error {
//		run := newRun()
//		return []func() error{run.wait, run.post}
//	})
//
// A lost wake-up is an order after which threads sleep forever. Explore finds no error that needs a
// processor to reorder memory accesses: it executes the steps in one order for all threads.
package delay
