// Package meter counts what the ranks of a process do, for readers while they run. Package metrics
// serves the result to Prometheus and to fagus top.
//
//	m := meter.New()
//	go func() {
//		for range time.Tick(time.Second) {
//			_, ranks := m.Ranks()
//			fmt.Println(ranks[0].Counts.Phases)
//		}
//	}()
//	_, err := fagus.Run(ctx, fagus.Config{Meter: m}, program)
//
// It is no record: package trace keeps what happened when. A Meter has the sums of the run that is
// under way, or of the last one.
//
// # Cost
//
// A call of the program takes a few atomic operations more, and no lock. Readers make the ranks
// wait only to ask an engine what its rank waits for, as a roll-call does.
//
// # Clocks
//
// Durations are of the run's clock: virtual ones on a simulated network.
package meter
