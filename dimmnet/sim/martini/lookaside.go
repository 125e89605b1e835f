package martini

// Both look-aside buffers: 4 ways, 256 sets, 8-bit tags (docs/papers.md, DIMMnet-1, AOTF).
const (
	sets = 256
	ways = 4
)

// lookaside is a set-associative buffer of keys with replacement of the least recently used.
type lookaside[K comparable] struct {
	sets [sets]set[K]
}

type set[K comparable] struct {
	used int8
	keys [ways]K // the most recently used first
}

// touch reports whether key is present, and makes it the most recently used.
func (l *lookaside[K]) touch(index int, key K) bool {
	s := &l.sets[index%sets]
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
	s := &l.sets[index%sets]
	s.used = min(s.used+1, ways)
	copy(s.keys[1:], s.keys[:])
	s.keys[0] = key
}

func (l *lookaside[K]) forget(index int, key K) {
	s := &l.sets[index%sets]
	for i := range s.used {
		if s.keys[i] == key {
			copy(s.keys[i:], s.keys[i+1:])
			s.used--
			return
		}
	}
}

func (l *lookaside[K]) full(index int) bool { return l.sets[index%sets].used == ways }

func (l *lookaside[K]) drop(gone func(K) bool) {
	for i := range l.sets {
		s := &l.sets[i]
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
