package ports

import (
	"fmt"
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// PushBytes is the size of the Push of Overlap.
const PushBytes = 1 << 20

// OverlapConfig says how Overlap measures.
type OverlapConfig struct {
	Kernel  time.Duration // how long rank 1 computes
	Samples int           // at least 1
}

// The posts of Overlap, in this order.
const (
	Store = "store" // 8 bytes
	Write = "write" // a page
	Push  = "push"  // PushBytes, bulk memory to bulk memory
)

// Landing is what happened to one post into a rank that computed.
type Landing struct {
	Post   string
	Bytes  int
	Sample int
	// Landed is the time from the post until the bytes were in rank 1's memory.
	Landed time.Duration
	// Waited means that they were not there before rank 1 had finished its kernel and waited.
	Waited bool
	// Known is the time from the post of a Push until rank 0 knew of its completion. 0 for other
	// posts, whose sender is not told.
	Known time.Duration
}

// Overlap posts into the memory of rank 1 while rank 1 computes: it makes no call of its port that
// polls. From time to time rank 1 looks at its memory by a Read of more than a word, which no port
// takes for a poll. Rank 0 gets the landings; rank 1 gets none. Both ranks must be on one host,
// whose clock they share.
func (b *Pair) Overlap(cfg OverlapConfig) (all []Landing, err error) {
	for _, post := range b.posts() {
		for i, tries := 0, 0; i < cfg.Samples; tries++ {
			if tries == cfg.Samples+spareTries {
				return nil, fmt.Errorf("ports: %s of %d bytes: rank 0 posted before or after the kernel in %d of %d tries: the machine is too busy", post.name, post.bytes, tries-i, tries)
			}
			b.round++
			l, valid, err := b.sample(post, cfg.Kernel)
			if err != nil {
				return nil, fmt.Errorf("ports: %s of %d bytes: %w", post.name, post.bytes, err)
			}
			if !valid {
				continue
			}
			if b.p.Rank() == 0 {
				l.Sample = i
				all = append(all, l)
			}
			i++
		}
	}
	return all, nil
}

// post is a way to post bytes, and where they land.
type post struct {
	name  string
	bytes int
	at    dimmnet.Offset
	// prepare writes words with value v at rank 0, and begin posts them.
	prepare func(v uint64)
	begin   func(v uint64) error
}

// posts returns the posts that the port can do.
func (b *Pair) posts() []post {
	limits := b.p.Limits()
	all := []post{
		{Store, dimmnet.WordBytes, storeAt, func(uint64) {}, func(v uint64) error { return b.store(storeAt, v) }},
		{Write, PageBytes, pageAt, func(v uint64) { fill(b.page, v) }, func(uint64) error { return b.write(b.page) }},
	}
	if limits.RDMA < PushBytes || limits.Bulk < 2*PushBytes {
		return all
	}
	from, to := dimmnet.Offset(limits.LLCM), dimmnet.Offset(limits.LLCM+PushBytes)
	block := make([]byte, PushBytes)
	prepare := func(v uint64) {
		fill(block, v)
		b.p.Fill(from, block)
		b.p.Store(0, doneAt, 0, dimmnet.WordBytes)
	}
	return append(all, post{Push, PushBytes, to, prepare, func(uint64) error {
		return b.post(func() bool { return b.p.Push(1, from, to, PushBytes, doneAt) })
	}})
}

// spareTries is how many samples may be taken again.
const spareTries = 20

// sample takes a sample. It is valid if rank 0 has posted while rank 1 computed; rank 0 finds out.
func (b *Pair) sample(with post, kernel time.Duration) (l Landing, valid bool, err error) {
	if b.p.Rank() == 0 {
		if l, valid, err = b.strike(with, kernel); err != nil {
			return l, false, err
		}
		verdict := b.round << 1
		if valid {
			verdict |= 1
		}
		return l, valid, b.store(verdictAt, verdict)
	}
	if err := b.compute(with, kernel); err != nil {
		return l, false, err
	}
	if err := b.await(verdictAt, b.round<<1); err != nil {
		return l, false, err
	}
	return l, b.p.Load(verdictAt)&1 != 0, nil
}

// settle is how long rank 0 lets rank 1 begin to compute. It polls meanwhile, so that its own posts
// leave.
const settle = 5 * time.Millisecond

// strike is rank 0: it posts when rank 1 begins to compute, and gets what rank 1 has seen.
func (b *Pair) strike(with post, kernel time.Duration) (l Landing, valid bool, err error) {
	l = Landing{Post: with.name, Bytes: with.bytes}
	with.prepare(b.round)
	if err := b.await(flagAt, b.round); err != nil {
		return l, false, err
	}
	if err := b.store(flagAt, b.round); err != nil {
		return l, false, err
	}
	for begin := time.Now(); time.Since(begin) < settle; {
		b.p.Load(answerAt)
	}
	start := time.Now()
	if err := with.begin(b.round); err != nil {
		return l, false, err
	}
	if with.name == Push {
		if err = b.until(func() bool { return b.p.Load(doneAt) == PushBytes }); err != nil {
			return l, false, err
		}
		l.Known = time.Since(start)
	}
	if err := b.until(func() bool { return b.p.Load(answerAt) != 0 }); err != nil {
		return l, false, err
	}
	seen := b.p.Load(answerAt)
	began := time.Unix(0, int64(b.p.Load(beganAt)))
	valid = began.Before(start.Round(0)) && start.Round(0).Before(began.Add(kernel))
	b.p.Store(0, answerAt, 0, dimmnet.WordBytes)
	l.Landed, l.Waited = time.Unix(0, int64(seen>>1)).Sub(start.Round(0)), seen&1 != 0
	return l, valid, nil
}

// compute is rank 1: it computes, looks at its memory, and then waits for the bytes.
func (b *Pair) compute(with post, kernel time.Duration) error {
	v := b.round
	landed := func() bool {
		const views = 16
		for from := 0; from < with.bytes; from += max(PageBytes, with.bytes/views) {
			if !b.holds(with.at+dimmnet.Offset(from), min(with.bytes, PageBytes), v) {
				return false
			}
		}
		return with.bytes <= PageBytes || b.holds(with.at+dimmnet.Offset(with.bytes-PageBytes), PageBytes, v)
	}
	if err := b.store(flagAt, v); err != nil {
		return err
	}
	if err := b.await(flagAt, v); err != nil {
		return err
	}
	start := time.Now()
	var seen time.Time
	for ; time.Since(start) < kernel; spin() {
		if seen.IsZero() && landed() {
			seen = time.Now()
		}
	}
	var waited uint64
	if seen.IsZero() {
		waited = 1
		poll := func() bool {
			b.p.Load(flagAt) // lets the port work
			return landed()
		}
		if err := b.until(poll); err != nil {
			return err
		}
		seen = time.Now()
	}
	if err := b.store(beganAt, uint64(start.UnixNano())); err != nil {
		return err
	}
	return b.store(answerAt, uint64(seen.UnixNano())<<1|waited)
}

// holds reports whether bytes at an offset hold words of v. It never polls: it reads two words for
// one.
func (b *Pair) holds(at dimmnet.Offset, bytes int, v uint64) bool {
	var view [PageBytes]byte
	b.p.Read(view[:max(bytes, 2*dimmnet.WordBytes)], at)
	return filled(view[:bytes], v)
}

// spin computes for some microseconds.
func spin() {
	x := uint64(1)
	for range 4096 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
}
