package rules

import (
	"math/bits"

	"golang.org/x/tools/go/ssa"
)

// maxEvents bounds the events of a function; functions with more events are not checked.
const maxEvents = 63

// events is a set of numbered events; maxEvents stands for everything before the function.
type events uint64

const atEntry events = 1 << maxEvents

func (e events) within(other events) bool { return e != 0 && e&^other == 0 }

// holding computes which set the rank holds at every point of a function. An event is a call that
// changes, or may change, which set the rank holds or which data it has.
type holding struct {
	m       *model
	fn      *ssa.Function
	entries []*ssa.Call // the calls of Do and During that run fn; nil if anything else may call it
	list    []*ssa.Call
	number  map[ssa.Instruction]events // the bit of each event
	// After events in acquires the rank holds a set; after events in frees it holds none; after
	// events in unknown it may hold one. Events in brings may bring data by Update.
	acquires, frees, unknown, brings events
	releases, tenures                events // calls of Release; of Do and During

	in   map[*ssa.BasicBlock]standing
	next map[*ssa.BasicBlock]follow
}

// standing is the state at a point: the events that may be the last, and a possible Update.
type standing struct {
	last    events
	updated bool
}

// follow is the set of events that may come next after a point.
type follow struct {
	events events
	other  bool // the function may return before any of the events
}

// newHolding returns nil if fn has too many events, or if it neither acquires nor releases nor runs
// while a set is held.
func newHolding(m *model, fn *ssa.Function) *holding {
	h := &holding{m: m, fn: fn, entries: m.bodies[fn], number: make(map[ssa.Instruction]events)}
	for instr := range instructions(fn) {
		c, ok := instr.(*ssa.Call)
		if !ok || !m.changes(&c.Call) {
			continue
		}
		if len(h.list) == maxEvents {
			return nil
		}
		bit := events(1) << len(h.list)
		h.list = append(h.list, c)
		h.number[c] = bit
		switch fagusCall(&c.Call) {
		case callAcquire, callAcquireWhen:
			h.acquires |= bit
		case callRelease:
			h.frees, h.releases = h.frees|bit, h.releases|bit
		case callUpdate:
			h.frees, h.brings = h.frees|bit, h.brings|bit
		default:
			h.add(bit, c)
		}
	}
	if h.acquires|h.releases|h.tenures == 0 && h.entries == nil && m.idle[fn] == nil || len(fn.Blocks) == 0 {
		return nil
	}
	h.forward()
	h.backward()
	return h
}

// add classifies other events than Acquire, Release and Update.
func (h *holding) add(bit events, c *ssa.Call) {
	name := fagusCall(&c.Call)
	if !name.is(free) || name == callTimed && h.m.brings(&c.Call) {
		h.unknown, h.brings = h.unknown|bit, h.brings|bit
		return
	}
	h.frees |= bit
	if name.is(tenure) {
		h.tenures |= bit
	}
	if h.m.brings(&c.Call) {
		h.brings |= bit
	}
}

func (h *holding) forward() {
	h.in = map[*ssa.BasicBlock]standing{h.fn.Blocks[0]: {last: atEntry}}
	for grown := true; grown; {
		grown = false
		for _, b := range h.fn.Blocks {
			at, reached := h.in[b]
			if !reached {
				continue
			}
			for _, instr := range b.Instrs {
				at = h.after(at, instr)
			}
			for _, succ := range h.m.goesOn(b) {
				was := h.in[succ]
				is := standing{last: was.last | at.last, updated: was.updated || at.updated}
				if is != was {
					h.in[succ], grown = is, true
				}
			}
		}
	}
}

func (h *holding) after(at standing, instr ssa.Instruction) standing {
	if bit := h.number[instr]; bit != 0 {
		return standing{last: bit, updated: at.updated || bit&h.brings != 0}
	}
	return at
}

// before returns the state before instr. Field last is 0 if only failed runs reach instr.
func (h *holding) before(instr ssa.Instruction) standing {
	at, reached := h.in[instr.Block()]
	if !reached {
		return standing{}
	}
	for _, other := range instr.Block().Instrs {
		if other == instr {
			break
		}
		at = h.after(at, other)
	}
	return at
}

func (h *holding) backward() {
	h.next = make(map[*ssa.BasicBlock]follow)
	for grown := true; grown; {
		grown = false
		for i := len(h.fn.Blocks) - 1; i >= 0; i-- {
			b := h.fn.Blocks[i]
			if is := h.following(b, 0); is != h.next[b] {
				h.next[b], grown = is, true
			}
		}
	}
}

func (h *holding) following(b *ssa.BasicBlock, from int) follow {
	for _, instr := range b.Instrs[from:] {
		if bit := h.number[instr]; bit != 0 {
			return follow{events: bit}
		}
		if _, returns := instr.(*ssa.Return); returns {
			return follow{other: true}
		}
	}
	var next follow
	for _, succ := range h.m.goesOn(b) {
		next.events |= h.next[succ].events
		next.other = next.other || h.next[succ].other
	}
	return next
}

// needsNothingHeld reports whether every path from an instruction reaches a call that requires the
// rank to hold nothing, before any call that could release. Then the rank holds nothing at the
// instruction either. The call returned is the first such call.
func (h *holding) needsNothingHeld(instr ssa.Instruction) (*ssa.Call, bool) {
	b := instr.Block()
	for i, other := range b.Instrs {
		if other == instr {
			next := h.following(b, i+1)
			if wants := h.acquires | h.frees&^h.releases; next.other || !next.events.within(wants) {
				return nil, false
			}
			return h.one(next.events), true
		}
	}
	return nil, false
}

// holders returns the calls that may have acquired what the rank holds; nil if the rank may hold
// nothing, or a set that is unknown.
func (h *holding) holders(at standing) []*ssa.Call {
	sure := h.acquires
	if h.entries != nil {
		sure |= atEntry
	}
	if !at.last.within(sure) {
		return nil
	}
	list := h.calls(at.last)
	if at.last&atEntry != 0 {
		list = append(list, h.entries...)
	}
	return list
}

func (h *holding) one(e events) *ssa.Call { return h.list[bits.TrailingZeros64(uint64(e))] }

func (h *holding) calls(e events) []*ssa.Call {
	var list []*ssa.Call
	for e &^= atEntry; e != 0; e &= e - 1 {
		list = append(list, h.one(e))
	}
	return list
}

func madeIn(a array, h *holding) bool {
	made, ok := a.(*ssa.Call)
	return ok && made.Parent() == h.fn
}
