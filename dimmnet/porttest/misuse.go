package porttest

import (
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

type mistake struct {
	what string
	call func()
}

// checkMisuse: a call with invalid arguments panics and does nothing.
func checkMisuse(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		return t.mistakes(slices.Concat(t.storeMistakes(), t.writeMistakes(), t.readMistakes(), t.fillMistakes()))
	})
}

// checkMisuseRDMA is checkMisuse for Push and Pull.
func checkMisuseRDMA(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.RDMA == 0 {
			return nil
		}
		return t.mistakes(t.rdmaMistakes())
	})
}

// checkMisuseMulticast is checkMisuse for Multicast.
func checkMisuseMulticast(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.Multicast == 0 {
			return nil
		}
		return t.mistakes(t.multicastMistakes())
	})
}

// mistakes makes all mistakes. It checks that the counters do not change, nor the bytes that the
// previous rank wrote, nor the bulk memory.
func (t *thread) mistakes(list []mistake) error {
	fill := func(r dimmnet.Rank) []byte { return noise(uint64(r)+1, t.limits.LLCM-int(dataStart)) }
	err := t.exchange(
		func() error { return t.write(t.next, dataStart, fill(t.me)) },
		func() error { return t.expect("the fill", dataStart, fill(t.prev)) })
	if err != nil {
		return err
	}
	for range 2 {
		for _, m := range t.bulkEdges() {
			t.Fill(dimmnet.Offset(m.lo), noise(uint64(m.lo), m.size()))
		}
		t.Flip()
	}
	err = t.exchange(
		func() error {
			before := t.Counters()
			for _, m := range list {
				if !panics(m.call) {
					return fmt.Errorf("porttest: %s did not panic", m.what)
				}
				if c := t.Counters(); c != before {
					return fmt.Errorf("porttest: counters %+v after %s panicked, before %+v", c, m.what, before)
				}
			}
			return nil
		},
		func() error { return t.expect("after the mistakes", dataStart, fill(t.prev)) })
	if err != nil {
		return err
	}
	for range 2 {
		for _, m := range t.bulkEdges() {
			if err := t.expect("after the mistakes", dimmnet.Offset(m.lo), noise(uint64(m.lo), m.size())); err != nil {
				return err
			}
		}
		t.Flip()
	}
	return nil
}

// bulkEdges returns the start and the end of the bulk memory, where a mistake would probably land.
func (t *thread) bulkEdges() []memory {
	m := t.bulk()
	if m.size() == 0 {
		return nil
	}
	return []memory{{m.lo, m.lo + 64}, {m.hi - 64, m.hi}}
}

// outside returns offsets behind all memory of the node, the nearest first.
func (t *thread) outside() []dimmnet.Offset {
	end := t.bulk().hi
	if end > maxOffset {
		return nil
	}
	return []dimmnet.Offset{dimmnet.Offset(end), maxOffset}
}

// postMistakes returns the mistakes common to Store and Write, and a function for further ones.
func (t *thread) postMistakes(method string, limit int, post func(dst dimmnet.Rank, off dimmnet.Offset, n int)) (list []mistake, other func(string, dimmnet.Rank, dimmnet.Offset, int) mistake) {
	other = func(what string, dst dimmnet.Rank, off dimmnet.Offset, n int) mistake {
		what = fmt.Sprintf("%s %s (rank %d, offset %d, %d bytes)", method, what, dst, off, n)
		return mistake{what, func() { post(dst, off, n) }}
	}
	return []mistake{
		other("of nothing", t.next, dataStart, 0),
		other("above the limit", t.next, dataStart, limit+1),
		other("behind the LLCM", t.next, dimmnet.Offset(t.limits.LLCM), 1),
		other("far behind the LLCM", t.next, math.MaxUint32, 1),
		other("far behind the LLCM", t.next, math.MaxUint32, limit),
		other("to a rank too many", dimmnet.Rank(t.Nodes()), dataStart, 1),
		other("to no rank", math.MaxUint16, dataStart, 1),
		other("to no rank", math.MaxUint16, dataStart, limit),
	}, other
}

func (t *thread) storeMistakes() []mistake {
	l := t.limits
	list, store := t.postMistakes("Store", l.Store, func(dst dimmnet.Rank, off dimmnet.Offset, size int) {
		t.Store(dst, off, ^uint64(0), size)
	})
	list = append(list,
		store("of less than nothing", t.next, dataStart, -1),
		store("far above the limit", t.next, dataStart, math.MaxInt))
	for size := 2; size <= l.Store; size++ {
		for in := word - size + 1; in < word; in++ {
			list = append(list, store("across a word", t.next, dataStart+dimmnet.Offset(in), size))
		}
	}
	return list
}

func (t *thread) writeMistakes() []mistake {
	l := t.limits
	end := dimmnet.Offset(l.LLCM)
	list, write := t.postMistakes("Write", l.Block, func(dst dimmnet.Rank, off dimmnet.Offset, n int) {
		t.Write(dst, off, make([]byte, n))
	})
	return append(list,
		mistake{"Write of nil", func() { t.Write(t.next, dataStart, nil) }},
		write("over the end of the LLCM", t.next, end-dimmnet.Offset(l.Block)+1, l.Block))
}

