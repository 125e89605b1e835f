package threaded

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// slowPort is the port of a rank in direct mode. Its stores to other ranks land only before a
// Pull, in order, as many as landing says.
type slowPort struct {
	tablePort
	held    []func()
	pulls   []dimmnet.Offset   // the addresses of all Pulls
	landing func(pull int) int // how many stores land before this Pull; nil: all
	stored  map[dimmnet.Offset][]uint64
}

func (p *slowPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	land := func() { p.tablePort.Store(dst, off, v, size) }
	if dst == p.rank {
		land()
		return true
	}
	p.stored[off] = append(p.stored[off], v)
	p.held = append(p.held, land)
	return true
}

func (p *slowPort) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	count := len(p.held)
	if p.landing != nil {
		count = min(count, p.landing(len(p.pulls)))
	}
	for _, land := range p.held[:count] {
		land()
	}
	p.held = p.held[count:]
	p.pulls = append(p.pulls, from)
	return p.tablePort.Pull(src, from, to, n, done)
}

// newDirectEngine returns the engine of a rank in direct mode. It has no threads, and has bound
// variable 0. All LLCMs are zero.
func newDirectEngine(t *testing.T, rank dimmnet.Rank, nodes int) (*Engine, *slowPort) {
	t.Helper()
	space := consistency.NewSpace()
	base, err := space.AddRegion("a", "bytes", 1, make([]byte, 100))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := space.Bind("v0", []consistency.Range{{Lo: base, Hi: base + 100}}); err != nil {
		t.Fatal(err)
	}
	p := &slowPort{tablePort: tablePort{rank: rank, rdma: 1 << 20}, stored: make(map[dimmnet.Offset][]uint64)}
	for range nodes {
		p.tables = append(p.tables, make(map[dimmnet.Offset]uint64))
	}
	e, err := newEngine(p, space, Config{Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.events {
		e.events[i] = noEvent{}
	}
	return e, p
}

// TestDirectLayout checks that all words of direct mode lie behind the rings, apart from each
// other, and that 2 nodes have entries for 2100 variables on DIMMnet-1.
func TestDirectLayout(t *testing.T) {
	for nodes := 2; nodes <= directNodes; nodes++ {
		for _, llcm := range []int{0, 100, 700, 1 << 10, 24_000, 128 << 10} {
			stop := max(0, llcm&^7-8)
			d, table, rings := newDirect(dimmnet.Limits{Store: 8, Block: 464, RDMA: 1 << 20, LLCM: llcm}, stop, nodes)
			if !d.on {
				if llcm >= 24_000 {
					t.Errorf("%d nodes, %d bytes: off", nodes, llcm)
				}
				continue
			}
			ends := []int{rings.Bytes(), int(table.base), int(table.base) + table.entries*entryBytes, int(d.claims), int(d.claims) + nodes*8,
				int(d.landing), int(d.landing) + directNodes*8, int(d.done), int(d.done) + doneWords*8, stop}
			if !slices.IsSorted(ends) || table.entries < 1 || llcm == 128<<10 && table.entries < 2100 {
				t.Errorf("%d nodes, %d bytes: %d entries, areas end at %v", nodes, llcm, table.entries, ends)
			}
		}
	}
}

// TestDirectLimits: direct mode needs a Pull of all claims, and at most directNodes ranks.
func TestDirectLimits(t *testing.T) {
	const stop = 64 << 10
	for _, c := range []struct {
		rdma, nodes int
		on          bool
	}{{directNodes * dimmnet.WordBytes, 2, true}, {directNodes*dimmnet.WordBytes - 1, 2, false}, {1 << 20, directNodes, true}, {1 << 20, directNodes + 1, false}, {1 << 20, 1, false}} {
		limits := dimmnet.Limits{Store: 8, Block: 464, RDMA: c.rdma, LLCM: 128 << 10}
		if d, _, _ := newDirect(limits, stop, c.nodes); d.on != c.on {
			t.Errorf("RDMA of %d bytes, %d nodes: on %t, want %t", c.rdma, c.nodes, d.on, c.on)
		}
	}
}

// TestOpenWords checks the encoding of versions in a record.
func TestOpenWords(t *testing.T) {
	for _, c := range []struct{ version, written, want syncvar.Version }{
		{0, 0, 0}, {1, 0, 0}, {5, 5, 5}, {1 << 47, 1<<47 - 1, 1<<47 - 1},
		{0x7ffe, 0, 0}, {0x7fff, 0, unknown}, {0x8000, 0, unknown}, {1 << 20, 3, unknown},
	} {
		word := openWord(c.version, c.written)
		for _, closed := range []uint64{0, closedBit} {
			if o := openOf(word | closed); o.version != c.version || o.written != c.want || o.closed != (closed != 0) {
				t.Errorf("version %d, written %d: %#x is %+v", c.version, c.written, word|closed, o)
			}
		}
	}
	if openWord(0, 0) != 0 {
		t.Error("the first record is not zero")
	}
	if o := openOf(3); o.written != unknown { // 3 versions before version 0
		t.Errorf("%+v", o)
	}
}

// TestDecide checks when a rank takes a variable, whatever the words of the owner say. The rank has
// version 4, and knows that rank 1 was the owner in version 5.
func TestDecide(t *testing.T) {
	free := openWord(5, 4)
	for _, c := range []struct {
		what  string
		open  uint64
		taken syncvar.Hint
		took  bool
		newer syncvar.Hint
	}{
		{what: "free", open: free, took: true},
		{what: "free in a newer version", open: openWord(9, 4), took: true},
		{what: "taken long ago", open: free, taken: syncvar.Hint{Version: 5, Owner: 0}, took: true},
		{what: "closed", open: free | closedBit},
		{what: "an older version", open: openWord(4, 4)},
		{what: "never open", open: 0},
		{what: "newer content", open: openWord(5, 5)},
		{what: "content of unknown age", open: openWord(0x9000, 0)},
		{what: "taken", open: free, taken: syncvar.Hint{Version: 6, Owner: 0}, newer: syncvar.Hint{Version: 6, Owner: 0}},
		{what: "taken, and then closed", open: free | closedBit, taken: syncvar.Hint{Version: 6, Owner: 0}, newer: syncvar.Hint{Version: 6, Owner: 0}},
		{what: "all bits", open: math.MaxUint64},
		{what: "an age below 0", open: 5<<versionShift | 6},
	} {
		e, _ := newDirectEngine(t, 2, 3)
		s := e.site(0)
		if _, err := s.Ask(syncvar.Want{Access: syncvar.Shared}); err != nil {
			t.Fatal(err)
		}
		s.Granted(1, 4, 4)
		s.Learn(syncvar.Hint{Version: 5, Owner: 1})
		h, took, newer := e.decide(0, openOf(c.open), c.taken)
		version := openOf(c.open).version + 1
		if took != c.took || newer != c.newer || took && (h != syncvar.Hint{Version: version, Owner: 2} || !s.Owns() || s.Have() != version) || took != s.Owns() {
			t.Errorf("%s: took %v as %+v, a newer hint %+v, owns %v", c.what, took, h, newer, s.Owns())
		}
	}
}

// TestTakeWaitsForItsClaim lets the claim land late. Only after that does the record count.
func TestTakeWaitsForItsClaim(t *testing.T) {
	for nodes := 2; nodes <= 3; nodes++ {
		e, p := newDirectEngine(t, 1, nodes)
		at, _ := e.hints.word(0)
		p.landing = func(pull int) int {
			if pull < 3 {
				return 0
			}
			p.tables[0][at+openAt] = closedBit // closed before the claim landed
			return math.MaxInt
		}
		acquired, err := e.acquireDirect(0, syncvar.Exclusive)
		if acquired || err != nil || len(p.pulls) != 3+nodes {
			t.Errorf("%d nodes: acquired %v after %d pulls, error %v", nodes, acquired, len(p.pulls), err)
		}
	}
}

// TestRivalInSecondPull: with rivals, the Pull that first shows the rank's claim is not enough.
func TestRivalInSecondPull(t *testing.T) {
	for pull, want := range []bool{false, false, true} { // before this Pull the rival's claim lands
		e, p := newDirectEngine(t, 1, 3)
		p.landing = func(n int) int {
			if n == pull {
				p.tables[0][e.direct.claim(2)] = claimWord(7, 0)
			}
			return math.MaxInt
		}
		if acquired, err := e.acquireDirect(0, syncvar.Exclusive); acquired != want || err != nil {
			t.Errorf("a rival before Pull %d: acquired %v, error %v", pull, acquired, err)
		}
		if words := p.stored[e.direct.claim(1)]; len(words) != 2 || words[0] == 0 || words[1] != 0 {
			t.Errorf("a rival before Pull %d: the words %x are stored as claims", pull, words)
		}
	}
}

// TestClaimsAreNumbered: the claim of an earlier try does not count, though it is still visible.
func TestClaimsAreNumbered(t *testing.T) {
	e, p := newDirectEngine(t, 1, 2)
	at, _ := e.hints.word(0)
	p.tables[0][at+openAt] = closedBit
	if acquired, err := e.acquireDirect(0, syncvar.Exclusive); acquired || err != nil || len(p.held) != 1 {
		t.Fatalf("acquired %v, %d stores are on their way, error %v", acquired, len(p.held), err)
	}
	p.tables[0][at+openAt] = 0
	before := len(p.pulls)
	p.landing = func(pull int) int {
		if pull < before+2 {
			return 0 // the withdrawal of the first claim is still on its way
		}
		return math.MaxInt
	}
	acquired, err := e.acquireDirect(0, syncvar.Exclusive)
	if n := len(p.pulls) - before; !acquired || err != nil || n != 4 {
		t.Errorf("acquired %v after %d pulls, want 4, error %v", acquired, n, err)
	}
}

// TestTakenBeforeWithdrawal checks that a rank stores taken before it withdraws its claim.
func TestTakenBeforeWithdrawal(t *testing.T) {
	e, p := newDirectEngine(t, 1, 2)
	if acquired, err := e.acquireDirect(0, syncvar.Exclusive); !acquired || err != nil {
		t.Fatalf("acquired %v, error %v", acquired, err)
	}
	at, _ := e.hints.word(0)
	for _, land := range p.held {
		land()
		taken, claim := p.tables[0][at+takenAt], p.tables[0][e.direct.claim(1)]
		if taken == 0 && !claims(claim, 0) {
			t.Error("the claim is withdrawn before taken is stored")
		}
	}
	if got, want := p.tables[0][at+takenAt], (syncvar.Hint{Version: 1, Owner: 1}).Word(); got != want {
		t.Errorf("taken is %#x, want %#x", got, want)
	}
}

// TestHops: a rank follows the words of former owners, and gives up if they lead nowhere.
func TestHops(t *testing.T) {
	e, p := newDirectEngine(t, 1, 8)
	at, _ := e.hints.word(0)
	hop := func(from, to dimmnet.Rank, version syncvar.Version) {
		p.tables[from][at+takenAt] = syncvar.Hint{Version: version, Owner: to}.Word()
		p.tables[to][at+openAt] = openWord(version, 0)
	}
	hop(0, 2, 1)
	hop(2, 3, 2)
	hop(3, 4, 3)
	if acquired, err := e.acquireDirect(0, syncvar.Exclusive); !acquired || err != nil || e.Version(0) != 4 {
		t.Errorf("acquired %v in version %d, error %v", acquired, e.Version(0), err)
	}
	if got := syncvar.HintOf(p.stored[at+takenAt][0]); got != (syncvar.Hint{Version: 4, Owner: 1}) {
		t.Errorf("taken is %+v", got)
	}

	// A faulty peer names ranks for ever, this rank, and ranks that do not exist.
	for _, owner := range []dimmnet.Rank{1, 8, 65535} {
		e, p := newDirectEngine(t, 1, 8)
		p.tables[0][at+takenAt] = syncvar.Hint{Version: 9, Owner: owner}.Word()
		if acquired, err := e.acquireDirect(0, syncvar.Exclusive); acquired || err != nil {
			t.Errorf("taken by rank %d: acquired %v, error %v", owner, acquired, err)
		}
	}
	e, p = newDirectEngine(t, 1, 8)
	p.landing = func(pull int) int {
		for r := range dimmnet.Rank(4) {
			next := syncvar.Hint{Version: syncvar.Version(pull + 2), Owner: 2 + (r+1)%2}
			p.tables[r][at+openAt], p.tables[r][at+takenAt] = openWord(next.Version-1, 0), next.Word()
		}
		return math.MaxInt
	}
	if acquired, err := e.acquireDirect(0, syncvar.Exclusive); acquired || err != nil || len(p.pulls) != 3*maxHops {
		t.Errorf("a circle: acquired %v after %d pulls, error %v", acquired, len(p.pulls), err)
	}
}

// TestRequestShutsTheGate: between the arrival of a request and its grant, a Release does not open
// the record.
func TestRequestShutsTheGate(t *testing.T) {
	e, p := newDirectEngine(t, 0, 2)
	if acquired, err := e.acquireDirect(0, syncvar.Exclusive); acquired || err != nil {
		t.Fatalf("acquired %v, error %v", acquired, err)
	}
	if err := e.ask(0, syncvar.Want{Access: syncvar.Exclusive}); err != nil {
		t.Fatal(err)
	}
	in := slotOf(1, message{op: request, id: 0, rank: 1, access: syncvar.Exclusive})
	if err := e.prepare(p, in); err != nil {
		t.Fatal(err)
	}
	if err := e.release(0, false); err != nil {
		t.Fatal(err)
	}
	at, _ := e.hints.word(0)
	if open := openOf(p.Load(at + openAt)); !open.closed || e.gates.state[0] != gateClosed {
		t.Errorf("the record is %+v, the gate %d", open, e.gates.state[0])
	}
	act(t, e, in)
	if len(e.out) != 1 || e.out[0].m.op != grant {
		t.Errorf("%d messages: %+v", len(e.out), e.out)
	}
}

// TestOwnerWaits checks that an owner waits while another rank claims the variable, and that
// LastWait says so.
func TestOwnerWaits(t *testing.T) {
	for _, thread := range []thread{user, process} {
		e, p := newDirectEngine(t, 0, 3)
		p.tables[0][e.direct.claim(2)] = claimWord(1, 0)
		func() {
			defer func() {
				if recover() == nil { // tablePort.Idle panics
					t.Errorf("thread %d does not wait for a claim", thread)
				}
			}()
			_ = e.shut(thread, p, 0, false)
		}()
		if got := e.LastWait().String(); got != "the end of claims by ranks [2]" {
			t.Errorf("thread %d: the rank waits for %q", thread, got)
		}
	}
	// Claims on other variables are ignored, and so are words that no rank writes.
	e, p := newDirectEngine(t, 0, 3)
	p.tables[0][e.direct.claim(1)], p.tables[0][e.direct.claim(2)] = claimWord(1, 3), math.MaxUint64
	if err := e.shut(user, p, 0, false); err != nil || e.LastWait().For != "" {
		t.Errorf("error %v, the rank waits for %q", err, e.LastWait())
	}
}

// TestTakenByNoRank: a faulty peer's word taken is an error at the owner.
func TestTakenByNoRank(t *testing.T) {
	for owner, want := range map[dimmnet.Rank]string{
		0:     `at rank 0: version 9 of "v0" is taken by rank 0`,
		3:     "taken by rank 3",
		65535: "taken by rank 65535",
		2:     "",
	} {
		e, p := newDirectEngine(t, 0, 3)
		at, _ := e.hints.word(0)
		p.tables[0][at+takenAt] = syncvar.Hint{Version: 9, Owner: owner}.Word()
		err := e.shut(user, p, 0, false)
		if want == "" && (err != nil || e.Owns(0)) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("taken by rank %d: error %v, want %q", owner, err, want)
		}
	}
}

// TestChasedRankMakesARequest: a rank that has forwarded a request takes nothing until its own
// request is granted, because the other request might follow the variable forever.
func TestChasedRankMakesARequest(t *testing.T) {
	e, p := newDirectEngine(t, 1, 3)
	act(t, e, slotOf(2, message{op: request, id: 0, rank: 2, access: syncvar.Exclusive}))
	if acquired, err := e.acquireDirect(0, syncvar.Exclusive); acquired || err != nil || len(p.pulls) > 0 {
		t.Errorf("acquired %v after %d pulls, error %v", acquired, len(p.pulls), err)
	}
}

// TestHostileWords fills the LLCMs with random words, such as faulty peers may write. Nothing may
// panic, except the test port, in a wait that must not happen.
func TestHostileWords(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	acquired := 0
	for range 3000 {
		rank, nodes := dimmnet.Rank(r.IntN(3)), 3
		e, p := newDirectEngine(t, rank, nodes)
		at, _ := e.hints.word(0)
		word := func() uint64 {
			switch version, rank := uint64(r.IntN(4)), uint64(r.IntN(4)); r.IntN(6) {
			case 0:
				return r.Uint64()
			case 1:
				return 1<<64 - 1 - version
			case 2:
				return claimWord(version, syncvar.ID(rank/3))
			case 3:
				return version<<versionShift | rank | closedBit
			default:
				return version<<versionShift | rank
			}
		}
		for _, table := range p.tables {
			table[at], table[at+openAt], table[at+takenAt] = word(), word()*uint64(r.IntN(2)), word()*uint64(r.IntN(2))
			for c := range nodes {
				table[e.direct.claim(dimmnet.Rank(c))] = word() * uint64(r.IntN(2))
			}
		}
		func() {
			defer func() {
				if bad := recover(); bad != nil && bad != "the script may not wait" {
					t.Errorf("seed %d: %v", seed, bad)
				}
			}()
			ok, err := e.acquireDirect(0, syncvar.Exclusive)
			if ok {
				acquired++
				err = e.release(0, true)
			}
			if err != nil {
				return
			}
			in := slotOf((rank+1)%3, message{op: request, id: 0, rank: (rank + 2) % 3, access: syncvar.Exclusive})
			if e.prepare(p, in) == nil {
				_ = e.handleSlot(in)
			}
			_ = e.Owns(0)
		}()
	}
	if acquired == 0 {
		t.Errorf("seed %d: no variable was acquired", seed)
	}
}
