package checkpoint

import "github.com/fagus-dsm/fagus/fagus"

// place is where a piece was saved.
type place struct {
	object string
	entry
}

// pieceKey identifies a piece of a rank.
type pieceKey struct {
	array, offset, bytes int
	guard                uint64
}

// savedPiece is what a rank remembers of a saved piece.
type savedPiece struct {
	version uint64
	places  []place
}

// memory is what a rank remembers of its last checkpoint.
type memory struct {
	pieces  map[pieceKey]savedPiece
	objects map[string]int64 // the bytes of the parts that pieces refers to
}

// write writes the rank's data, except for pieces that m, which may be nil, knows as saved. It
// returns what is known afterwards.
func (m *memory) write(w Writer, name string, cut fagus.Cut) (*memory, error) {
	p, err := newPartWriter(w, name, cut.Start)
	if err != nil {
		return nil, err
	}
	now := &memory{pieces: make(map[pieceKey]savedPiece, len(cut.Pieces)), objects: map[string]int64{}}
	for _, piece := range cut.Pieces {
		saved := savedPiece{version: piece.Version}
		if m.has(piece) {
			saved = m.pieces[keyOf(piece)]
			p.refer(saved.places)
		} else if saved.places, err = p.save(piece); err != nil {
			return nil, err
		}
		now.pieces[keyOf(piece)] = saved
	}
	if _, err := p.end(); err != nil {
		return nil, err
	}
	for _, earlier := range p.list {
		now.objects[earlier] = m.objects[earlier]
	}
	now.objects[name] = int64(p.at)
	return now, nil
}

func keyOf(p fagus.SavedPiece) pieceKey { return pieceKey{p.Array, p.Offset, len(p.Data), p.Guard} }

// has reports whether this version of a piece is saved.
func (m *memory) has(p fagus.SavedPiece) bool {
	if m == nil {
		return false
	}
	saved, ok := m.pieces[keyOf(p)]
	return ok && saved.version == p.Version
}

// garbage reports whether the objects that m refers to have more outdated bytes than the cut has
// bytes: then everything is saved anew.
func (m *memory) garbage(cut fagus.Cut) bool {
	if m == nil {
		return false
	}
	var all, live int64
	for _, bytes := range m.objects {
		all += bytes
	}
	for _, piece := range cut.Pieces {
		live += int64(len(piece.Data)) + entryBytes
	}
	return all > 2*live
}
