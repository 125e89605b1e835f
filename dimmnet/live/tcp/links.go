//go:build linux

package tcp

import (
	"net"

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
	if j.more != nil {
		j.more.pass = j.passTo(p, l.Beats)
		l.Demand = j.more
	}
	for i, conn := range j.conns {
		if conn == nil {
			l.Near[i] = i != int(self) && j.near[i]
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

// passTo returns demand.pass. If the system lacks the resources for a stream, the run fails.
func (j *joined) passTo(p poll, b stream.Beats) func(stream.Admission, dimmnet.Rank, net.Conn) {
	beats, _ := b.(*beats)
	return func(links stream.Admission, peer dimmnet.Rank, conn net.Conn) {
		if beats != nil {
			beats.add(peer, conn)
		}
		sock, s, err := newStream(conn, peer, p)
		if err != nil {
			links.Link(peer, broken{err}, true)
			return
		}
		links.Link(peer, s, sock.sameHost)
	}
}

// broken is the stream of a connection for which the system has no resources.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error)        { return 0, b.err }
func (b broken) Write([]byte, bool) (int, error) { return 0, b.err }
func (b broken) Flush() (bool, error)            { return false, b.err }
func (broken) Buffered() bool                    { return false }
func (broken) NotifyWritable(bool)               {}
func (broken) HungUp() bool                      { return true }
func (broken) CloseWrite()                       {}
func (broken) Ignore()                           {}
func (broken) Close(bool)                        {}
