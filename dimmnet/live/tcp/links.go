package tcp

import (
	"net"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// streams makes streams of connections, and is the Poll for them.
type streams interface {
	stream.Poll
	// add returns a stream over conn, TCP or TLS, which it takes over, even if it fails.
	add(conn net.Conn, peer dimmnet.Rank) (stream.Stream, error)
}

// links returns streams over the connections of j, which it takes over, even if it fails.
func (j *joined) links(self dimmnet.Rank) (*stream.Links, error) {
	p, err := newStreams(len(j.conns))
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
		l.Near[i] = sameHost(conn)
		if l.Streams[i], err = p.add(conn, dimmnet.Rank(i)); err != nil {
			closeAll(j.conns[i+1:])
			l.Close()
			return nil, err
		}
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

// sameHost reports whether both ends of a connection have the same address.
func sameHost(conn net.Conn) bool {
	return conn.LocalAddr().(*net.TCPAddr).IP.Equal(conn.RemoteAddr().(*net.TCPAddr).IP)
}

// passTo returns demand.pass. If the system lacks the resources for a stream, the run fails.
func (j *joined) passTo(p streams, b stream.Beats) func(stream.Admission, dimmnet.Rank, net.Conn) {
	beats, _ := b.(*beats)
	return func(links stream.Admission, peer dimmnet.Rank, conn net.Conn) {
		if beats != nil {
			beats.add(peer, conn)
		}
		near := sameHost(conn)
		s, err := p.add(conn, peer)
		if err != nil {
			s, near = broken{err}, true
		}
		links.Link(peer, s, near)
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
