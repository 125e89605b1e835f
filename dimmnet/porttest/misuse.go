package porttest

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// mistake is a call that must panic.
type mistake struct {
	what string
	call func()
}

// checkMisuse: a call whose arguments are wrong panics and does nothing.
func checkMisuse(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		return t.mistakes(append(t.storeMistakes(), append(t.writeMistakes(), t.readMistakes()...)...))
	})
}

// checkMisuseRDMA is the same for Push and Pull.
func checkMisuseRDMA(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.RDMA == 0 {
			return nil
		}
		return t.mistakes(t.rdmaMistakes())
	})
}

// mistakes fills the data of the next rank, makes all mistakes, and sees that
// the counters and what the previous rank filled are as before.
func (t *thread) mistakes(list []mistake) error {
	fill := func(r dimmnet.Rank) []byte { return noise(uint64(r)+1, t.limits.LLCM-int(dataStart)) }
	err := t.exchange(
		func() error { return t.write(t.next, dataStart, fill(t.me)) },
		func() error { return t.expect("the fill", dataStart, fill(t.prev)) })
	if err != nil {
		return err
	}
	return t.exchange(
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
}

func (t *thread) storeMistakes() []mistake {
	l := t.limits
	end := dimmnet.Offset(l.LLCM)
	store := func(what string, dst dimmnet.Rank, off dimmnet.Offset, size int) mistake {
		return mistake{
			fmt.Sprintf("Store %s (rank %d, offset %d, %d bytes)", what, dst, off, size),
			func() { t.Store(dst, off, ^uint64(0), size) },
		}
	}
	list := []mistake{
		store("of nothing", t.next, dataStart, 0),
		store("of less than nothing", t.next, dataStart, -1),
		store("above the limit", t.next, dataStart, l.Store+1),
		store("far above the limit", t.next, dataStart, math.MaxInt),
		store("behind the window", t.next, end, 1),
		store("far behind the window", t.next, math.MaxUint32, 1),
		store("to a rank too many", dimmnet.Rank(t.Nodes()), dataStart, 1),
		store("to no rank", math.MaxUint16, dataStart, 1),
	}
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
	write := func(what string, dst dimmnet.Rank, off dimmnet.Offset, n int) mistake {
		return mistake{
			fmt.Sprintf("Write %s (rank %d, offset %d, %d bytes)", what, dst, off, n),
			func() { t.Write(dst, off, make([]byte, n)) },
		}
	}
	return []mistake{
		{"Write of nil", func() { t.Write(t.next, dataStart, nil) }},
		write("of nothing", t.next, dataStart, 0),
		write("above the limit", t.next, dataStart, l.Block+1),
		write("over the end of the window", t.next, end-dimmnet.Offset(l.Block)+1, l.Block),
		write("behind the window", t.next, end, 1),
		write("far behind the window", t.next, math.MaxUint32, l.Block),
		write("to a rank too many", dimmnet.Rank(t.Nodes()), dataStart, 1),
		write("to no rank", math.MaxUint16, dataStart, l.Block),
	}
}

func (t *thread) readMistakes() []mistake {
	end := dimmnet.Offset(t.limits.LLCM)
	list := []mistake{
		{"Load behind the window", func() { t.Load(end) }},
		{"Load far behind the window", func() { t.Load(math.MaxUint32 - word + 1) }},
		{"Read over the end of the window", func() { t.Read(make([]byte, 9), end-8) }},
		{"Read behind the window", func() { t.Read(make([]byte, 1), end) }},
		{"Read far behind the window", func() { t.Read(make([]byte, 8), math.MaxUint32) }},
	}
	for in := dimmnet.Offset(1); in < word; in++ {
		list = append(list,
			mistake{fmt.Sprintf("Load at offset %d", dataStart+in), func() { t.Load(dataStart + in) }},
			mistake{fmt.Sprintf("Load at offset %d", end-in), func() { t.Load(end - in) }})
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
	add("from over the end", t.next, end-7, to, 8, flagDone)
	add("from behind the window", t.next, math.MaxUint32, to, 1, flagDone)
	add("to over the end", t.next, from, end-7, 8, flagDone)
	add("to behind the window", t.next, from, math.MaxUint32, 1, flagDone)
	add("with done misaligned", t.next, from, to, 8, flagDone+4)
	add("with done behind the window", t.next, from, to, 8, end)
	add("with a rank too many", dimmnet.Rank(t.Nodes()), from, to, 8, flagDone)
	add("with no rank", math.MaxUint16, from, to, 8, flagDone)
	return list
}
