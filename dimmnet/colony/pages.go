package colony

import (
	"fmt"
	"math/bits"
)

// The units of spec/50: space is allocated by page, data move by block.
const (
	PageWords  = 1024 // 4096 bytes
	BlockWords = 8    // 32 bytes
	pageBlocks = PageWords / BlockWords
)

// PageKind is what a page is to a board.
type PageKind uint8

// The kinds of spec/50.
const (
	PageDummy PageKind = iota // no memory behind it: every access is remote
	PageHome                  // its data live here
	PageCopy                  // blocks of a remote home page, each valid or not
)

// PagesConfig says how boards use their memory. The zero value is useful.
type PagesConfig struct {
	Home   int // home pages of each board; default 4
	Frames int // copies that a board may have; default 4
	// Reads is the number of remote reads after which a dummy page becomes a copy;
	// default 2. Where all frames are taken, the oldest copy becomes a dummy.
	Reads int
}

// Pages is what the thesis intends on top of the NIC, and does not describe: a
// memory in which boards keep copies of others' pages. All of its protocol is this
// package's. For a block, its home lets one board at a time in. Who writes, tells each
// board with a valid copy to give it up, waits for its acknowledgement, and then writes
// at the home; who misses, fetches the block from the home. A read of a valid copy, and
// one of a dummy or home page, needs nobody's leave. So there is never a valid copy of
// what is no longer at the home: every word is atomic, and the memory sequentially
// consistent.
type Pages struct {
	cfg    PagesConfig
	boards int
	blocks []block  // of all home pages, by page and block
	tables [][]page // by board and page
	frames [][]int  // by board: the pages that have its frames, or -1
	oldest []int    // by board: the frame to give up next
	count  PagesCounts
}

// PagesCounts are what the pages of all boards counted.
type PagesCounts struct {
	Local, Remote  int64 // reads of valid copies and home pages; of dummy pages
	Misses         int64 // blocks fetched
	Invalidations  int64
	Copied, Evicts int64 // dummy pages that became copies; copies that became dummies
}

// block is what its home knows of a block.
type block struct {
	sharers uint16 // boards that may have it
	held    bool
	queue   []*Board // that wait to be let in
}

// page is what a board knows of a page.
type page struct {
	kind  PageKind
	frame int
	reads int
	valid [pageBlocks / 64]uint64
}

// NewPages lays out the pages of a machine's boards, before its programs run.
func NewPages(m *Machine, cfg PagesConfig) (*Pages, error) {
	if cfg.Home == 0 {
		cfg.Home = 4
	}
	if cfg.Frames == 0 {
		cfg.Frames = 4
	}
	if cfg.Reads == 0 {
		cfg.Reads = 2
	}
	if cfg.Home < 1 || cfg.Frames < 1 || cfg.Reads < 1 || (cfg.Home+cfg.Frames)*PageWords > leaveWord {
		return nil, fmt.Errorf("colony: pages of %+v do not fit into %d words", cfg, NodeWords)
	}
	n := len(m.boards)
	p := &Pages{cfg: cfg, boards: n, blocks: make([]block, n*cfg.Home*pageBlocks), oldest: make([]int, n)}
	for b := range n {
		table := make([]page, n*cfg.Home)
		for i := range cfg.Home {
			table[b*cfg.Home+i].kind = PageHome
		}
		frames := make([]int, cfg.Frames)
		for i := range frames {
			frames[i] = -1
		}
		p.tables, p.frames = append(p.tables, table), append(p.frames, frames)
	}
	return p, nil
}

// Words that boards write at each other to say something: they hold no data.
const (
	leaveWord = NodeWords - 2 // to a home: let me in
	dropWord  = NodeWords - 1 // to a sharer: give up a block
)

// Counts are what was counted so far.
func (p *Pages) Counts() PagesCounts { return p.count }

// Open is the memory as a board's program sees it.
func (p *Pages) Open(b *Board) *Cached { return &Cached{p, b} }

// Cached is a board's view of Pages. It belongs to the board's program.
type Cached struct {
	pages *Pages
	board *Board
}

// place is where a word is now: its page and block, and their home.
func (c *Cached) place(addr Addr) (p *page, index int, bl *block, err error) {
	if err := c.board.catchUp(); err != nil {
		return nil, 0, nil, err
	}
	home := int(addr.Node())
	if home >= c.pages.boards || addr.Word() >= uint32(c.pages.cfg.Home*PageWords) {
		return nil, 0, nil, fmt.Errorf("colony: %v is in no home page of %d boards with %d each", addr, c.pages.boards, c.pages.cfg.Home)
	}
	index = home*c.pages.cfg.Home + int(addr.Word()/PageWords)
	bl = &c.pages.blocks[index*pageBlocks+int(addr.Word()%PageWords/BlockWords)]
	return &c.pages.tables[c.board.Node()][index], index, bl, nil
}

