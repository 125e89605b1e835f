//go:build linux

package tcp

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// links returns streams over the connections of j, which it takes over, even if it fails.
func (j *joined) links(self dimmnet.Rank) (*stream.Links, error) {
	p, err := newPoll()
	if err != nil {
		j.close()
		return nil, err
	}
	l := &stream.Links{Streams: make([]stream.Stream, len(j.conns)), Near: make([]bool, len(j.conns)), Poll: p}
	if j.udp != nil {
		l.Beats = newBeats(self, j)
	}
	for i, conn := range j.conns {
		if conn == nil {
			continue
		}
		sock, s, err := newStream(conn, dimmnet.Rank(i), p)
		if err != nil {
			closeAll(j.conns[i+1:])
			l.Close()
			return nil, err
		}
		l.Streams[i], l.Near[i] = s, sock.sameHost
	}
	cpus := j.cpus[self]
	for i, near := range l.Near {
		if near {
			cpus.Join(j.cpus[i][:])
		}
	}
	l.Processors = cpus.Count()
	return l, nil
}
