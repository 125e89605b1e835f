// Package delay makes races between waiting and waking more likely in tests.
//
// The live networks call Here between the steps of every protocol that sleeps and wakes: after a
// waiter has announced itself, before it polls again, before it sleeps, and on the other side
// between a post, the check for a waiter, and the wake-up. A normal build compiles these calls to
// nothing. A build with the tag fagusdelay delays the caller at random:
//
//	go test -tags fagusdelay ./dimmnet/live/...
package delay
