package runflags

import (
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Faults are the probabilities with which a network loses, duplicates or delays a datagram.
type Faults struct {
	Loss      float64 `json:"loss"`
	Duplicate float64 `json:"duplicate"`
	Reorder   float64 `json:"reorder"`
}

// Text returns the faults in brackets, to follow a network's name; "" without faults.
func (f *Faults) Text() string {
	var list []string
	for _, p := range []struct {
		probability float64
		what        string
	}{{f.Loss, "loss"}, {f.Duplicate, "doubled"}, {f.Reorder, "held back"}} {
		if p.probability != 0 {
			list = append(list, fmt.Sprintf("%.4g %% %s", 100*p.probability, p.what))
		}
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// FaultFlags returns the flags that ReadFaults reads.
func FaultFlags() (flags []cli.Flag) {
	for _, f := range []struct{ name, what string }{{"loss", "lost"}, {"duplicate", "delivered twice"}, {"reorder", "overtaken by later ones"}} {
		flags = append(flags, &cli.Float64Flag{Name: f.name, Category: "the UDP network", Usage: "a datagram is " + f.what + " with probability `P`"})
	}
	return flags
}

// ReadFaults reads the flags of FaultFlags. If datagrams is false, a flag that is set is an error,
// which recommends the network flag given in the parameter with.
func ReadFaults(c *cli.Context, datagrams bool, with string) (Faults, error) {
	for _, f := range FaultFlags() {
		name := f.Names()[0]
		if c.IsSet(name) && !datagrams {
			return Faults{}, usage.Errorf("--%s is for datagrams: use it with %s", name, with)
		}
		if p := c.Float64(name); !(p >= 0 && p < 1) { // also NaN
			return Faults{}, usage.Errorf("--%s %v: want a probability of at least 0 and less than 1", name, p)
		}
	}
	return Faults{c.Float64("loss"), c.Float64("duplicate"), c.Float64("reorder")}, nil
}
