package phase

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// action is an action of a rank or of the network, named as in docs/internals/model/phase.pml.
type action string

const (
	begin    action = "begin"    // move.from begins a phase with move.list
	put      action = "put"      // move.from puts a frame: slot, and header without address
	fill     action = "fill"     // adds the address, or some bytes of data, to the frame
	complete action = "complete" // posts the send-complete flag
	take     action = "take"     // move.to takes a frame: slot, header
	free     action = "free"     // move.to posts the receive-complete flag
	plan     action = "plan"     // move.from plans its transfers
	done     action = "done"     // move.from ends the phase: granted, stamps
	landSent action = "land sent"
	landFree action = "land free"
)

// move is one event of a trace.
type move struct {
	action   action
	from, to dimmnet.Rank // the sender and the receiver of a ring; without a ring, only from
	slot     int
	header   ringbuf.Header
	bytes    int                 // in fill: how many bytes of data; 0: the address
	id       syncvar.ID          // in take, and in fill of an address: the variable of the data
	list     *syncvar.List       // in begin
	granted  bool                // in done: the rank's list is granted
	stamps   map[syncvar.ID]byte // in done: the bytes in the copies of the granted variables
}

// frame is the contents of a slot.
type frame struct {
	slot   int
	header ringbuf.Header
	id     syncvar.ID
	named  bool // the address is known
	filled int
	list   *syncvar.List // the sender's list, in a frame of a list
	landed bool
}

// ring is the ring from one rank to another.
type ring struct {
	frames []frame // frames that are put and not taken
	busy   bool    // the last frame is not complete
	full   int     // how many slots the sender does not know to be free
	freed  int     // how many receive-complete flags have not landed
	owing  bool
	pos    int // the next slot to put
	at     int // the next slot to free
}

// member is the state of one rank.
type member struct {
	state state
	phase uint64
	lists []*syncvar.List
	owner []dimmnet.Rank
	fresh [][]bool // by variable and rank: the copy is of the newest version
	// By rank: whether the list, and how many bytes of each variable, are still to be sent to
	// the rank (left) and received from the rank (due).
	leftList, dueList []bool
	left, due         []map[syncvar.ID]int
	granted           []bool
	open              bool // the lists of the phase are all behind a Fence: it is passed
	held              syncvar.List
	fences            int  // that the rank has called
	behind            bool // a Fence that is not passed
	waited            int  // phases in which the list was denied, though behind no Fence
}

// automaton is the model, extended to any number of variables and frames.
type automaton struct {
	slots    int
	sizes    []int // bytes of each variable
	members  []member
	rings    [][]ring // [from][to]
	versions []uint64 // by variable: the number of exclusive tenures so far
}

func newAutomaton(nodes, slots int, sizes []int) *automaton {
	a := &automaton{slots: slots, sizes: sizes, members: make([]member, nodes), rings: make([][]ring, nodes), versions: make([]uint64, len(sizes))}
	for r := range a.members {
		m := &a.members[r]
		m.lists = make([]*syncvar.List, nodes)
		m.owner = make([]dimmnet.Rank, len(sizes))
		m.leftList, m.dueList = make([]bool, nodes), make([]bool, nodes)
		for range sizes {
			m.fresh = append(m.fresh, slices.Repeat([]bool{true}, nodes))
		}
		for range nodes {
			m.left = append(m.left, make(map[syncvar.ID]int))
			m.due = append(m.due, make(map[syncvar.ID]int))
		}
		a.rings[r] = make([]ring, nodes)
	}
	return a
}

// step performs m. It returns an error if the model does not allow it.
func (a *automaton) step(m *move) error {
	r := &a.rings[m.from][m.to]
	last := len(r.frames) - 1
	switch m.action {
	case begin:
		return a.begin(m)
	case put:
		return a.put(m, r)
	case fill:
		if !r.busy {
			return fmt.Errorf("no frame is under way")
		}
		return a.fill(m, &r.frames[last])
	case complete:
		if !r.busy || m.slot != r.pos || !r.frames[last].named || r.frames[last].filled != r.frames[last].header.Len {
			return fmt.Errorf("the flag of slot %d comes before all of its frame", m.slot)
		}
		r.busy, r.pos = false, (r.pos+1)%a.slots
	case landSent:
		i := slices.IndexFunc(r.frames, func(f frame) bool { return !f.landed })
		if i < 0 || i == last && r.busy || m.slot != r.frames[i].slot {
			return fmt.Errorf("the flag of slot %d was not sent", m.slot)
		}
		r.frames[i].landed = true
	case take:
		return a.take(m, r)
	case free:
		if !r.owing || m.slot != r.at {
			return fmt.Errorf("slot %d is not owed", m.slot)
		}
		r.owing, r.at = false, (r.at+1)%a.slots
		r.freed++
	case landFree:
		if r.freed == 0 {
			return fmt.Errorf("no slot was freed")
		}
		r.freed--
		r.full--
	case plan:
		return a.plan(m.from)
	case done:
		return a.done(m)
	}
	return nil
}

