package colony

import (
	"fmt"
	"math/bits"
)

// Units of the paged memory (docs/lab/papers.md, Computer Colony, Memory): space is allocated by
// page, data moves by block.
const (
	PageWords  = 1024 // 4096 bytes
	BlockWords = 8    // 32 bytes
	pageBlocks = PageWords / BlockWords
)

// PageKind is the role that a page has on a board.
type PageKind uint8

// The kinds of pages (docs/lab/papers.md, Computer Colony, Memory).
const (
	PageDummy PageKind = iota // no local memory behind it: every access is remote
	PageHome                  // the data lives in this board's memory
	PageCopy                  // a cached remote home page, each block valid or not
)

// PagesConfig divides the memory of each board into pages. Zero fields have defaults.
type PagesConfig struct {
	Home   int // home pages of each board; default 4
	Frames int // pages that a board can hold copies of; default 4
	// Reads is the number of remote reads after which a dummy page becomes a copy; default 2. If
	// all frames are in use, the oldest copy becomes a dummy page.
	Reads int
}

// Pages is a paged shared memory in which boards cache the pages of other boards. The thesis
// intends it but does not describe it, so the protocol is this package's own.
//
// Each block has a lock at its home. A writer locks the block, invalidates every valid copy,
// waits for each acknowledgement, and then writes at the home. A reader that misses locks the
// block and fetches it from the home. A read of a valid copy, a home page or a dummy page takes
// no lock. A valid copy therefore always equals the block at its home: every word is atomic, and
// the memory is sequentially consistent.
type Pages struct {
	cfg    PagesConfig
	boards int
	blocks []block  // of all home pages, by page and block
	tables [][]page // by board and page
	frames [][]int  // by board and frame: the page copied there, or -1
	oldest []int    // by board: the frame to reuse next
	count  PagesCounts
}

// PagesCounts are the events that a Pages has counted on all boards.
type PagesCounts struct {
	Local         int64 `json:"local"`         // reads of valid copies and home pages
	Remote        int64 `json:"remote"`        // reads of dummy pages
	Misses        int64 `json:"misses"`        // blocks fetched into copies
	Invalidations int64 `json:"invalidations"` // valid blocks of copies invalidated
	Copied        int64 `json:"copied"`        // dummy pages that became copies
	Evicts        int64 `json:"evicts"`        // copies that became dummy pages
}

type block struct {
	sharers uint16 // set of boards that may have a valid copy
	locked  bool
	queue   []*Board // boards that wait for the lock, in order
}

type page struct {
	kind  PageKind
	frame int // frame of the copy
	reads int // remote reads so far of the dummy page
	valid [pageBlocks / 64]uint64
}

