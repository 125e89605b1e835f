package fagus

import (
	"fmt"
	"runtime/debug"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/guard"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Check says whether and how strictly a program's accesses to its arrays are
// watched: see docs/check.md.
type Check uint8

// The ways to check.
const (
	// CheckOff checks nothing, and costs nothing.
	CheckOff Check = iota
	// CheckOn fails the run at the first access to what the rank does not hold in that
	// mode. What Update has brought may be read until its variable is acquired
	// again.
	CheckOn
	// CheckStrict is CheckOn, but what Update has brought may be read only until the
	// next Acquire, of whatever.
	CheckStrict
)

// String is the way in words.
func (c Check) String() string {
	switch c {
	case CheckOff:
		return "off"
	case CheckOn:
		return "on"
	case CheckStrict:
		return "strict"
	}
	return fmt.Sprintf("check %d", uint8(c))
}

// validate reports a way that does not exist, or not here.
func (c Check) validate() error {
	if c > CheckStrict {
		return fmt.Errorf("fagus: %v: want %v, %v or %v", c, CheckOff, CheckOn, CheckStrict)
	}
	if c == CheckOff {
		return nil
	}
	if err := guard.Supported(); err != nil {
		return fmt.Errorf("fagus: Config.Check: %w", err)
	}
	return nil
}

// Advice is a way to make a program communicate less: see Report.Advice.
type Advice = guard.Advice

// checker watches a rank for Config.Check; nil if nobody wants it.
type checker struct{ *guard.Guard }

func newChecker(n *Node, c Check) *checker {
	if c == CheckOff {
		return nil
	}
	version := func(id syncvar.ID) syncvar.Version { return n.engine.Version(id) }
	return &checker{guard.New(n.space, c == CheckStrict, version)}
}

// mapArray makes the memory of an array, which is the same for the program and the
// runtime if nothing is checked. With it come those of all ranks, if this one can read them.
func (n *Node) mapArray(bytes int) (m guard.Memory, all [][]byte, err error) {
	var mem []byte
	switch {
	case n.check != nil:
		m, err = n.check.Map(bytes)
		return m, nil, err
	case n.space.IsOneCopy():
		mem, err = n.host.(dimmnet.Sharer).Share(bytes)
	case n.views:
		if all, err = n.host.(dimmnet.Viewer).View(bytes); err == nil {
			mem = all[n.rank]
		}
	default:
		if mem, err = mapMemory(bytes); err == nil {
			n.memory = append(n.memory, mem)
		}
	}
	return guard.Memory{Own: mem, View: mem}, all, err
}

func (c *checker) array(m guard.Memory, name string, base consistency.Addr, elementBytes int) {
	if c != nil {
		c.Add(m, name, base, elementBytes)
	}
}

func (c *checker) bound(id syncvar.ID) {
	if c != nil {
		c.Bound(id)
	}
}

func (c *checker) acquired(set *SyncSet) error {
	if c == nil {
		return nil
	}
	return c.Acquired(guard.Tenure{Shared: set.shared, Exclusive: set.exclusive, Declared: set.allowed})
}

func (c *checker) released(wrote []syncvar.ID) error {
	if c == nil {
		return nil
	}
	return c.Released(wrote)
}

func (c *checker) met(call syncvar.Call) error {
	if c == nil || call != syncvar.Update {
		return nil
	}
	return c.Updated()
}

// tallies is what the advice of Run is made of.
func (c *checker) tallies() []guard.Tally {
	if c == nil {
		return nil
	}
	return c.Tallies()
}

func (c *checker) close() error {
	if c == nil {
		return nil
	}
	return c.Close()
}

// run runs the rank's program. If it is checked, an access that it must not make
// ends it with an error.
func (n *Node) run(program func(*Node) error) (err error) {
	if n.check == nil {
		return program(n)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if fault, ok := v.(interface{ Addr() uintptr }); ok {
			if words, ok := n.check.Fault(fault.Addr()); ok {
				err = n.errorf("%s", words)
				return
			}
		}
		panic(v) // what it came from is still on the stack
	}()
	return program(n)
}
