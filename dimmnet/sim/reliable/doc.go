// Package reliable implements one end of a connection between two ranks over a network that
// loses, repeats and reorders datagrams. Each payload arrives once and in order, or the
// connection fails.
//
// It is not a socket: it has no clock, no goroutine and no system buffers. Time is an
// argument, and the owner of a Conn moves its datagrams:
//
//	if c.Send(payload) {                     // false: the window is full
//		for d := c.Next(now, buf); d != nil; d = c.Next(now, buf) {
//			wire.Write(d)
//		}
//	}
//	payloads, err := c.Receive(now, datagram) // in order
//	at, ok := c.Deadline()                    // when to call Next again
//
// # The protocol
//
// Datagrams with a payload are numbered from 1, with 64 bits, so that numbers never wrap.
// Every datagram carries an acknowledgement: the first number that has not arrived, and a bit
// for each of the 64 numbers behind it. Up to Config.Window datagrams may be unacknowledged,
// and the receiver stores as many that arrive early. A number beyond the window can only be a
// fault of the peer, and is an error.
//
// A datagram is sent again when its timeout expires, or when three datagrams that were first
// sent later have been acknowledged (fast retransmit). The timeout is that of RFC 6298, within
// Config.MinTimeout and MaxTimeout. Only datagrams that were sent once are measured (Karn's
// rule); the timeout doubles whenever it expires, until the next measurement.
//
// Acknowledgements travel with data in the other direction. Without such data, every second
// datagram is acknowledged at once and a single one after Config.AckDelay. A datagram that
// shows a gap, fills one or is a repetition is acknowledged at once.
//
// # When it gives up
//
// A datagram that was sent Config.Tries times and times out again fails the connection for
// good. Let p be the loss in each direction. A try succeeds with probability (1-p)^2 if each
// datagram has only its own acknowledgement, which is the worst case. At p = 0.2, all of 30
// tries fail with 0.36^30 = 5e-14: once in 10^13 datagrams. At p = 0.5 it is 2e-4, so such
// networks need more tries.
package reliable
