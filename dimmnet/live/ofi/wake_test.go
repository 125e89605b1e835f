//go:build ofi && linux && cgo

package ofi_test

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
)

// BenchmarkWake measures how long a signal to a sleeping thread takes.
func BenchmarkWake(b *testing.B) {
	for _, p := range ofi.Software() {
		b.Run(p, func(b *testing.B) {
			var late time.Duration
			var sent time.Time
			meshtest.Pair(b, ofi.New(ofi.Config{Provider: p}), func(p dimmnet.Port, round uint64) error {
				time.Sleep(3 * time.Millisecond)
				sent = time.Now()
				if err := meshtest.Signal(p, round); err != nil {
					return err
				}
				_, err := meshtest.Await(p, round)
				return err
			}, func(p dimmnet.Port, round uint64) error {
				late += time.Since(sent)
				return meshtest.Signal(p, round)
			})
			b.ReportMetric(float64(late.Nanoseconds())/float64(b.N), "ns/wake")
		})
	}
}
