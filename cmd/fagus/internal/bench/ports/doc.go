// Package ports measures the ports of two ranks without the engine above them.
//
//	err := ports.Run(ctx, network, func(pair *ports.Pair) error { // both ranks
//		took, err := pair.PingPong(1000, 4096)   // round trips of a page
//		landings, err := pair.Overlap(cfg)       // posts into a rank that computes
//		...
//	})
//
// A port keeps all of its contract here, except that Overlap reads bytes which the peer may be
// writing (dimmnet.Port.Read forbids that to protocols): it only compares them.
package ports
