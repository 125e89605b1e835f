package target

import (
	"math"
	"strings"
	"sync"

	"github.com/fagus-dsm/fagus/fagus"
)

// Mode is how a variable is wanted.
type Mode int32

// The modes.
const (
	Shared    Mode = iota // to read
	Exclusive             // to read and write; what was written is found out
	Telling               // the same, but what was written is told by Wrote
)

// Span is a range of bytes of an array.
type Span struct{ Array, Offset, Bytes int }

// Session is what a rank has made. Its methods are for one thread at a time, and say so if they are called by two.
type Session struct {
	node   *fagus.Node
	busy   sync.Mutex
	arrays []*fagus.Array[byte]
	vars   []*fagus.SyncVar
	sets   []*set
	held   *set
	names  map[string]bool // of arrays, and of variables behind a 0
}

// set is what is asked for together.
type set struct {
	wants []fagus.Request
	has   map[int]bool // numbers of variables
	made  *fagus.SyncSet
}

// Begin is a session on a Node.
func Begin(n *fagus.Node) *Session { return &Session{node: n, names: make(map[string]bool)} }

// MaxName is how many bytes a name has at most.
const MaxName = 1 << 15

// MaxSpans is how many spans a call takes at most.
const MaxSpans = 1 << 20

// within refuses what is beyond these.
func within(name string, spans []Span) error {
	if len(name) > MaxName || len(spans) > MaxSpans {
		return fail(Argument, "a name of %d bytes and %d ranges: at most %d and %d", len(name), len(spans), MaxName, MaxSpans)
	}
	return nil
}

func busy() error {
	return fail(Busy, "another thread is in a call: calls are for one thread at a time")
}

// alone makes a call; it fails if another thread is in one.
func (s *Session) alone(f func() error) error {
	if !s.busy.TryLock() {
		return busy()
	}
	defer s.busy.Unlock()
	return f()
}

// call makes one that needs nothing held.
func (s *Session) call(name string, f func() error) error {
	return s.alone(func() error {
		if s.held != nil {
			return fail(Held, "%s while holding %v: release it first", name, s.held.made)
		}
		return f()
	})
}

// because gives the error of a Node a code.
func because(c Code, err error) error {
	if err == nil {
		return nil
	}
	return &Error{c, err.Error()}
}

// lost makes the error of a Node one of the run.
func lost(err error) error { return because(Lost, err) }

// Alloc makes an array of bytes, all 0 and aligned to a page. It is collective.
func (s *Session) Alloc(name string, bytes int) (array int, err error) {
	if err := within(name, nil); err != nil {
		return 0, err
	}
	err = s.call("alloc", func() error {
		if bytes < 1 {
			return fail(Argument, "array %q of %d bytes: want at least 1", name, bytes)
		}
		if err := s.fresh(name); err != nil {
			return err
		}
		a, err := fagus.NewArray[byte](s.node, name, bytes)
		if err != nil {
			return because(Memory, err)
		}
		s.names[name] = true
		array, s.arrays = len(s.arrays), append(s.arrays, a)
		return nil
	})
	return array, err
}

// fresh says whether something of a name can be made.
func (s *Session) fresh(name string) error {
	if s.names[name] {
		return fail(Name, "%q is the name of another", strings.TrimPrefix(name, "\x00"))
	}
	return lost(s.node.Err())
}

// Memory is this rank's copy of an array, outside of the Go heap. It ends with the session.
func (s *Session) Memory(array int) []byte { return s.arrays[array].Slice() }

// ranges are spans as package fagus has them.
func (s *Session) ranges(spans []Span) ([]fagus.Range, error) {
	ranges := make([]fagus.Range, len(spans))
	for i, p := range spans {
		if p.Array < 0 || p.Array >= len(s.arrays) {
			return nil, fail(Address, "array %d: there are %d", p.Array, len(s.arrays))
		}
		a := s.arrays[p.Array]
		if p.Offset < 0 || p.Bytes < 1 || p.Bytes > a.Len() || p.Offset > a.Len()-p.Bytes {
			return nil, fail(Address, "%d bytes at %d of %q, which has %d: want at least 1, inside", p.Bytes, p.Offset, a.Name(), a.Len())
		}
		ranges[i] = a.Range(p.Offset, p.Offset+p.Bytes)
	}
	return ranges, nil
}

