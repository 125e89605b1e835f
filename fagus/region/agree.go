package region

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"path"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
)

// calls records the calls of generated functions, so that ranks can compare them.
type calls struct {
	count  int
	digest uint64 // of all calls
	latest []call // by number modulo mostCalls
	buffer []byte // reused
}

// call is what ranks must agree on in a call.
type call struct {
	name   string
	given  []any
	arrays []shape
	digest uint64 // of this call and all before
}

// shape describes an array of a call.
type shape struct {
	name   string
	length int
	stays  bool
}

// add records a call.
func (c *calls) add(p *Program) {
	one := call{name: p.name, given: p.given}
	b := binary.LittleEndian.AppendUint64(c.buffer[:0], c.digest)
	b = append(append(b, one.name...), 0)
	for _, a := range p.arrays {
		s := shape{a.name, a.length, a.block != nil && a.stays != nil}
		b = binary.AppendVarint(append(append(b, s.name...), 0), int64(s.length))
		if one.arrays = append(one.arrays, s); s.stays {
			b = append(b, 1)
		}
		b = append(b, 0)
	}
	for _, v := range one.given {
		b = appendValue(b, v)
	}
	h := fnv.New64a()
	_, _ = h.Write(b)
	c.buffer, c.digest = b, h.Sum64()
	one.digest = c.digest
	if c.count < mostCalls {
		c.latest = append(c.latest, one)
	} else {
		c.latest[c.count%mostCalls] = one
	}
	c.count++
}

// text describes a call.
func (c *call) text() string {
	name := path.Base(c.name)
	if c.name == "" {
		name = "a function without a name"
	}
	var all []string
	for i := 0; i+1 < len(c.given); i += 2 {
		all = append(all, fmt.Sprintf("%v %v", c.given[i], c.given[i+1]))
	}
	text := name + "(" + strings.Join(all, ", ") + ")"
	for _, s := range c.arrays {
		kind := "array"
		if s.stays {
			kind = "resident array"
		}
		text += fmt.Sprintf(", %s %s of %d elements", kind, s.name, s.length)
	}
	return text
}

// last describes the last call.
func (c *calls) last() string {
	if c.count == 0 {
		return "none"
	}
	return fmt.Sprintf("%.200s", c.latest[(c.count-1)%mostCalls].text())
}

// digestAt returns the digest after the given number of calls; 0 if it is not known any more.
func (c *calls) digestAt(count int) uint64 {
	if count < 1 || count > c.count || count <= c.count-mostCalls {
		return 0
	}
	return c.latest[(count-1)%mostCalls].digest
}

// End returns an error if the ranks have made different calls. Fagus calls it when their programs
// have returned.
func (s *store) End() error {
	c := &s.calls
	digests, err := fagus.Gather(s.node, c.digest)
	if err != nil {
		return fmt.Errorf("region: comparing the calls of all ranks: %w", err)
	}
	for r, d := range digests {
		if d != digests[0] {
			return s.differ(r)
		}
	}
	return nil
}

// differ returns an error that says which call differs between ranks other and 0. All ranks call
// it.
func (s *store) differ(other int) error {
	c := &s.calls
	counts, err := fagus.Gather(s.node, c.count)
	if err != nil {
		return err
	}
	few, many := 0, 0
	for _, n := range counts {
		many = max(many, n)
	}
	// The calls up to few are the same, as far as they are known; those up to many differ.
	few, many = max(few, many-mostCalls), min(counts[0], counts[other])+1
	for few+1 < many {
		at := (few + many) / 2
		digests, err := fagus.Gather(s.node, c.digestAt(at))
		if err != nil {
			return err
		}
		if digests[0] == digests[other] {
			few = at
		} else {
			many = at
		}
	}
	text := func(rank int) (string, error) {
		own := "nothing more"
		if few < c.count {
			own = c.latest[few%mostCalls].text()
		}
		return s.tell(rank, own)
	}
	first, err := text(0)
	if err != nil {
		return err
	}
	second, err := text(other)
	if err != nil {
		return err
	}
	return fmt.Errorf("region: call %d of generated functions is on rank 0 %s, on rank %d %s: all ranks must make the same calls, with equal arguments and lengths",
		few+1, first, other, second)
}

// tell returns the text of one rank on all ranks.
func (s *store) tell(rank int, text string) (string, error) {
	const most = 400
	lengths, err := fagus.Gather(s.node, min(len(text), most))
	if err != nil {
		return "", err
	}
	var b []byte
	for at := 0; at < lengths[rank]; at += 8 {
		var word uint64
		for i := range 8 {
			if at+i < len(text) {
				word |= uint64(text[at+i]) << (8 * i)
			}
		}
		words, err := fagus.Gather(s.node, word)
		if err != nil {
			return "", err
		}
		for i := range 8 {
			b = append(b, byte(words[rank]>>(8*i)))
		}
	}
	return string(b[:lengths[rank]]), nil
}

// String describes the last call, for errors of Fagus about ranks that make different calls.
func (s *store) String() string {
	return fmt.Sprintf("call %d of generated functions, %s", s.calls.count, s.calls.last())
}
