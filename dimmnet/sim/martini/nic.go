package martini

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// NIC is the state of the chip and its driver. The zero value is ready for use.
type NIC struct {
	users   []Owner
	seeds   []Seed                  // the header table in DRAM, by kick page
	free    []int                   // kick pages whose users have closed
	htlb    *lookaside[uint8]       // tags of kick pages
	regions map[regionKey]region    // regions registered at this node
	tlb     *lookaside[translation] // pages of regions
	windows []Owner                 // owners of windows, by number; zero if returned
	counts  Counts
}

// Counts counts misses of the look-aside buffers, and refused packets.
type Counts struct {
	HTLBMisses uint64
	TLBMisses  uint64
	Refused    [refusals]uint64 // by Refusal
}

// Refusals returns the number of refused packets, over all reasons.
func (c Counts) Refusals() (n uint64) {
	for _, x := range c.Refused {
		n += x
	}
	return n
}

// Plus returns the sum of c and d, field by field.
func (c Counts) Plus(d Counts) Counts {
	c.HTLBMisses += d.HTLBMisses
	c.TLBMisses += d.TLBMisses
	for i := range c.Refused {
		c.Refused[i] += d.Refused[i]
	}
	return c
}

// Counts returns the counts so far.
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

// Open makes o, which must not be the zero Owner, a user of the NIC.
func (n *NIC) Open(o Owner) error {
	if o == (Owner{}) {
		return errors.New("martini: Open: process 0 of group 0 cannot be a user")
	}
	if n.user(o) {
		return fmt.Errorf("martini: process %d of group %d is already a user", o.Process, o.Group)
	}
	if len(n.users) == MaxUsers {
		return fmt.Errorf("martini: the NIC already has %d users, the maximum", MaxUsers)
	}
	n.users = append(n.users, o)
	return nil
}

// Close removes a user with its regions, kick pages and windows.
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

func (n *NIC) checkUser(o Owner) error {
	if n.user(o) {
		return nil
	}
	return fmt.Errorf("martini: process %d of group %d is not a user of the NIC; call Open first", o.Process, o.Group)
}

// Register makes the given number of bytes at base accessible, as region id, to packets of o's
// group and process.
func (n *NIC) Register(o Owner, id uint16, base dimmnet.Offset, bytes int) error {
	if err := n.checkUser(o); err != nil {
		return err
	}
	if n.regions == nil {
		n.regions = make(map[regionKey]region)
	}
	n.regions[regionKey{o, id}] = region{base, bytes}
	return nil
}

// Map returns a kick page for seed s, whose owner the driver has set. If the page's set of the
// HTLB has a free way, the driver loads the header there at once.
func (n *NIC) Map(s Seed) (page int, err error) {
	if err := n.checkUser(s.Owner); err != nil {
		return 0, err
	}
	if s.Addr%PageBytes != 0 {
		return 0, fmt.Errorf("martini: header seed for address %d: want a multiple of the page size", s.Addr)
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

// ErrPages is returned by Map when no kick page is left.
var ErrPages = errors.New("martini: Map: all kick pages are in use")

// Remap changes the seed of a kick page. The old header leaves the HTLB.
func (n *NIC) Remap(page int, s Seed) {
	n.seeds[page] = s
	n.htlb.forget(page, tag(page))
}

// Within reports whether the given number of bytes at off lie in a region that o registered here.
func (n *NIC) Within(o Owner, off dimmnet.Offset, bytes int) bool {
	for key, r := range n.regions { // any match will do, so the order does not matter
		if key.owner == o && off >= r.base && int64(off)+int64(bytes) <= int64(r.base)+int64(r.bytes) {
			return true
		}
	}
	return false
}

// Base returns the start of a region, if the process has registered it here.
func (n *NIC) Base(o Owner, id uint16) (base dimmnet.Offset, ok bool) {
	r, ok := n.regions[regionKey{o, id}]
	return r.base, ok
}

// tag returns the part of a kick page's number that does not select the set.
func tag(page int) uint8 { return uint8(page / sets) }

// Seed returns the seed of a mapped kick page, and reports whether the seed was in the HTLB. After
// a miss, the core PU has loaded it.
func (n *NIC) Seed(page int) (s Seed, hit bool) {
	hit = n.htlb.touch(page, tag(page))
	if !hit {
		n.counts.HTLBMisses++
		n.htlb.fill(page, tag(page))
	}
	return n.seeds[page], hit
}

// Kick is Seed for the page that a user names. A page of another user is refused, as by the MMU.
func (n *NIC) Kick(o Owner, page int) (s Seed, hit bool, refusal Refusal) {
	if page < 0 || page >= len(n.seeds) || n.seeds[page].Command == 0 || n.seeds[page].Owner != o {
		n.counts.Refused[RefusedPage]++
		return Seed{}, false, RefusedPage
	}
	s, hit = n.Seed(page)
	return s, hit, Admitted
}

// Window gives user o a window of the NIC, which has all windows in total, and returns its number.
func (n *NIC) Window(o Owner, all int) (window int, err error) {
	if err := n.checkUser(o); err != nil {
		return 0, err
	}
	i := slices.Index(n.windows, Owner{})
	if i < 0 {
		if len(n.windows) == all-1 { // the Port always keeps one window
			return 0, fmt.Errorf("martini: all %d windows are in use; one is kept for the Port", all)
		}
		i = len(n.windows)
		n.windows = append(n.windows, o)
	}
	n.windows[i] = o
	return i, nil
}

// Windows returns the largest number of windows that users had at one time.
func (n *NIC) Windows() int { return len(n.windows) }

// UseWindow returns Admitted if a window belongs to o; if not, it counts a RefusedWindow.
func (n *NIC) UseWindow(o Owner, window int) Refusal {
	if window < 0 || window >= len(n.windows) || n.windows[window] != o {
		n.counts.Refused[RefusedWindow]++
		return RefusedWindow
	}
	return Admitted
}

// Refusal is the reason why a packet does not leave its sender, or why its receiver drops it.
type Refusal uint8

// The reasons. Admitted means that the packet is not refused.
const (
	Admitted      Refusal = iota
	RefusedRegion         // no such region of that group and process
	RefusedBounds         // outside the region
	RefusedFlag           // a physical address in a packet that is not a store
	RefusedMemory         // a physical address outside the NIC memory
	RefusedLength         // no payload, or more than the command can carry
	RefusedPage           // a kick page without a header, or another user's
	RefusedWindow         // a window that does not, or no longer, belong to the user
	refusals
)

// String describes the reason.
func (r Refusal) String() string {
	names := [refusals]string{"admitted", "no such region of that group and process", "outside the region",
		"a physical address in a packet that a user wrote", "a physical address outside the NIC memory", "a length that its command does not allow",
		"a kick page that is not the user's", "a window that is not the user's"}
	return names[r]
}

// Refuse counts a refusal on the sender's side.
func (n *NIC) Refuse(why Refusal) { n.counts.Refused[why]++ }

// Admit checks a header at its receiver, whose NIC memory has memory bytes, and returns the
// address of the payload. hit is false if a translation had to be fetched.
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

// translated reports whether the TLB knows a page, and loads it if not.
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
