//go:build linux

package tcp_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
)

// each runs f without and with encryption.
func each(b *testing.B, cfg tcp.Config, f func(b *testing.B, network dimmnet.Network)) {
	b.Run("plain", func(b *testing.B) { f(b, tcp.New(cfg)) })
	cfg.Encrypt = true
	b.Run("tls", func(b *testing.B) { f(b, tcp.New(cfg)) })
}

func BenchmarkPingPong(b *testing.B) { each(b, tcp.Config{}, meshtest.PingPong) }
func BenchmarkPage(b *testing.B)     { each(b, tcp.Config{}, meshtest.Page) }
func BenchmarkExchange(b *testing.B) { each(b, tcp.Config{}, meshtest.Exchange) }

func BenchmarkWrite(b *testing.B) {
	each(b, tcp.Config{LLCM: meshtest.BenchmarkBytes + 4096}, meshtest.Write)
}

func BenchmarkPush(b *testing.B) {
	cfg := tcp.Config{Bulk: meshtest.BenchmarkBytes}
	each(b, cfg, meshtest.Push)
	cfg.Unsummed = true
	b.Run("unsummed", func(b *testing.B) { meshtest.Push(b, tcp.New(cfg)) })
}
