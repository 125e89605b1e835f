package colony

import (
	"fmt"
	"math/rand/v2"
)

// PagesLoad is each board's program in RunPages: reads and writes of random home-page words.
type PagesLoad struct {
	Accesses int     // of each board; default 1000
	Writes   float64 // the share of accesses that are writes, 0 to 1
	// Words is the number of words accessed per page, at least one per board. Default 64.
	Words int
	Think int // largest number of clocks that a board computes between accesses
}

type pageAccess uint8

const (
	homeRead pageAccess = iota
	copyRead
	missRead
	dummyRead
	pageWrite
	pageAccesses
)

// PagesReport is the result of RunPages. Its times are in clocks of 20 ns.
type PagesReport struct {
	Seed   uint64 `json:"seed"`
	Boards int    `json:"boards"`
	Clocks int64  `json:"clocks"` // when the last program has ended
	// Access has one element for each kind of access.
	Access []PageAccess `json:"access"`
	Pages  PagesCounts  `json:"pages"` // page and block state changes
	// Network counts packets and remote accesses. A miss takes one for the lock, one per word.
	Network Counts `json:"network"`
	// Wrong counts reads that returned a value older than the last one the board knew. It is 0
	// unless parity missed a damaged packet (Network.Unseen).
	Wrong int64 `json:"wrong"`
}

// PageAccess sums the accesses of one kind.
type PageAccess struct {
	Kind   string `json:"kind"`    // "home read", "copy read", "miss", "dummy read" or "write"
	Count  int64  `json:"count"`   // accesses of all boards
	Clocks int64  `json:"clk_sum"` // from the program's call to its return
}

// Mean returns the mean clocks of an access, or 0 if there was none.
func (a PageAccess) Mean() float64 { return float64(a.Clocks) / float64(max(a.Count, 1)) }

// RunPages builds a machine with home, copy and dummy pages, runs a random program on each
// board, and reports the cost of each kind of access, the remote accesses and the state changes
// of the pages. The same arguments give the same report. Since all boards send requests, the
// default of Config.Patience is Patience(Link, Boards), for two boards too. An error is a bad
// argument, or a remote access that failed after Config.Tries tries (ErrTries).
func RunPages(cfg Config, pages PagesConfig, load PagesLoad) (*PagesReport, error) {
	if load.Accesses == 0 {
		load.Accesses = 1000
	}
	if load.Words == 0 {
		load.Words = 64
	}
	if load.Accesses < 0 || !(load.Writes >= 0 && load.Writes <= 1) || load.Words < 1 || load.Words > PageWords || load.Think < 0 {
		return nil, fmt.Errorf("colony: run %d accesses, a share of %g writes, %d words of each page, up to %d clocks between accesses: "+
			"want no negative number, writes from 0 to 1, and 1 to %d words", load.Accesses, load.Writes, load.Words, load.Think, PageWords)
	}
	if cfg.Patience == 0 {
		cfg.Patience = max(Patience(cfg.Link, cfg.withDefaults().Boards), 0)
	}
	m, err := New(cfg)
	if err != nil {
		return nil, err
	}
	if load.Words < len(m.boards) {
		return nil, fmt.Errorf("colony: run on %d words of each page: want at least 1 for each of %d boards", load.Words, len(m.boards))
	}
	p, err := NewPages(m, pages)
	if err != nil {
		return nil, err
	}
	r := &PagesReport{Seed: m.cfg.Seed, Boards: len(m.boards)}
	for _, kind := range [pageAccesses]string{"home read", "copy read", "miss", "dummy read", "write"} {
		r.Access = append(r.Access, PageAccess{Kind: kind})
	}
	programs := make([]func(*Board) error, len(m.boards))
	for i := range programs {
		programs[i] = func(b *Board) error { return load.run(p.Open(b), r) }
	}
	if err := m.Run(programs...); err != nil {
		return nil, err
	}
	r.Clocks, r.Pages, r.Network = m.net.queue.now, p.Counts(), m.Counts()
	return r, nil
}

// run is the program of one board. Only one board writes a given word, and it writes ascending
// values, so a reader notices an old value.
func (l PagesLoad) run(c *Cached, r *PagesReport) error {
	own, boards := int(c.board.Node()), c.board.Nodes()
	random := rand.New(rand.NewPCG(r.Seed, uint64(1+own)))
	known := map[Addr]uint32{}
	for step := range l.Accesses {
		write := random.Float64() < l.Writes
		page, word := random.IntN(c.pages.cfg.Home), random.IntN(l.Words/boards)*boards+random.IntN(boards)
		if write {
			word += own - word%boards
		}
		addr := At(Node(random.IntN(boards)), uint32(page*PageWords+word))
		c.board.Spend(random.IntN(l.Think + 1))
		if err := c.board.catchUp(); err != nil {
			return err
		}
		begin := c.board.Now()
		kind := pageWrite
		var err error
		if write {
			known[addr] = uint32(step + 1)
			err = c.Write(addr, known[addr])
		} else {
			var v uint32
			v, kind, err = c.read(addr)
			if v < known[addr] || word%boards == own && v != known[addr] {
				r.Wrong++
			}
			known[addr] = max(v, known[addr])
		}
		if err != nil {
			return err
		}
		r.Access[kind].Count++
		r.Access[kind].Clocks += int64((c.board.Now() - begin) / Clock)
	}
	return nil
}
