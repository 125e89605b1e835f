package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// faults are the probabilities with which a UDP network loses, doubles or holds back
// a datagram.
type faults struct {
	Loss      float64 `json:"loss"`
	Duplicate float64 `json:"duplicate"`
	Reorder   float64 `json:"reorder"`
}

// inBrackets is to stand behind the name of a network; empty if there are none.
func (f *faults) inBrackets() string {
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

// udpFaults are those of the network of p; nil if it sends no datagrams.
func (p *placement) udpFaults() *faults {
	if p.net != netUDP100 {
		return nil
	}
	return &p.faults
}

// faultFlags are what may happen to a datagram.
func faultFlags() (flags []cli.Flag) {
	for _, f := range []struct{ name, what string }{{"loss", "lost"}, {"duplicate", "doubled"}, {"reorder", "overtaken by later ones"}} {
		flags = append(flags, &cli.Float64Flag{Name: f.name, Category: "the UDP network", Usage: "a datagram is " + f.what + " with probability `P`"})
	}
	return flags
}

// readFaults reads the flags of faultFlags. used says whether they have any effect,
// and with which says what else to call for that.
func readFaults(c *cli.Context, used bool, with string) (faults, error) {
	for _, f := range faultFlags() {
		if name := f.Names()[0]; c.IsSet(name) && !used {
			return faults{}, usagef("--%s is for datagrams: use it with %s", name, with)
		}
	}
	return faults{c.Float64("loss"), c.Float64("duplicate"), c.Float64("reorder")}, nil
}
