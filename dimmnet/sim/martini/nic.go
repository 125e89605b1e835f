package martini

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// NIC is what the chip and its driver know. The zero value is ready for use.
type NIC struct {
	users   []Owner
	seeds   []Seed                  // the header table in DRAM, by kick page
	free    []int                   // kick pages whose users have closed
	htlb    *lookaside[uint8]       // tags of kick pages
	regions map[regionKey]region    // that are registered here
	tlb     *lookaside[translation] // pages of regions
	windows []Owner                 // of the windows that were given to users, from the last one down
	counts  Counts
}

// Counts says what the look-aside buffers missed and the receiver refused.
type Counts struct {
	HTLBMisses uint64
	TLBMisses  uint64
	Refused    [refusals]uint64 // by Refusal
}

// Refusals is the number of packets refused, whatever the reason.
func (c Counts) Refusals() (n uint64) {
	for _, x := range c.Refused {
		n += x
	}
	return n
}

// Plus is the sum of both, field by field.
func (c Counts) Plus(d Counts) Counts {
	c.HTLBMisses += d.HTLBMisses
	c.TLBMisses += d.TLBMisses
	for i := range c.Refused {
		c.Refused[i] += d.Refused[i]
	}
	return c
}

// Counts says what has happened so far.
func (n *NIC) Counts() Counts { return n.counts }

type regionKey struct {
	owner Owner
	id    uint16
}

type region struct {
	base  dimmnet.Offset
	bytes int
}

type translation struct {
	key  regionKey
	page uint32
}

// Open makes o, not the zero Owner, a user of the NIC.
func (n *NIC) Open(o Owner) error {
	if o == (Owner{}) {
		return errors.New("martini: process 0 of group 0 is nobody")
	}
	if n.user(o) {
		return fmt.Errorf("martini: process %d of group %d is a user already", o.Process, o.Group)
	}
	if len(n.users) == MaxUsers {
		return fmt.Errorf("martini: the NIC has %d users, as many as it can have", MaxUsers)
	}
	n.users = append(n.users, o)
	return nil
}

// Close takes a user's rights away: its regions here and its kick pages.
func (n *NIC) Close(o Owner) {
	n.users = slices.DeleteFunc(n.users, func(u Owner) bool { return u == o })
	for k := range n.regions {
		if k.owner == o {
			delete(n.regions, k)
		}
	}
	for i := range n.seeds {
		if n.seeds[i].Owner == o {
			n.seeds[i] = Seed{}
			n.free = append(n.free, i)
		}
	}
	for i := range n.windows {
		if n.windows[i] == o {
			n.windows[i] = Owner{}
		}
	}
	if n.tlb != nil {
		n.tlb.drop(func(t translation) bool { return t.key.owner == o })
	}
}

func (n *NIC) user(o Owner) bool { return slices.Contains(n.users, o) }

// Register lets packets of o's group and process write to and read from bytes
// bytes of the NIC memory at base, as region id.
func (n *NIC) Register(o Owner, id uint16, base dimmnet.Offset, bytes int) error {
	if !n.user(o) {
		return fmt.Errorf("martini: process %d of group %d is no user", o.Process, o.Group)
	}
	if n.regions == nil {
		n.regions = make(map[regionKey]region)
	}
	n.regions[regionKey{o, id}] = region{base, bytes}
	return nil
}

// Map gives a user a kick page for seed s, whose owner the driver has stamped.
// While its set of the HTLB has a way free, the driver loads it there at once.
func (n *NIC) Map(s Seed) (page int, err error) {
	if !n.user(s.Owner) {
		return 0, fmt.Errorf("martini: process %d of group %d is no user", s.Owner.Process, s.Owner.Group)
	}
	if s.Addr%PageBytes != 0 {
		return 0, fmt.Errorf("martini: header seed for address %d: not that of a page", s.Addr)
	}
	switch {
	case len(n.free) > 0:
		page = n.free[len(n.free)-1]
		n.free = n.free[:len(n.free)-1]
		n.Remap(page, s)
		return page, nil
	case len(n.seeds) == KickPages:
		return 0, ErrPages
	}
	page = len(n.seeds)
	n.seeds = append(n.seeds, s)
	if n.htlb == nil {
		n.htlb = new(lookaside[uint8])
	}
	if !n.htlb.full(page) {
		n.htlb.fill(page, tag(page))
	}
	return page, nil
}

// ErrPages is what Map returns when there is no kick page left.
var ErrPages = errors.New("martini: all kick pages are mapped")

// Remap lets a kick page lead elsewhere. Its old header leaves the HTLB.
func (n *NIC) Remap(page int, s Seed) {
	n.seeds[page] = s
	n.htlb.forget(page, tag(page))
}

// Within says whether bytes bytes of this NIC's memory at off lie in a region that
// o has registered here.
func (n *NIC) Within(o Owner, off dimmnet.Offset, bytes int) bool {
	for key, r := range n.regions { // the order does not matter: they are only searched
		if key.owner == o && off >= r.base && int64(off)+int64(bytes) <= int64(r.base)+int64(r.bytes) {
			return true
		}
	}
	return false
}