// Bind makes a variable that guards spans, at least one. It is collective.
func (s *Session) Bind(name string, spans ...Span) (variable int, err error) {
	if err := within(name, spans); err != nil {
		return 0, err
	}
	err = s.call("bind", func() error {
		if len(spans) == 0 {
			return fail(Argument, "bind %q: no range", name)
		}
		ranges, err := s.ranges(spans)
		if err != nil {
			return err
		}
		if err := s.fresh("\x00" + name); err != nil {
			return err
		}
		v, err := s.node.Bind(name, ranges...)
		if err != nil {
			return because(Bound, err)
		}
		s.names["\x00"+name] = true
		variable, s.vars = len(s.vars), append(s.vars, v)
		return nil
	})
	return variable, err
}

// NewSet makes a set without variables.
func (s *Session) NewSet() (number int, err error) {
	err = s.alone(func() error {
		number, s.sets = len(s.sets), append(s.sets, &set{has: make(map[int]bool)})
		return nil
	})
	return number, err
}

// set is the one of a number.
func (s *Session) set(number int) (*set, error) {
	if number < 0 || number >= len(s.sets) {
		return nil, fail(Handle, "set %d: there are %d", number, len(s.sets))
	}
	return s.sets[number], nil
}

// Ask puts a variable into a set that is not held.
func (s *Session) Ask(number, variable int, mode Mode) error {
	return s.alone(func() error {
		t, err := s.set(number)
		switch {
		case err != nil:
			return err
		case variable < 0 || variable >= len(s.vars):
			return fail(Handle, "variable %d: there are %d", variable, len(s.vars))
		case mode < Shared || mode > Telling:
			return fail(Argument, "mode %d: want 0 to %d", mode, Telling)
		case t == s.held:
			return fail(Held, "set %d is held: it cannot change", number)
		case t.has[variable]:
			return fail(Twice, "variable %d is in set %d already", variable, number)
		}
		want := fagus.Want(s.vars[variable], fagus.Exclusive)
		switch mode {
		case Shared:
			want = fagus.Want(s.vars[variable], fagus.Shared)
		case Telling:
			want = want.Telling()
		}
		t.wants, t.made, t.has[variable] = append(t.wants, want), nil, true
		return nil
	})
}

// Clear takes all variables out of a set that is not held.
func (s *Session) Clear(number int) error {
	return s.alone(func() error {
		t, err := s.set(number)
		if err != nil {
			return err
		}
		if t == s.held {
			return fail(Held, "set %d is held: it cannot change", number)
		}
		t.wants, t.made = t.wants[:0], nil
		clear(t.has)
		return nil
	})
}

// Acquire is that of the Node.
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

// Release is that of the Node.
func (s *Session) Release(number int) error {
	return s.alone(func() error {
		t, err := s.set(number)
		if err != nil {
			return err
		}
		if t != s.held {
			return fail(NotHeld, "release of set %d, which is not held", number)
		}
		s.held = nil
		return lost(s.node.Release(t.made))
	})
}

// Wrote tells of writes to variables that are held by Telling.
func (s *Session) Wrote(spans ...Span) error {
	if err := within("", spans); err != nil {
		return err
	}
	return s.alone(func() error {
		if s.held == nil {
			return fail(NotHeld, "writes are told of, and nothing is held")
		}
		ranges, err := s.ranges(spans)
		if err != nil {
			return err
		}
		if err := s.node.Wrote(ranges...); err != nil {
			return because(NotHeld, err)
		}
		return nil
	})
}

// Update is that of the Node.
func (s *Session) Update() error {
	return s.call("updatecache", func() error { return lost(s.node.Update()) })
}

// Barrier is that of the Node.
func (s *Session) Barrier() error {
	return s.call("barrier", func() error { return lost(s.node.Barrier()) })
}

// longest is the time that can be charged at once, in nanoseconds: 106 days.
const longest = math.MaxInt64 / int64(fagus.Nanosecond)

// Spend charges computing to a virtual clock, a number of nanoseconds that is not negative.
func (s *Session) Spend(ns int64) error {
	return s.alone(func() error {
		if ns < 0 || ns > longest {
			return fail(Argument, "%d ns: want 0 to %d", ns, longest)
		}
		s.node.Spend(fagus.Time(ns) * fagus.Nanosecond)
		return nil
	})
}

// End says that the rank holds nothing and wants nothing more.
func (s *Session) End() error { return s.call("finalize", func() error { return nil }) }

// Rank and Size are those of the Node.
func (s *Session) Rank() int { return s.node.Rank() }

// Size is the number of ranks.
func (s *Session) Size() int { return s.node.Nodes() }
