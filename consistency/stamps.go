package consistency

import (
	"cmp"
	"slices"
	"sort"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Piece is a range and the version that wrote it.
type Piece struct {
	Range
	Version syncvar.Version
}

// stamps records which version wrote which bytes. The pieces are by address and do not overlap.
// Bytes that no piece covers have version 0.
type stamps []Piece

// overwrite returns st with pieces written over it. It splices up to 8 pieces in one by one, and
// merges more pieces in one pass. It may change st and pieces. The pieces must not overlap.
func (st stamps) overwrite(pieces []Piece) stamps {
	const few = 8
	if len(st) == 1 && len(pieces) == 1 && st[0].Range == pieces[0].Range {
		st[0].Version = pieces[0].Version
		return st
	}
	if len(pieces) <= few {
		for _, p := range pieces {
			st = st.splice(p)
		}
		return st
	}
	byAddr := func(a, b Piece) int { return cmp.Compare(a.Lo, b.Lo) }
	if !slices.IsSortedFunc(pieces, byAddr) {
		slices.SortFunc(pieces, byAddr)
	}
	out := make(stamps, 0, len(st)+len(pieces))
	for _, p := range pieces {
		for len(st) > 0 && st[0].Lo < p.Hi {
			old := st[0]
			if old.Lo < p.Lo { // the part before p stays
				out = out.join(Piece{Range{old.Lo, min(old.Hi, p.Lo)}, old.Version})
			}
			if old.Hi > p.Hi { // later pieces may overwrite the part behind p
				st[0].Lo = p.Hi
				break
			}
			st = st[1:]
		}
		out = out.join(p)
	}
	for _, old := range st {
		out = out.join(old)
	}
	return out
}

func (st stamps) splice(p Piece) stamps {
	i := sort.Search(len(st), func(i int) bool { return st[i].Hi >= p.Lo })
	// Pieces i to j-1 overlap or touch p.
	j := i
	for j < len(st) && st[j].Lo <= p.Hi {
		j++
	}
	repl := make(stamps, 0, 3)
	if i < j && st[i].Lo < p.Lo {
		repl = append(repl, Piece{Range{st[i].Lo, min(st[i].Hi, p.Lo)}, st[i].Version})
	}
	repl = repl.join(p)
	if i < j && st[j-1].Hi > p.Hi {
		repl = repl.join(Piece{Range{max(st[j-1].Lo, p.Hi), st[j-1].Hi}, st[j-1].Version})
	}
	return slices.Replace(st, i, j, repl...)
}

// join appends p, or extends the last piece if the two touch and have the same version.
func (st stamps) join(p Piece) stamps {
	if n := len(st); n > 0 && st[n-1].Hi == p.Lo && st[n-1].Version == p.Version {
		st[n-1].Hi = p.Hi
		return st
	}
	return append(st, p)
}