// NewPages lays out the pages of a machine's boards. It must be called before the machine's
// programs run. The pages must fit into the memory of a board.
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
	if cfg.Home < 1 || cfg.Frames < 1 || cfg.Reads < 1 || (cfg.Home+cfg.Frames)*PageWords > lockWord {
		return nil, fmt.Errorf("colony: lay out %d home pages and %d frames, copied after %d reads: want at least 1 of each, and at most %d pages on a board",
			cfg.Home, cfg.Frames, cfg.Reads, lockWord/PageWords)
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

// Two words at the end of each board's memory carry protocol messages, not data. A write to one
// of them has the cost of a hardware message.
const (
	lockWord       = NodeWords - 2 // at the home: request the lock of a block
	invalidateWord = NodeWords - 1 // at a sharer: invalidate a block
)

// Counts returns the events counted so far.
func (p *Pages) Counts() PagesCounts { return p.count }

// Open returns the memory as board b sees it.
func (p *Pages) Open(b *Board) *Cached { return &Cached{p, b} }

// Cached is the view that one board has of a Pages. Only the board's program may use it.
type Cached struct {
	pages *Pages
	board *Board
}

// locate returns the page of addr on this board, the page's index, and the block at its home. It
// first lets the network catch up with the program's clock.
func (c *Cached) locate(addr Addr) (p *page, index int, bl *block, err error) {
	if err := c.board.catchUp(); err != nil {
		return nil, 0, nil, err
	}
	home := int(addr.Node())
	if home >= c.pages.boards || addr.Word() >= uint32(c.pages.cfg.Home*PageWords) {
		return nil, 0, nil, fmt.Errorf("colony: address %v is in no home page: there are %d boards with %d pages each", addr, c.pages.boards, c.pages.cfg.Home)
	}
	index = home*c.pages.cfg.Home + int(addr.Word()/PageWords)
	bl = &c.pages.blocks[index*pageBlocks+int(addr.Word()%PageWords/BlockWords)]
	return &c.pages.tables[c.board.Node()][index], index, bl, nil
}

// Read loads the word whose address at its home is addr.
func (c *Cached) Read(addr Addr) (uint32, error) {
	word, _, err := c.read(addr)
	return word, err
}

// read is Read, and also returns the kind of the access.
func (c *Cached) read(addr Addr) (word uint32, kind pageAccess, err error) {
	p, index, bl, err := c.locate(addr)
	if err != nil {
		return 0, 0, err
	}
	if p.kind == PageDummy {
		c.pages.count.Remote++
		if p.reads++; p.reads < c.pages.cfg.Reads {
			word, err = c.board.Read(addr)
			return word, dummyRead, err
		}
		c.makeCopy(p, index)
	} else if p.kind == PageHome || p.isValid(addr) {
		c.pages.count.Local++
		kind = homeRead
		if p.kind == PageCopy {
			kind = copyRead
		}
		word, err = c.board.Read(c.local(p, addr))
		return word, kind, err
	}
	word, err = c.fetch(p, bl, addr)
	return word, missRead, err
}

// Write stores the word whose address at its home is addr.
func (c *Cached) Write(addr Addr, word uint32) error {
	p, index, bl, err := c.locate(addr)
	if err != nil {
		return err
	}
	if err := c.lock(bl, addr); err != nil {
		return err
	}
	defer bl.unlock()
	own := uint16(1) << c.board.Node()
	for bl.sharers&^own != 0 {
		at := Node(bits.TrailingZeros16(bl.sharers &^ own))
		if err := c.board.Write(At(at, invalidateWord), uint32(addr)); err != nil {
			return err
		}
		c.pages.tables[at][index].setValid(addr, false)
		bl.sharers &^= 1 << at
		c.pages.count.Invalidations++
	}
	if err := c.board.Write(addr, word); err != nil {
		return err
	}
	if p.kind == PageCopy && p.isValid(addr) {
		return c.board.Write(c.local(p, addr), word)
	}
	return nil
}

func (c *Cached) fetch(p *page, bl *block, addr Addr) (word uint32, err error) {
	if err := c.lock(bl, addr); err != nil {
		return 0, err
	}
	defer bl.unlock()
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
	p.setValid(addr, true)
	return word, nil
}

// makeCopy makes a dummy page an empty copy, and evicts the oldest copy if no frame is free.
func (c *Cached) makeCopy(p *page, index int) {
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

// lock requests a block's lock from its home, and waits until the board has it.
func (c *Cached) lock(bl *block, addr Addr) error {
	if err := c.board.Write(At(addr.Node(), lockWord), uint32(addr)); err != nil {
		return err
	}
	if bl.locked {
		bl.queue = append(bl.queue, c.board)
		return c.board.pause()
	}
	bl.locked = true
	return nil
}

// unlock passes the lock to the board that has waited longest.
func (bl *block) unlock() {
	if len(bl.queue) == 0 {
		bl.locked = false
		return
	}
	next := bl.queue[0]
	bl.queue = bl.queue[1:]
	next.resume()
}

// local returns the address in the board's own memory of a word of a home page or of a copy.
func (c *Cached) local(p *page, addr Addr) Addr {
	if p.kind == PageHome {
		return addr
	}
	return At(c.board.Node(), uint32((c.pages.cfg.Home+p.frame)*PageWords)+addr.Word()%PageWords)
}

func (p *page) isValid(addr Addr) bool {
	i := addr.Word() % PageWords / BlockWords
	return p.valid[i/64]>>(i%64)&1 == 1
}

func (p *page) setValid(addr Addr, valid bool) {
	i := addr.Word() % PageWords / BlockWords
	p.valid[i/64] &^= 1 << (i % 64)
	if valid {
		p.valid[i/64] |= 1 << (i % 64)
	}
}
