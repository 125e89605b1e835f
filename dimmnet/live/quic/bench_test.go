package quic_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
)

// each runs f on quic and, for comparison, on tcp with TLS.
func each(b *testing.B, bulk int, f func(b *testing.B, network dimmnet.Network)) {
	b.Run("quic", func(b *testing.B) { f(b, quic.New(quic.Config{Bulk: bulk})) })
	b.Run("tcp", func(b *testing.B) { f(b, tcp.New(tcp.Config{Bulk: bulk, Encrypt: true})) })
}

func BenchmarkPage(b *testing.B)     { each(b, 0, meshtest.Page) }
func BenchmarkExchange(b *testing.B) { each(b, 0, meshtest.Exchange) }
func BenchmarkPush(b *testing.B)     { each(b, meshtest.BenchmarkBytes, meshtest.Push) }
