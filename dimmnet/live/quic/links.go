package quic

import (
	"fmt"
	"net"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/pump"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// links returns streams over the connections of j, which it takes over, even if it fails.
func (j *joined) links(beat bool) (*stream.Links, error) {
	near := make([]bool, len(j.peers))
	for rank, p := range j.peers {
		if p == nil {
			continue
		}
		var err error
		if near[rank], err = reach.Here(p.conn.RemoteAddr().(*net.UDPAddr).IP); err != nil {
			j.close()
			return nil, fmt.Errorf("quic: %w", err)
		}
	}
	at := pump.NewPoll(len(j.peers), j.release)
	l := &stream.Links{Streams: make([]stream.Stream, len(j.peers)), Near: near, Poll: at}
	for rank, p := range j.peers {
		if p != nil {
			l.Streams[rank] = at.Add(dimmnet.Rank(rank), p)
		}
	}
	if beat {
		l.Beats = newBeats(j.peers)
	}
	return l, nil
}
