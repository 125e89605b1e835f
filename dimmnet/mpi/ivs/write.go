package ivs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/dimmnet2"
	"github.com/fagus-dsm/fagus/dimmnet/mpi"
)

// span is a part of SO-DIMM.
type span struct {
	at dimmnet.Offset
	n  int
}

// area is what rendezvous have of SO-DIMM.
type area struct {
	free    []span // in order, apart from each other
	stage   span   // what is on its way out, in turn
	next    int    // there
	exposed map[dimmnet.Offset]exposure
}

// exposure is a place that a rank may write to, and whose bytes go to p.
type exposure struct {
	src dimmnet.Rank
	p   []byte
	n   int // of the area
}

// take is a place of n bytes.
func (a *area) take(n int) (at dimmnet.Offset, ok bool) {
	for i, f := range a.free {
		if f.n >= n {
			a.free[i] = span{f.at + dimmnet.Offset(n), f.n - n}
			return f.at, true
		}
	}
	return 0, false
}

// give takes a place back.
func (a *area) give(s span) {
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

// Expose gives src a place in SO-DIMM.
func (l *Link) Expose(src dimmnet.Rank, p []byte) ([]mpi.Destination, error) {
	n := (len(p) + dimmnet.WordBytes - 1) / dimmnet.WordBytes * dimmnet.WordBytes
	at, ok := l.area.take(n)
	if !ok {
		return nil, fmt.Errorf("ivs: no room for a message of %d bytes in SO-DIMM", len(p))
	}
	if l.area.exposed == nil {
		l.area.exposed = make(map[dimmnet.Offset]exposure)
	}
	l.area.exposed[at] = exposure{src, p, n}
	return []mpi.Destination{{Address: uint64(at), Size: len(p)}}, nil
}

// Conceal loads what has come, by VL and PW.
func (l *Link) Conceal(src dimmnet.Rank, to []mpi.Destination) error {
	if len(to) == 0 {
		return nil // a message of no bytes
	}
	if len(to) > 1 {
		return errors.New("ivs: it has exposed one place")
	}
	at := dimmnet.Offset(to[0].Address)
	e, ok := l.area.exposed[at]
	if !ok || e.src != src || len(e.p) != to[0].Size {
		return fmt.Errorf("ivs: rank %d has no place at %d", src, to[0].Address)
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
	l.area.give(span{at, e.n})
	return nil
}

// Write stores data in the own SO-DIMM, through windows, and from there to the places by RVS. Commands are executed in order, so what is staged is
// sent before its place is used again, and packets that are sent later arrive later.
func (l *Link) Write(dst dimmnet.Rank, to []mpi.Destination, data []byte) bool {
	s := &l.senders[dst]
	if len(s.chunks) > 0 || !l.freed() {
		return false
	}
	low, high := uint64(l.params.LLCM), uint64(l.params.LLCM)+uint64(l.params.SODIMM)
	for _, d := range to {
		if d.Size < 1 || d.Address < low || d.Address > high || uint64(d.Size) > high-d.Address {
			l.fail(fmt.Errorf("ivs: rank %d names a place of %d bytes at %#x, which is not in SO-DIMM", dst, d.Size, d.Address))
			return true // nothing is written: the run fails
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
				panic(err) // the receiver has named a place in its SO-DIMM: mpi has checked the lengths
			}
			l.area.next += n
			at += n
		}
	}
	return true
}

// freed takes windows back that are known to be used, as far as their packets have been accepted: all of WW is needed.
func (l *Link) freed() bool {
	for _, w := range l.used {
		if !l.u.Free(w) {
			return false // nothing has changed: the next pass polls the same
		}
	}
	l.windows, l.used = append(l.windows, l.used...), nil
	return true
}

// fail lets the next Step report an error.
func (l *Link) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

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
