package region

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
)

// known is a plan that may be executed again, with the same blocks, lengths and values, and with
// the same validity of resident arrays.
type known struct {
	Shared
	key    string
	plan   *Plan // only its Iterations
	steps  any   // the caller's numbers of steps
	groups []*group
	work   []int // of Program

	blocks []*block // by array
	sizes  []int    // bytes of an element, by array
	epochs []int    // of the blocks when the sets were made; nil: there are no sets
	left   []*state // by array: its validity afterwards; nil for arrays that do not stay

	begins        bool // ranks must execute the first step, to save what is unsaved
	quiet         bool // no phase takes place
	starts        bool // some rank does something in the step of the input
	input, output int  // steps
	in, out       []int
	zeros         [][]Interval // by array: what this rank sets to 0 in the step of the input
	last          int          // time of the last use
}

// Known reports whether a former call of the same function, with arrays of the same lengths and the
// same values, has made the plan; then Known sets *steps as that call left them. Otherwise the
// caller makes the plan, and sets *steps, before it calls Share. values are what the plan depends
// on, apart from the lengths of arrays.
func Known[T any](p *Program, steps *T, values ...any) bool {
	if p.fail(p.meet()); p.err != nil || p.name == "" {
		return false
	}
	p.key = p.keyOf(values)
	k := p.store.plans[p.key]
	if k == nil {
		p.steps, p.began = func() any { return *steps }, p.node.Now()
		return false
	}
	p.known, p.Plan = k, k.plan
	*steps = k.steps.(T)
	return true
}

// keyOf returns the key of a plan: what it depends on.
func (p *Program) keyOf(values []any) string {
	b := append([]byte(p.name), 0)
	for _, a := range p.arrays {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(a.same)), uint64(a.length))
		if p.met {
			continue
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(a.number)), uint64(a.size))
		if a.stays != nil {
			b = binary.AppendUvarint(b, uint64(a.stays.number))
		}
		b = append(b, 0)
	}
	for _, v := range values {
		b = appendValue(b, v)
	}
	return string(b)
}

// appendValue appends a text that differs for every value of a type.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case int:
		return binary.AppendVarint(b, int64(v))
	case float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return fmt.Appendf(b, "%#v\x00", v)
}

// plan completes the plan of a call.
func (p *Program) plan(output []string) (*known, error) {
	k := &known{key: p.key, plan: p.Plan, input: p.begun, in: p.input, out: p.numbers(output)}
	if len(k.out) > 0 {
		k.output = p.Output(k.out...)
	}
	k.zeros = make([][]Interval, len(p.arrays))
	for i, a := range p.arrays {
		k.blocks, k.sizes = append(k.blocks, a.block), append(k.sizes, a.size)
		if a.stays == nil && a.same == i && !slices.Contains(k.in, i) {
			k.zeros[i] = p.zero(k.input, i, p.node.Rank())
		}
	}
	if err := p.apart(k.input); err != nil {
		return nil, err
	}
	k.starts = !p.idle(k.input)
	p.Plan.steps[k.input].virtual = !k.starts
	p.exit()
	d, err := p.demand()
	if err == nil && p.mayRelay(d) {
		d, err = p.demand()
	}
	if err != nil {
		return nil, err
	}
	k.groups, k.left, k.work = d.groups, make([]*state, len(p.arrays)), p.work
	k.Shared = Shared{node: p.node, steps: p.phases(p.node.Rank(), d.groups)}
	var unsaved []saving
	// In Threaded mode with one copy, a rank could write what another rank still reads.
	if p.node.Mode() == fagus.Phase || !p.node.OneCopy() {
		unsaved, k.begins = p.quieten(p.node.Rank(), k.Shared.steps, d)
	}
	for i, one := range k.Shared.steps {
		if one.first == i && !one.quiet {
			k.relay(one, d, p.node.Nodes())
		}
	}
	k.quiet = !k.begins && !slices.ContainsFunc(k.Shared.steps, func(one *phase) bool { return !one.quiet })
	for _, u := range unsaved {
		for _, part := range d.groups[u.group].parts {
			d.left[part.array].save(part.intervals, u.rank)
		}
	}
	for i := range k.left {
		if p.stays(i) && p.arrays[i].same == i {
			k.left[i] = p.store.state(d.left[i].normal(), d.exact[i])
		}
	}
	if p.steps != nil {
		k.steps = p.steps()
	}
	clear(p.Plan.arrays) // not needed any more
	return k, nil
}

