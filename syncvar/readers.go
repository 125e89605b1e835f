package syncvar

import "github.com/fagus-dsm/fagus/dimmnet"

// Readers is what the owner of a variable remembers of the ranks that get the data of one version.
// These ranks form a tree: each sends the data to at most [Fanout] later readers. The zero Readers
// remembers nothing.
type Readers struct {
	version Version
	list    []reader
	first   int // readers before this one already have Fanout readers below them
}

type reader struct {
	rank  dimmnet.Rank
	have  Version // of its copy, before it got the data
	below int     // the number of readers to which it sends the data
}

// Source returns the rank that sends the data of version to the reader w, which the owner has just
// granted a shared tenure. ok is false if the owner itself sends the data. It does so if it is
// free, or if no earlier reader has received all that w lacks.
//
// The copy of that rank keeps the version until the tenure of w is over, since the owner grants no
// exclusive tenure before.
func (r *Readers) Source(w *Want, version Version, free bool) (rank dimmnet.Rank, ok bool) {
	if r.version != version {
		*r = Readers{version: version, list: r.list[:0]}
	}
	for r.first < len(r.list) && r.list[r.first].below == Fanout {
		r.first++
	}
	for i := r.first; i < len(r.list) && !free && !ok; i++ {
		x := &r.list[i]
		if x.below < Fanout && x.have <= w.Have && x.rank != w.Rank {
			x.below++
			rank, ok = x.rank, true
		}
	}
	r.list = append(r.list, reader{rank: w.Rank, have: w.Have})
	return rank, ok
}
