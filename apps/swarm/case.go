package swarm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// Case is a program, where it runs, and what goes wrong there. It is data: it can be
// written as JSON, read again, and made smaller.
type Case struct {
	Seed      uint64      `json:"seed"` // it was made from, and of all that the network draws
	Nodes     int         `json:"nodes"`
	Variables []int       `json:"variables"` // bytes of each
	Engine    Engine      `json:"engine"`
	UDP       *sim.UDP    `json:"udp,omitempty"`          // nil: DIMMnet-1
	LLCM      int         `json:"llcm,omitempty"`         // bytes; 0: as many as the machine has
	Bulk      int         `json:"bulk,omitempty"`         // bytes of bulk memory; 0: likewise
	MaxDelay  fagus.Time  `json:"max_delay_ps,omitempty"` // of packets and computing; 0: none
	Rounds    []Round     `json:"rounds"`
	Faults    []sim.Fault `json:"faults,omitempty"`
}

// Engine is the version of Fagus that runs a case.
type Engine struct {
	Threaded bool `json:"threaded,omitempty"`
	Push     bool `json:"push,omitempty"`    // of the phase engine on DIMMnet-1, instead of rings
	Notices  bool `json:"notices,omitempty"` // of the threaded one on DIMMnet-1, instead of polling
	CPUs     int  `json:"cpus"`              // of a node
}

// Round is what the ranks do before all of them make the call End.
type Round struct {
	Ranks [][]Tenure `json:"ranks"` // by rank
	End   Call       `json:"end,omitempty"`
}

// Call is a collective one.
type Call string

// The calls that may end a round.
const (
	Nothing Call = ""
	Update  Call = "update"
	Barrier Call = "barrier"
	Reduce  Call = "reduce" // New makes none: its cases stay what they were
)

// Tenure is one Acquire and Release of a rank.
type Tenure struct {
	Looks   []int      `json:"looks,omitempty"` // variables that are looked at before it
	Wants   []Want     `json:"wants,omitempty"`
	Compute fagus.Time `json:"compute_ps,omitempty"` // while they are held
}

// Want is a variable of a tenure.
type Want struct {
	Variable  int     `json:"variable"`
	Exclusive bool    `json:"exclusive,omitempty"`
	Declared  bool    `json:"declared,omitempty"` // the writes, by Request.Writing
	Writes    []Write `json:"writes,omitempty"`   // only if Exclusive
}

// Write fills bytes From up to To, exclusive, of a variable with what Fill makes.
type Write struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Fill uint32 `json:"fill"`
}