func (t *thread) readMistakes() []mistake {
	end := dimmnet.Offset(t.limits.LLCM)
	list := []mistake{
		{"Load behind the LLCM", func() { t.Load(end) }},
		{"Load far behind the LLCM", func() { t.Load(math.MaxUint32 - word + 1) }},
		{"Read of nothing", func() { t.Read(nil, dataStart) }},
		{"Read over the end of the LLCM", func() { t.Read(make([]byte, 9), end-8) }},
		{"Read of little over the end of the LLCM", func() { t.Read(make([]byte, 2), end-1) }},
		{"Read above the limit", func() { t.Read(make([]byte, max(t.limits.LLCM, t.limits.Bulk)+1), 0) }},
	}
	for _, off := range t.outside() {
		list = append(list,
			mistake{fmt.Sprintf("Read of a byte at offset %d", off), func() { t.Read(make([]byte, 1), off) }},
			mistake{fmt.Sprintf("Read of 9 bytes at offset %d", off-1), func() { t.Read(make([]byte, 9), off-1) }})
	}
	for in := dimmnet.Offset(1); in < word; in++ {
		list = append(list,
			mistake{fmt.Sprintf("Load at offset %d", dataStart+in), func() { t.Load(dataStart + in) }},
			mistake{fmt.Sprintf("Load at offset %d", end-in), func() { t.Load(end - in) }})
	}
	return list
}

func (t *thread) fillMistakes() []mistake {
	if t.limits.Bulk == 0 {
		return nil
	}
	start := dimmnet.Offset(t.limits.LLCM)
	var list []mistake
	fill := func(what string, off dimmnet.Offset, n int) {
		list = append(list, mistake{
			fmt.Sprintf("Fill %s (offset %d, %d bytes)", what, off, n),
			func() { t.Fill(off, make([]byte, n)) },
		})
	}
	fill("of nothing", start, 0)
	fill("above the limit", start, t.limits.Bulk+1)
	fill("of the start of the LLCM", 0, 1)
	fill("of the LLCM", dataStart, word)
	fill("of the end of the LLCM", start-1, 1)
	fill("over the end of the LLCM", start-1, 2)
	for _, off := range t.outside() {
		fill("outside", off, 1)
		fill("over the end", off-7, 9)
	}
	return list
}

func (t *thread) rdmaMistakes() []mistake {
	l := t.limits
	end := dimmnet.Offset(l.LLCM)
	from, to := dataStart, dataStart+64
	var list []mistake
	add := func(what string, peer dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) {
		args := fmt.Sprintf("%s (rank %d, from %d to %d, %d bytes, done %d)", what, peer, from, to, n, done)
		list = append(list,
			mistake{"Push " + args, func() { t.Push(peer, from, to, n, done) }},
			mistake{"Pull " + args, func() { t.Pull(peer, from, to, n, done) }})
	}
	add("of nothing", t.next, from, to, 0, flagDone)
	add("of less than nothing", t.next, from, to, -1, flagDone)
	add("above the limit", t.next, 0, 0, l.RDMA+1, flagDone)
	add("far above the limit", t.next, from, to, math.MaxInt, flagDone)
	add("from over the end of the LLCM", t.next, end-7, to, 8, flagDone)
	add("to over the end of the LLCM", t.next, from, end-7, 8, flagDone)
	for _, off := range t.outside() {
		add("from outside", t.next, off, to, 1, flagDone)
		add("from over the end", t.next, off-7, to, 8, flagDone)
		add("to outside", t.next, from, off, 1, flagDone)
		add("to over the end", t.next, from, off-7, 8, flagDone)
	}
	for _, m := range t.bulkEdges() {
		bulk := dimmnet.Offset(m.lo)
		add("of nothing from bulk memory", t.next, bulk, to, 0, flagDone)
		add("of nothing to bulk memory", t.next, from, bulk, 0, flagDone)
		add("above the limit in bulk memory", t.next, bulk, bulk, l.RDMA+1, flagDone)
		add("with done in bulk memory", t.next, from, to, 8, (bulk+word-1)/word*word)
	}
	add("with done misaligned", t.next, from, to, 8, flagDone+4)
	add("with done behind the LLCM", t.next, from, to, 8, end)
	add("with done across the end of the LLCM", t.next, from, to, 8, end-4)
	add("with a rank too many", dimmnet.Rank(t.Nodes()), from, to, 8, flagDone)
	add("with no rank", math.MaxUint16, from, to, 8, flagDone)
	return list
}

func (t *thread) multicastMistakes() []mistake {
	l := t.limits
	end := dimmnet.Offset(l.LLCM)
	var list []mistake
	multicast := func(what string, off dimmnet.Offset, size int, dsts ...dimmnet.Rank) {
		list = append(list, mistake{
			fmt.Sprintf("Multicast %s (ranks %v, offset %d, %d bytes)", what, dsts, off, size),
			func() { t.Multicast(dsts, off, ^uint64(0), size) },
		})
	}
	multicast("to nobody", dataStart, 1)
	multicast("of nothing", dataStart, 0, t.next)
	multicast("of less than nothing", dataStart, -1, t.next)
	multicast("above the limit", dataStart, l.Store+1, t.next)
	multicast("behind the LLCM", end, 1, t.next)
	multicast("far behind the LLCM", math.MaxUint32, 1, t.next)
	multicast("to a rank too many", dataStart, 1, dimmnet.Rank(t.Nodes()))
	multicast("to no rank", dataStart, 1, math.MaxUint16)
	multicast("to a rank twice", dataStart, 1, t.next, t.next)
	multicast("to more ranks than there are", dataStart, 1, t.next, t.me, dimmnet.Rank(t.Nodes()))
	multicast("to a rank twice, not in a row", dataStart, 1, t.next, t.me, t.next)
	multicast("to too many", dataStart, 1, ranks(l.Multicast+1)...)
	for size := 2; size <= l.Store; size++ {
		multicast("across a word", dataStart+dimmnet.Offset(word-size+1), size, t.next)
	}
	return list
}

func ranks(n int) []dimmnet.Rank {
	list := make([]dimmnet.Rank, n)
	for i := range list {
		list[i] = dimmnet.Rank(i)
	}
	return list
}
