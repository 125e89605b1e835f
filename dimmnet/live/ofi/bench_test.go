//go:build ofi && linux && cgo

package ofi_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
)

func bench(b *testing.B, cfg mesh.Config, run func(*testing.B, dimmnet.Network)) {
	for _, p := range ofi.Software() {
		b.Run(p, func(b *testing.B) { run(b, ofi.New(ofi.Config{Provider: p, Mesh: cfg})) })
	}
}

func BenchmarkPingPong(b *testing.B) { bench(b, mesh.Config{}, meshtest.PingPong) }
func BenchmarkPage(b *testing.B)     { bench(b, mesh.Config{}, meshtest.Page) }
func BenchmarkExchange(b *testing.B) { bench(b, mesh.Config{}, meshtest.Exchange) }

func BenchmarkWrite(b *testing.B) {
	bench(b, mesh.Config{LLCM: meshtest.BenchmarkBytes + 4096}, meshtest.Write)
}

func BenchmarkPush(b *testing.B) {
	bench(b, mesh.Config{Bulk: meshtest.BenchmarkBytes}, meshtest.Push)
}
