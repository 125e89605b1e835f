// Package reliable is one end of a connection between two ranks over a network
// that loses, repeats and overtakes datagrams: what is sent arrives once and in
// order, or the connection has failed.
//
// It is not a socket: it has no clock, no goroutine and no buffer of the system.
// Time is an argument, and whoever owns a Conn moves its datagrams:
//
//	if c.Send(payload) {                     // false: the window is full
//		for d := c.Next(now, buf); d != nil; d = c.Next(now, buf) {
//			wire.Write(d)
//		}
//	}
//	payloads, err := c.Receive(now, datagram) // in order
//	at, ok := c.Deadline()                    // then Next has something to say
//
// # The protocol
//
// Datagrams with a payload are numbered from 1 (64 bits: numbers never wrap). Every
// datagram acknowledges: all numbers below one, and of the 64 behind it those that
// have arrived early. Up to Config.Window datagrams are unacknowledged, which is
// also what the receiver holds of those that came early; so a number beyond its
// window is a mistake of the peer, and an error.
//
// A datagram is sent again when its timeout is over, or when three that were first
// sent later have been acknowledged (fast retransmit). The timeout is that of RFC
// 6298, between Config.MinTimeout and MaxTimeout: measured with datagrams that were
// sent once (Karn), doubled whenever it is over, until the next measurement.
//
// Acknowledgements ride on data going back. Where there is none, every second
// datagram is acknowledged at once, a single one after Config.AckDelay, and one
// that shows a gap, fills one or came before at once.
//
// # When it gives up
//
// A datagram that was sent Config.Tries times and times out again fails the
// connection for good. With a loss of p each way a try succeeds, in the worst case
// of a single acknowledgement for each, with (1-p)^2: at p = 0.2, 30 tries all fail
// with 0.36^30 = 5e-14, once in a run of 10^13 datagrams. At p = 0.5 that is
// 2e-4: ask for more tries there.
package reliable