// Kind is what the page of an address is to the board.
func (c *Cached) Kind(addr Addr) (PageKind, error) {
	p, _, _, err := c.place(addr)
	if err != nil {
		return 0, err
	}
	return p.kind, nil
}

// Read loads a word, by its address at its home.
func (c *Cached) Read(addr Addr) (uint32, error) {
	p, index, bl, err := c.place(addr)
	switch {
	case err != nil:
		return 0, err
	case p.kind == PageHome, p.kind == PageCopy && p.has(addr):
		c.pages.count.Local++
		return c.board.Read(c.local(p, addr))
	case p.kind == PageCopy:
		return c.fetch(p, bl, addr)
	}
	c.pages.count.Remote++
	if p.reads++; p.reads == c.pages.cfg.Reads {
		c.copy(p, index)
		return c.fetch(p, bl, addr)
	}
	return c.board.Read(addr)
}

// Write stores a word, by its address at its home.
func (c *Cached) Write(addr Addr, word uint32) error {
	p, _, bl, err := c.place(addr)
	if err != nil {
		return err
	}
	if err := c.enter(bl, addr); err != nil {
		return err
	}
	defer bl.leave()
	own := uint16(1) << c.board.Node()
	for bl.sharers&^own != 0 {
		at := Node(bits.TrailingZeros16(bl.sharers &^ own))
		if err := c.board.Write(At(at, dropWord), uint32(addr)); err != nil {
			return err
		}
		index := int(addr.Node())*c.pages.cfg.Home + int(addr.Word()/PageWords)
		c.pages.tables[at][index].set(addr, false)
		bl.sharers &^= 1 << at
		c.pages.count.Invalidations++
	}
	if err := c.board.Write(addr, word); err != nil {
		return err
	}
	if p.kind == PageCopy && p.has(addr) {
		return c.board.Write(c.local(p, addr), word)
	}
	return nil
}

// fetch brings a block into the board's copy, and reads a word of it.
func (c *Cached) fetch(p *page, bl *block, addr Addr) (word uint32, err error) {
	if err := c.enter(bl, addr); err != nil {
		return 0, err
	}
	defer bl.leave()
	c.pages.count.Misses++
	bl.sharers |= 1 << c.board.Node()
	first := addr - addr%BlockWords
	for i := range Addr(BlockWords) {
		v, err := c.board.Read(first + i)
		if err != nil {
			return 0, err
		}
		if first+i == addr {
			word = v
		}
		if err := c.board.Write(c.local(p, first+i), v); err != nil {
			return 0, err
		}
	}
	p.set(addr, true)
	return word, nil
}

// copy makes a dummy page a copy with no valid block.
func (c *Cached) copy(p *page, index int) {
	own := c.board.Node()
	frames, next := c.pages.frames[own], c.pages.oldest[own]
	if old := frames[next]; old >= 0 {
		c.pages.tables[own][old] = page{}
		c.pages.count.Evicts++
	}
	frames[next] = index
	c.pages.oldest[own] = (next + 1) % len(frames)
	*p = page{kind: PageCopy, frame: next}
	c.pages.count.Copied++
}

// enter asks the home to be let in, and waits for it.
func (c *Cached) enter(bl *block, addr Addr) error {
	if err := c.board.Write(At(addr.Node(), leaveWord), uint32(addr)); err != nil {
		return err
	}
	if bl.held {
		bl.queue = append(bl.queue, c.board)
		return c.board.pause()
	}
	bl.held = true
	return nil
}

// leave lets the next in.
func (bl *block) leave() {
	if len(bl.queue) == 0 {
		bl.held = false
		return
	}
	next := bl.queue[0]
	bl.queue = bl.queue[1:]
	next.resume()
}

// local is where the board has a word of a home page or a copy.
func (c *Cached) local(p *page, addr Addr) Addr {
	if p.kind == PageHome {
		return addr
	}
	return At(c.board.Node(), uint32((c.pages.cfg.Home+p.frame)*PageWords)+addr.Word()%PageWords)
}

// has says whether the block of an address is valid.
func (p *page) has(addr Addr) bool {
	i := addr.Word() % PageWords / BlockWords
	return p.valid[i/64]>>(i%64)&1 == 1
}

func (p *page) set(addr Addr, valid bool) {
	i := addr.Word() % PageWords / BlockWords
	p.valid[i/64] &^= 1 << (i % 64)
	if valid {
		p.valid[i/64] |= 1 << (i % 64)
	}
}
