package ivs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
)

type span struct {
	at dimmnet.Offset
	n  int
}

// area is the part of SO-DIMM that rendezvous use.
type area struct {
	free    []span // disjoint, in ascending order
	stage   span   // buffer for outgoing data, used cyclically
	next    int    // next offset in stage
	exposed map[dimmnet.Offset]exposure
}

// exposure is a range that src may write to, for the user's buffer p.
type exposure struct {
	src dimmnet.Rank
	p   []byte
	n   int // size of the range, in whole words
}

func (a *area) allocate(n int) (at dimmnet.Offset, ok bool) {
	for i, f := range a.free {
		if f.n >= n {
			a.free[i] = span{f.at + dimmnet.Offset(n), f.n - n}
			return f.at, true
		}
	}
	return 0, false
}

func (a *area) release(s span) {
	i, _ := slices.BinarySearchFunc(a.free, s, func(f, s span) int { return int(int64(f.at) - int64(s.at)) })
	a.free = slices.Insert(a.free, i, s)
	merged := a.free[:0]
	for _, f := range a.free {
		if k := len(merged) - 1; k >= 0 && merged[k].at+dimmnet.Offset(merged[k].n) == f.at {
			merged[k].n += f.n
		} else if f.n > 0 {
			merged = append(merged, f)
		}
	}
	a.free = merged
}

// Expose allocates a range of SO-DIMM for src.
func (l *Link) Expose(src dimmnet.Rank, p []byte) ([]mpi.Destination, error) {
	n := (len(p) + dimmnet.WordBytes - 1) / dimmnet.WordBytes * dimmnet.WordBytes
	at, ok := l.area.allocate(n)
	if !ok {
		return nil, fmt.Errorf("ivs: expose a message of %d bytes: SO-DIMM has no free range of that size", len(p))
	}
	if l.area.exposed == nil {
		l.area.exposed = make(map[dimmnet.Offset]exposure)
	}
	l.area.exposed[at] = exposure{src, p, n}
	return []mpi.Destination{{Address: uint64(at), Size: len(p)}}, nil
}

// Conceal loads the data that src has written, by VL and PW.
func (l *Link) Conceal(src dimmnet.Rank, to []mpi.Destination) error {
	if len(to) == 0 {
		return nil // an empty message
	}
	if len(to) > 1 {
		return errors.New("ivs: conceal a message of several ranges: this link exposes one")
	}
	at := dimmnet.Offset(to[0].Address)
	e, ok := l.area.exposed[at]
	if !ok || e.src != src || len(e.p) != to[0].Size {
		return fmt.Errorf("ivs: conceal the range at %d: it is not exposed to rank %d", to[0].Address, src)
	}
	most := l.params.Windows * l.params.WindowBytes
	l.inPW = 0
	for done := 0; done < len(e.p); done += most {
		n := min(most, len(e.p)-done)
		c, err := l.u.VL(dimmnet2.Contiguous(at+dimmnet.Offset(done), n), 0)
		if err != nil {
			return err
		}
		for !l.u.Done(c) {
		}
		if err := l.u.Fetch(e.p[done:done+n], 0); err != nil {
			return err
		}
	}
	delete(l.area.exposed, at)
	l.area.release(span{at, e.n})
	return nil
}

// Write stores data in the rank's own SO-DIMM through windows, and sends it from there to the
// destinations by RVS. Commands are executed in order, so the NIC sends staged data before its
// space is reused, and later packets arrive later.
func (l *Link) Write(dst dimmnet.Rank, to []mpi.Destination, data []byte) bool {
	s := &l.senders[dst]
	if len(s.chunks) > 0 || !l.freed() {
		return false
	}
	low, high := uint64(l.params.LLCM), uint64(l.params.LLCM)+uint64(l.params.SODIMM)
	for _, d := range to {
		if d.Size < 1 || d.Address < low || d.Address > high || uint64(d.Size) > high-d.Address {
			l.fail(fmt.Errorf("ivs: rank %d names a destination of %d bytes at %#x: not in SO-DIMM", dst, d.Size, d.Address))
			return true // writes nothing; the error ends the run
		}
	}
	for _, d := range to {
		part := data[:d.Size]
		data = data[d.Size:]
		for at := 0; at < len(part); {
			n := min(len(part)-at, l.params.Windows*l.params.WindowBytes, l.area.stage.n)
			if l.area.next+n > l.area.stage.n {
				l.area.next = 0
			}
			staged := dimmnet2.Contiguous(l.area.stage.at+dimmnet.Offset(l.area.next), n)
			if err := l.out(dst, part[at:at+n], staged, dimmnet.Offset(d.Address)+dimmnet.Offset(at)); err != nil {
				panic(err) // the ranges and lengths have been checked
			}
			l.area.next += n
			at += n
		}
	}
	return true
}

// freed reports whether all packets in windows were accepted, and then frees the windows.
func (l *Link) freed() bool {
	for _, w := range l.used {
		if !l.u.Free(w) {
			return false
		}
	}
	l.windows, l.used = append(l.windows, l.used...), nil
	return true
}

// fail makes the next Step return an error.
func (l *Link) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// out stores p in the rank's own SO-DIMM, and sends it from there to dst.
func (l *Link) out(dst dimmnet.Rank, p []byte, staged dimmnet2.Pattern, to dimmnet.Offset) error {
	if err := l.u.Fill(0, p); err != nil {
		return err
	}
	if _, err := l.u.VS(0, staged); err != nil {
		return err
	}
	_, err := l.u.RVS(dst, staged, dimmnet2.Contiguous(to, len(p)), dimmnet2.NoWord)
	return err
}