// Base is where a region of a process begins, if it is registered here.
func (n *NIC) Base(o Owner, id uint16) (base dimmnet.Offset, ok bool) {
	r, ok := n.regions[regionKey{o, id}]
	return r.base, ok
}

// tag is the part of a kick page's number that its set does not say.
func tag(page int) uint8 { return uint8(page / sets) }

// Seed looks a mapped kick page up. After a miss the core PU has put it in.
func (n *NIC) Seed(page int) (s Seed, hit bool) {
	hit = n.htlb.touch(page, tag(page))
	if !hit {
		n.counts.HTLBMisses++
		n.htlb.fill(page, tag(page))
	}
	return n.seeds[page], hit
}

// Kick is Seed for a page that a user names: the MMU lets it reach only its own.
func (n *NIC) Kick(o Owner, page int) (s Seed, hit bool, refusal Refusal) {
	if page < 0 || page >= len(n.seeds) || n.seeds[page].Command == 0 || n.seeds[page].Owner != o {
		n.counts.Refused[RefusedPage]++
		return Seed{}, false, RefusedPage
	}
	s, hit = n.Seed(page)
	return s, hit, Admitted
}

// Window gives a user one of all windows.
func (n *NIC) Window(o Owner, all int) (window int, err error) {
	if !n.user(o) {
		return 0, fmt.Errorf("martini: process %d of group %d is no user", o.Process, o.Group)
	}
	i := slices.Index(n.windows, Owner{})
	if i < 0 {
		if len(n.windows) == all-1 { // the Port keeps one
			return 0, fmt.Errorf("martini: all %d windows are given", all)
		}
		i = len(n.windows)
		n.windows = append(n.windows, o)
	}
	n.windows[i] = o
	return i, nil
}

// Windows is how many windows were given to users at most.
func (n *NIC) Windows() int { return len(n.windows) }

// UseWindow says whether a window is o's.
func (n *NIC) UseWindow(o Owner, window int) Refusal {
	if window < 0 || window >= len(n.windows) || n.windows[window] != o {
		n.counts.Refused[RefusedWindow]++
		return RefusedWindow
	}
	return Admitted
}

// Refusal is why a packet does not leave its sender, or is not let in by its
// receiver.
type Refusal uint8

// The reasons. Admitted is none.
const (
	Admitted      Refusal = iota
	RefusedRegion         // no such region of that group and process
	RefusedBounds         // outside of the region
	RefusedFlag           // a physical address in anything but a store
	RefusedMemory         // a physical address outside of the NIC memory
	RefusedLength         // no payload, or more than its command can carry
	RefusedPage           // a kick page without a header, or another user's
	RefusedWindow         // a window that is not, or no longer, the user's
	refusals
)

// String says it in words.
func (r Refusal) String() string {
	names := [refusals]string{"admitted", "no such region of that group and process", "outside of the region",
		"a physical address in a packet that a user wrote", "a physical address outside of the NIC memory", "a length that its command cannot have",
		"a kick page that is not the user's", "a window that is not the user's"}
	return names[r]
}

// Refuse counts what the sender's side refuses.
func (n *NIC) Refuse(why Refusal) { n.counts.Refused[why]++ }

// Admit checks a header at its receiver, whose NIC memory has memory bytes, and
// says where the payload goes. hit is false if a translation had to be fetched.
func (n *NIC) Admit(h *Header, memory int) (at dimmnet.Offset, hit bool, refusal Refusal) {
	at, hit, refusal = n.admit(h, memory)
	if refusal != Admitted {
		n.counts.Refused[refusal]++
	}
	return at, hit, refusal
}

func (n *NIC) admit(h *Header, memory int) (at dimmnet.Offset, hit bool, refusal Refusal) {
	if h.Length < 1 || h.Command == CommandStore && h.Length > dimmnet.WordBytes || h.Command == CommandBlock && h.Length > BlockBytes {
		return 0, true, RefusedLength
	}
	if h.Physical {
		switch {
		case h.Command == CommandBlock || h.Command == CommandPush || h.Command == CommandPull:
			return 0, true, RefusedFlag
		case int64(h.Addr)+int64(h.Length) > int64(memory):
			return 0, true, RefusedMemory
		}
		return dimmnet.Offset(h.Addr), true, Admitted
	}
	key := regionKey{h.Owner, h.Region}
	r, ok := n.regions[key]
	switch {
	case !ok:
		return 0, true, RefusedRegion
	case int64(h.Addr)+int64(h.Length)+int64(h.Rest) > int64(r.bytes):
		return 0, true, RefusedBounds
	}
	hit = n.translated(key, h.Addr/PageBytes)
	if last := (h.Addr + uint32(h.Length) - 1) / PageBytes; last != h.Addr/PageBytes {
		hit = n.translated(key, last) && hit
	}
	return r.base + dimmnet.Offset(h.Addr), hit, Admitted
}

// translated says whether the TLB knows a page, and puts it in if not.
func (n *NIC) translated(key regionKey, page uint32) bool {
	if n.tlb == nil {
		n.tlb = new(lookaside[translation])
	}
	t := translation{key, page}
	set := int(t.page) + int(key.id)<<4
	if n.tlb.touch(set, t) {
		return true
	}
	n.counts.TLBMisses++
	n.tlb.fill(set, t)
	return false
}
