package martini

// Both look-aside buffers: 4 ways, 256 sets, 8-bit tags (docs/lab/papers.md, DIMMnet-1, AOTF).
const (
	sets = 256
	ways = 4
)

// blockSets is the number of sets that are allocated together. Most nodes of a large run use few.
const blockSets = 8

// lookaside is a set-associative buffer of keys with replacement of the least recently used.
type lookaside[K comparable] struct {
	blocks [sets / blockSets]*[blockSets]set[K] // nil while all sets of a block are empty
}

type set[K comparable] struct {
	used int8
	keys [ways]K // the most recently used first
}

// at returns the set of an index, or nil if its block is not allocated.
func (l *lookaside[K]) at(index int) *set[K] {
	if b := l.blocks[index%sets/blockSets]; b != nil {
		return &b[index%blockSets]
	}
	return nil
}

// touch reports whether key is present, and makes it the most recently used.
func (l *lookaside[K]) touch(index int, key K) bool {
	s := l.at(index)
	if s == nil {
		return false
	}
	for i := range s.used {
		if s.keys[i] == key {
			copy(s.keys[1:i+1], s.keys[:i])
			s.keys[0] = key
			return true
		}
	}
	return false
}

// fill inserts key, and replaces the least recently used key of a full set.
func (l *lookaside[K]) fill(index int, key K) {
	s := l.at(index)
	if s == nil {
		l.blocks[index%sets/blockSets] = new([blockSets]set[K])
		s = l.at(index)
	}
	s.used = min(s.used+1, ways)
	copy(s.keys[1:], s.keys[:])
	s.keys[0] = key
}

func (l *lookaside[K]) forget(index int, key K) {
	s := l.at(index)
	if s == nil {
		return
	}
	for i := range s.used {
		if s.keys[i] == key {
			copy(s.keys[i:], s.keys[i+1:])
			s.used--
			return
		}
	}
}

func (l *lookaside[K]) full(index int) bool {
	s := l.at(index)
	return s != nil && s.used == ways
}

func (l *lookaside[K]) drop(gone func(K) bool) {
	for i := range sets {
		s := l.at(i)
		if s == nil {
			continue
		}
		kept := set[K]{}
		for _, k := range s.keys[:s.used] {
			if !gone(k) {
				kept.keys[kept.used] = k
				kept.used++
			}
		}
		*s = kept
	}
}