// into writes to the bytes of the variable.
func (w *Write) into(b []byte) {
	x := w.Fill
	for i := w.From; i < w.To; i++ {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
}

// Check reports what makes a case that was read impossible.
func (c *Case) Check() error {
	if c.Nodes < 1 || c.Nodes > mostNodes || len(c.Variables) == 0 {
		return fmt.Errorf("swarm: %d nodes, %d variables: want 1 to %d, and at least 1", c.Nodes, len(c.Variables), mostNodes)
	}
	for v, size := range c.Variables {
		if size < 1 || size > mostBytes {
			return fmt.Errorf("swarm: variable %d of %d bytes: want 1 to %d", v, size, mostBytes)
		}
	}
	if c.Engine.CPUs < 1 || c.Engine.CPUs > mostCPUs {
		return fmt.Errorf("swarm: %d CPUs: want 1 to %d", c.Engine.CPUs, mostCPUs)
	}
	if c.LLCM != 0 && c.LLCM < leastLLCM || c.LLCM > mostBytes || c.Bulk != 0 && c.Bulk < leastBulk || c.Bulk > mostBytes {
		return fmt.Errorf("swarm: %d bytes of LLCM, %d of bulk memory: want %d or %d, up to %d, or 0", c.LLCM, c.Bulk, leastLLCM, leastBulk, mostBytes)
	}
	for i, round := range c.Rounds {
		if len(round.Ranks) != c.Nodes || !slices.Contains([]Call{Nothing, Update, Barrier, Reduce}, round.End) {
			return fmt.Errorf("swarm: round %d of %d ranks ends by %q: want %d ranks, and %q, %q, %q or nothing", i, len(round.Ranks), round.End, c.Nodes, Update, Barrier, Reduce)
		}
		for r, tenures := range round.Ranks {
			for _, t := range tenures {
				if err := c.checkTenure(&t); err != nil {
					return fmt.Errorf("swarm: round %d, rank %d: %w", i, r, err)
				}
			}
		}
	}
	return nil
}

// What a case that was read can have at most.
const (
	mostNodes = 64
	mostBytes = 1 << 24
	mostCPUs  = 64
)

// The least memories that a case asks for, in bytes: every engine finds room for two
// slots a peer, if there are few, and for messages of more than one piece.
const (
	leastLLCM = 2048
	leastBulk = 256
)

func (c *Case) checkTenure(t *Tenure) error {
	if t.Compute < 0 {
		return fmt.Errorf("a tenure computes for %v", t.Compute)
	}
	for _, v := range t.Looks {
		if v < 0 || v >= len(c.Variables) {
			return fmt.Errorf("a look at variable %d of %d", v, len(c.Variables))
		}
	}
	for _, w := range t.Wants {
		if w.Variable < 0 || w.Variable >= len(c.Variables) {
			return fmt.Errorf("variable %d is wanted: there are %d", w.Variable, len(c.Variables))
		}
		for _, x := range w.Writes {
			if !w.Exclusive || x.From < 0 || x.From >= x.To || x.To > c.Variables[w.Variable] {
				return fmt.Errorf("bytes %d to %d of variable %d are written: it has %d, and must be exclusive", x.From, x.To, w.Variable, c.Variables[w.Variable])
			}
		}
	}
	return nil
}

// String prints the case, a line a tenure.
func (c Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d nodes, %v, %s, variables of %v bytes\n", c.Seed, c.Nodes, c.Engine, c.network(), c.Variables)
	for _, f := range c.Faults {
		fmt.Fprintf(&b, "  fault: %v\n", f)
	}
	for i, round := range c.Rounds {
		fmt.Fprintf(&b, "  round %d\n", i)
		for r, tenures := range round.Ranks {
			for _, t := range tenures {
				fmt.Fprintf(&b, "    rank %d: %v\n", r, t)
			}
		}
		if round.End != Nothing {
			fmt.Fprintf(&b, "    all: %s\n", round.End)
		}
	}
	return b.String()
}

// String names the engine.
func (e Engine) String() string {
	name := "phase, rings"
	switch {
	case e.Threaded && e.Notices:
		name = "threaded, notices"
	case e.Threaded:
		name = "threaded, polling"
	case e.Push:
		name = "phase, push"
	}
	return fmt.Sprintf("%s, %d CPUs a node", name, e.CPUs)
}

func (c *Case) network() string {
	name := "dimmnet1"
	if u := c.UDP; u != nil {
		name = fmt.Sprintf("udp100 (loss %.3f, duplicate %.3f, reorder %.3f)", u.Loss, u.Duplicate, u.Reorder)
	}
	if c.LLCM > 0 {
		name += fmt.Sprintf(" with %d bytes of LLCM", c.LLCM)
	}
	if c.Bulk > 0 {
		name += fmt.Sprintf(" and %d of bulk memory", c.Bulk)
	}
	if c.MaxDelay > 0 {
		name += fmt.Sprintf(", delays up to %v", c.MaxDelay)
	}
	return name
}

// String says what a tenure does, in order.
func (t Tenure) String() string {
	var words []string
	if len(t.Looks) > 0 {
		words = append(words, fmt.Sprintf("look at %v;", t.Looks))
	}
	words = append(words, "acquire")
	for _, w := range t.Wants {
		mode := "shared"
		if w.Exclusive {
			mode = "exclusive"
		}
		words = append(words, fmt.Sprintf("v%d:%s", w.Variable, mode))
		for _, x := range w.Writes {
			words = append(words, fmt.Sprintf("[%d:%d]", x.From, x.To))
		}
		if w.Declared {
			words = append(words, "declared")
		}
	}
	if t.Compute > 0 {
		words = append(words, fmt.Sprintf("for %v", t.Compute))
	}
	return strings.Join(words, " ")
}
