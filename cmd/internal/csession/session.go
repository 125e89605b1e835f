package csession

import (
	"math"
	"strings"
	"sync"

	"github.com/fagus-dsm/fagus/fagus"
)

// Access is how a rank acquires a variable.
type Access int32

// The modes.
const (
	// The accesses.
	Shared    Access = iota // to read
	Exclusive               // to read and write; Release detects which bytes were written
	Declared                // to read and write; Wrote declares which bytes were written
)

// Span is a range of bytes of an array.
type Span struct{ Array, Offset, Bytes int }

// Session holds the arrays, variables and sets of one rank. One thread at a time may call its
// methods; a second concurrent call returns a Busy error.
type Session struct {
	node   *fagus.Node
	busy   sync.Mutex
	arrays []*fagus.Array[byte]
	vars   []*fagus.SyncVar
	sets   []*set
	held   *set
	names  map[string]bool // names of arrays, and names of variables with a leading 0 byte
}

// set is a list of variables that are acquired together.
type set struct {
	wants []fagus.Request
	has   map[int]bool   // numbers of the variables in the set
	made  *fagus.SyncSet // built from wants at the first Acquire
}

// Begin returns a session on a Node. Threads of C take turns in its calls.
func Begin(n *fagus.Node) *Session {
	n.Serialized()
	return &Session{node: n, names: make(map[string]bool)}
}

// MaxName is the maximum length of a name in bytes.
const MaxName = 1 << 15

// MaxSpans is the maximum number of spans in a call.
const MaxSpans = 1 << 20

func checkSizes(name string, spans []Span) error {
	if len(name) > MaxName || len(spans) > MaxSpans {
		return fail(Argument, "a call with a name of %d bytes and %d ranges: want at most %d bytes and %d ranges", len(name), len(spans), MaxName, MaxSpans)
	}
	return nil
}

func busy() error {
	return fail(Busy, "another thread is in a call: make calls from one thread at a time")
}

func (s *Session) locked(f func() error) error {
	if !s.busy.TryLock() {
		return busy()
	}
	defer s.busy.Unlock()
	return f()
}

func (s *Session) call(name string, f func() error) error {
	return s.locked(func() error {
		if s.held != nil {
			return fail(Held, "%s while holding %v: release it first", name, s.held.made)
		}
		return f()
	})
}

func coded(c Code, err error) error {
	if err == nil {
		return nil
	}
	return &Error{c, err.Error()}
}

func lost(err error) error { return coded(Lost, err) }

// Alloc makes an array of zero bytes, aligned to a page. It is collective.
func (s *Session) Alloc(name string, bytes int) (array int, err error) {
	if err := checkSizes(name, nil); err != nil {
		return 0, err
	}
	err = s.call("alloc", func() error {
		if bytes < 1 {
			return fail(Argument, "allocating array %q of %d bytes: want at least 1", name, bytes)
		}
		if err := s.checkName(name); err != nil {
			return err
		}
		a, err := fagus.NewArray[byte](s.node, name, bytes)
		if err != nil {
			return coded(Memory, err)
		}
		s.names[name] = true
		array, s.arrays = len(s.arrays), append(s.arrays, a)
		return nil
	})
	return array, err
}

func (s *Session) checkName(name string) error {
	if s.names[name] {
		return fail(Name, "the name %q is already in use", strings.TrimPrefix(name, "\x00"))
	}
	return lost(s.node.Err())
}

// Memory returns this rank's copy of an array. The copy lies outside the Go heap and is valid
// until the session ends.
func (s *Session) Memory(array int) []byte { return s.arrays[array].Slice() }

func (s *Session) ranges(spans []Span) ([]fagus.Range, error) {
	ranges := make([]fagus.Range, len(spans))
	for i, p := range spans {
		if p.Array < 0 || p.Array >= len(s.arrays) {
			return nil, fail(Address, "array %d does not exist: %d arrays exist", p.Array, len(s.arrays))
		}
		a := s.arrays[p.Array]
		if p.Offset < 0 || p.Bytes < 1 || p.Bytes > a.Len() || p.Offset > a.Len()-p.Bytes {
			return nil, fail(Address, "%d bytes at offset %d of array %q, which has %d bytes: want at least 1 byte, inside the array", p.Bytes, p.Offset, a.Name(), a.Len())
		}
		ranges[i] = a.Range(p.Offset, p.Offset+p.Bytes)
	}
	return ranges, nil
}

// Bind makes a variable that guards one or more spans. It is collective.
func (s *Session) Bind(name string, spans ...Span) (variable int, err error) {
	if err := checkSizes(name, spans); err != nil {
		return 0, err
	}
	err = s.call("bind", func() error {
		if len(spans) == 0 {
			return fail(Argument, "bind %q: want at least one range", name)
		}
		ranges, err := s.ranges(spans)
		if err != nil {
			return err
		}
		if err := s.checkName("\x00" + name); err != nil {
			return err
		}
		v, err := s.node.Bind(name, ranges...)
		if err != nil {
			return coded(Bound, err)
		}
		s.names["\x00"+name] = true
		variable, s.vars = len(s.vars), append(s.vars, v)
		return nil
	})
	return variable, err
}

