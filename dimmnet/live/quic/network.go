package quic

import (
	"context"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Config describes a Network. Encrypt and Unsummed have no effect: quic always encrypts.
type Config = mesh.Config

// Network runs programs on processes of several hosts, or on goroutines of this process.
type Network = mesh.Network

const networkName = "quic"

// New returns a network whose ranks are all in this process and connected over loopback.
func New(cfg Config) *Network { return mesh.NewNetwork(transport(), cfg, nil) }

// Join returns a network of which this process is one rank.
func Join(cfg Config, m dimmnet.Member) *Network { return mesh.NewNetwork(transport(), cfg, m) }

func transport() mesh.Transport {
	return mesh.Transport{Name: networkName, Encrypts: true, Sums: noSums, Helped: true, Prepare: prepare}
}

func noSums(*Config) stream.Sums { return stream.SumNone }

func prepare(cfg *Config, _ int) (stream.Join, error) {
	return func(ctx context.Context, m dimmnet.Member) (*stream.Links, error) {
		j, err := connect(ctx, cfg, m)
		if err != nil {
			return nil, err
		}
		return j.links(cfg.Stall > 0)
	}, nil
}

const (
	// windowBytes bounds the bytes that a rank may send to a peer that does not read.
	windowBytes = 4 << 20
	// idleTime is longer than any run: a connection ends when a rank closes it.
	idleTime = 10 * 365 * 24 * time.Hour
	// streamsPerPeer counts the stream of the peer's frames, and the stream that is its receipt.
	streamsPerPeer = 2
)

func quicConfig(cfg *Config) *quicgo.Config {
	return &quicgo.Config{
		HandshakeIdleTimeout:           mesh.HandshakeTime,
		MaxIdleTimeout:                 idleTime,
		InitialStreamReceiveWindow:     windowBytes,
		MaxStreamReceiveWindow:         windowBytes,
		InitialConnectionReceiveWindow: windowBytes,
		MaxConnectionReceiveWindow:     windowBytes,
		MaxIncomingStreams:             -1,
		MaxIncomingUniStreams:          streamsPerPeer,
		EnableDatagrams:                cfg.Stall > 0,
	}
}