// begin begins a phase: the rank must send its list to each rank, and receive a list from each.
func (a *automaton) begin(m *move) error {
	n := &a.members[m.from]
	if n.state != between || m.list.Phase != n.phase {
		return fmt.Errorf("begin of phase %d in phase %d, state %d", m.list.Phase, n.phase, n.state)
	}
	switch again := m.list.Since < m.list.Phase; {
	case again && m.list.Fenced != n.behind:
		return fmt.Errorf("repeats a list with Fenced %v, want %v", m.list.Fenced, n.behind)
	case !again:
		n.behind, n.waited = m.list.Fenced, 0
		if n.behind {
			n.fences++
		}
	}
	n.state, n.held = gather, syncvar.List{}
	n.lists[m.from] = m.list
	for q := range a.members {
		n.leftList[q] = q != int(m.from)
		n.dueList[q] = q != int(m.from)
	}
	return nil
}

func (a *automaton) put(m *move, r *ring) error {
	n := &a.members[m.from]
	switch {
	case r.full >= a.slots:
		return fmt.Errorf("overrun: all %d slots are full", a.slots)
	case r.busy || m.slot != r.pos:
		return fmt.Errorf("put into slot %d, the next slot is %d, busy %v", m.slot, r.pos, r.busy)
	case m.header.Phase != uint32(n.phase):
		return fmt.Errorf("put of phase %d in phase %d", m.header.Phase, n.phase)
	case m.header.Kind == ringbuf.List && (n.state != gather || !n.leftList[m.to]):
		return fmt.Errorf("put of a list in state %d", n.state)
	case m.header.Kind == ringbuf.Data && n.state != transfer:
		return fmt.Errorf("put of data in state %d", n.state)
	}
	r.full++
	r.busy = true
	r.frames = append(r.frames, frame{slot: m.slot, header: m.header, list: n.lists[m.from]})
	if m.header.Kind == ringbuf.List {
		n.leftList[m.to] = !m.header.Last
	}
	return nil
}

// fill adds to a frame bytes of data, or the address, which determines the variable of the data.
func (a *automaton) fill(m *move, f *frame) error {
	if f.named || m.bytes > 0 {
		f.filled += m.bytes
		return nil
	}
	f.named, f.id = true, m.id
	if f.header.Kind == ringbuf.Data {
		return owe(a.members[m.from].left[m.to], f)
	}
	return nil
}

// owe subtracts a frame of data from what is still to move.
func owe(bytes map[syncvar.ID]int, f *frame) error {
	n, ok := bytes[f.id]
	if !ok || f.header.Len > n || f.header.Last != (f.header.Len == n) {
		return fmt.Errorf("%d bytes of variable %d (last: %v), of which %d are still to move", f.header.Len, f.id, f.header.Last, n)
	}
	if bytes[f.id] -= f.header.Len; bytes[f.id] == 0 {
		delete(bytes, f.id)
	}
	return nil
}

func (a *automaton) take(m *move, r *ring) error {
	n := &a.members[m.to]
	if len(r.frames) == 0 || !r.frames[0].landed || r.owing || m.slot != r.frames[0].slot {
		return fmt.Errorf("slot %d has not landed", m.slot)
	}
	f := r.frames[0]
	switch {
	case f.header.Phase != uint32(n.phase):
		return fmt.Errorf("takes a frame of phase %d in phase %d", f.header.Phase, n.phase)
	case m.header.Kind != f.header.Kind || m.header.Len != f.header.Len || m.id != f.id:
		return fmt.Errorf("takes %+v, what was put is %+v", m.header, f.header)
	case f.header.Kind == ringbuf.List && (n.state != gather || !n.dueList[m.from]):
		return fmt.Errorf("takes a list that is not due, in state %d", n.state)
	case f.header.Kind == ringbuf.Data && n.state != transfer:
		return fmt.Errorf("takes data in state %d", n.state)
	}
	r.frames = r.frames[1:]
	r.owing = true
	if f.header.Kind == ringbuf.Data {
		return owe(n.due[m.from], &f)
	}
	if f.header.Last {
		n.dueList[m.from] = false
		n.lists[m.from] = f.list
	}
	return nil
}