// apart returns an error if a step after the input writes to an operand that is given twice.
func (p *Program) apart(input int) error {
	for i, a := range p.arrays {
		for s := input + 1; a.same < i && s < len(p.Plan.steps); s++ {
			if slices.ContainsFunc(p.Plan.arrays[a.same].of(s), func(e entry) bool { return e.does.changes() }) {
				return overlap(p.arrays[a.same].name, a.name)
			}
		}
	}
	return nil
}

func overlap(a, b string) error {
	return fmt.Errorf("region: slices %s and %s overlap: the program was parallelized on the assumption that they do not", a, b)
}

// idle reports whether no rank accesses anything in a step.
func (p *Plan) idle(step int) bool {
	for i := range p.arrays {
		if len(p.arrays[i].of(step)) > 0 {
			return false
		}
	}
	return true
}

// zero adds to a step that ranks set elements of an array to 0, where the contents at the begin of
// the program may matter. The rank that uses an element first after the step sets it. zero returns
// the elements of one rank.
func (p *Plan) zero(step, array, of int) (own []Interval) {
	r := &p.arrays[array]
	all := []Interval{{0, r.length}}
	var seen []Interval
	var anew []entry
	for s := step + 1; s < len(p.steps); s++ {
		certain := !slices.ContainsFunc(p.spans, func(x span) bool { return x.has(s) })
		var over []Interval
		for _, e := range r.of(s) {
			var used []Interval
			e.each(all, func(i Interval, _ int) bool {
				used = append(used, i)
				return true
			})
			if used = merged(used); e.does == overwrites && certain {
				over = union(over, used)
				continue
			}
			first := minus(used, seen)
			for _, i := range first {
				at := piece{i.Lo, i.Hi - i.Lo, 1, 1, 1, 1}
				anew = append(anew, entry{at, int32(step), e.rank, overwrites})
			}
			if seen = union(seen, used); int(e.rank) == of {
				own = union(own, first)
			}
		}
		seen = union(seen, over)
	}
	for _, e := range anew {
		r.add(e)
	}
	return own
}

// keep makes a plan known, and forgets the one that has not been used for the longest time.
func (s *store) keep(k *known) {
	if k.key == "" {
		return
	}
	s.plans[k.key] = k
	name, _, _ := strings.Cut(k.key, "\x00")
	s.names[name] = true
	if len(s.plans) <= mostPlans {
		return
	}
	oldest := k
	for _, other := range s.plans { // the order does not matter: times differ
		if other.last > 0 && (oldest == k || other.last < oldest.last) {
			oldest = other
		}
	}
	delete(s.plans, oldest.key)
}

// fit makes the sets of the plan, unless the variables are the same as when it made them last.
func (k *known) fit(s *store) error {
	fits := k.epochs != nil
	for i, b := range k.blocks {
		fits = fits && b.epoch == k.epochs[i]
	}
	if fits {
		return nil
	}
	guards, err := s.fit(k)
	if err != nil {
		return err
	}
	k.epochs = make([]int, len(k.blocks))
	for i, b := range k.blocks {
		k.epochs[i] = b.epoch
	}
	for i, one := range k.Shared.steps {
		if one.first != i || one.relay == nil {
			continue
		}
		if err := one.relay.bind(s, one); err != nil {
			return err
		}
	}
	k.sets(guards)
	return nil
}
