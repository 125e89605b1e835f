// Package cycles reads the time from the processor's counter. That takes a third of the time of
// the system's clock.
//
//	c := cycles.Start(time.Now())
//	t := c.Now() // since the start
//
// A [Clock] belongs to one goroutine. It compares the counter with the system's clock ten times a
// second, and follows that clock. A Clock reads the system's clock in every call for its first 10
// ms, and on processors whose counter may stop or change its rate. It does so permanently when the
// two clocks have disagreed, because a virtual machine may have moved to another host.
package cycles