// NewSet makes an empty set.
func (s *Session) NewSet() (number int, err error) {
	err = s.locked(func() error {
		number, s.sets = len(s.sets), append(s.sets, &set{has: make(map[int]bool)})
		return nil
	})
	return number, err
}

func (s *Session) set(number int) (*set, error) {
	if number < 0 || number >= len(s.sets) {
		return nil, fail(Handle, "set %d does not exist: %d sets exist", number, len(s.sets))
	}
	return s.sets[number], nil
}

// Add adds a variable to a set that is not held.
func (s *Session) Add(number, variable int, access Access) error {
	return s.add(number, variable, access, false)
}

// AddUnordered is Add with the statement that the program is right in whichever order ranks are
// granted the variable, as fagus.Request.Unordered says.
func (s *Session) AddUnordered(number, variable int, access Access) error {
	return s.add(number, variable, access, true)
}

func (s *Session) add(number, variable int, access Access, unordered bool) error {
	return s.locked(func() error {
		t, err := s.set(number)
		switch {
		case err != nil:
			return err
		case variable < 0 || variable >= len(s.vars):
			return fail(Handle, "variable %d does not exist: %d variables exist", variable, len(s.vars))
		case access < Shared || access > Declared:
			return fail(Argument, "access %d: want 0 to %d", access, Declared)
		case t == s.held:
			return fail(Held, "changing set %d while it is held: release it first", number)
		case t.has[variable]:
			return fail(Twice, "variable %d is already in set %d", variable, number)
		}
		want := fagus.Want(s.vars[variable], fagus.Exclusive)
		switch access {
		case Shared:
			want = fagus.Want(s.vars[variable], fagus.Shared)
		case Declared:
			want = want.Reporting()
		}
		if unordered {
			want = want.Unordered()
		}
		t.wants, t.made, t.has[variable] = append(t.wants, want), nil, true
		return nil
	})
}

// Clear removes all variables from a set that is not held.
func (s *Session) Clear(number int) error {
	return s.locked(func() error {
		t, err := s.set(number)
		if err != nil {
			return err
		}
		if t == s.held {
			return fail(Held, "changing set %d while it is held: release it first", number)
		}
		t.wants, t.made = t.wants[:0], nil
		clear(t.has)
		return nil
	})
}

// Acquire acquires a set, as fagus.Node.Acquire does.
func (s *Session) Acquire(number int) error {
	return s.call("acquire", func() error {
		t, err := s.set(number)
		if err != nil {
			return err
		}
		if t.made == nil {
			t.made = s.node.Set(t.wants...)
		}
		if err := s.node.Acquire(t.made); err != nil {
			return lost(err)
		}
		s.held = t
		return nil
	})
}

// Release releases the set that is held, as fagus.Node.Release does.
func (s *Session) Release(number int) error {
	return s.locked(func() error {
		t, err := s.set(number)
		if err != nil {
			return err
		}
		if t != s.held {
			return fail(NotHeld, "releasing set %d, which is not held", number)
		}
		s.held = nil
		return lost(s.node.Release(t.made))
	})
}

// Wrote declares writes to variables that are held with access Declared.
func (s *Session) Wrote(spans ...Span) error {
	if err := checkSizes("", spans); err != nil {
		return err
	}
	return s.locked(func() error {
		if s.held == nil {
			return fail(NotHeld, "declaring writes while no set is held")
		}
		ranges, err := s.ranges(spans)
		if err != nil {
			return err
		}
		if err := s.node.Wrote(ranges...); err != nil {
			return coded(NotHeld, err)
		}
		return nil
	})
}

// Update brings the copies of all ranks up to date, as fagus.Node.Update does.
func (s *Session) Update() error {
	return s.call("updatecache", func() error { return lost(s.node.Update()) })
}

// Barrier waits for all ranks, as fagus.Node.Barrier does.
func (s *Session) Barrier() error {
	return s.call("barrier", func() error { return lost(s.node.Barrier()) })
}

// Fence orders tenures, as fagus.Node.Fence does.
func (s *Session) Fence() error {
	return s.call("fence", func() error { return lost(s.node.Fence()) })
}

// longest is the maximum argument of Spend, in nanoseconds: 106 days.
const longest = math.MaxInt64 / int64(fagus.Nanosecond)

// Spend adds ns nanoseconds of computing, at least 0, to the Node's clock if it is virtual.
func (s *Session) Spend(ns int64) error {
	return s.locked(func() error {
		if ns < 0 || ns > longest {
			return fail(Argument, "spending %d ns: want 0 to %d", ns, longest)
		}
		s.node.Spend(fagus.Time(ns) * fagus.Nanosecond)
		return nil
	})
}

// End ends the session. It returns an error if a set is held.
func (s *Session) End() error { return s.call("finalize", func() error { return nil }) }

// Rank returns the rank of the Node.
func (s *Session) Rank() int { return s.node.Rank() }

// Size returns the number of ranks.
func (s *Session) Size() int { return s.node.Nodes() }
