package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Queue distributes items to ranks on demand, in batches. In threaded mode a rank takes a batch
// whenever it is free. In phase mode all ranks meet now and then, and each gets several batches.
type Queue struct {
	node         *fagus.Node
	name         string
	items, batch int
	next         int // the first batch that was never handed out, at least 1 after a call of Each
}

// NewQueue makes a queue of the items 0 to items-1, which Each hands out in batches of the given
// size; the last batch may be smaller.
func NewQueue(n *fagus.Node, name string, items, batch int) (*Queue, error) {
	if items < 0 || batch < 1 {
		return nil, fmt.Errorf("parts: queue %q of %d items in batches of %d: want at least 0 items, and at least 1 item per batch", name, items, batch)
	}
	return &Queue{node: n, name: name, items: items, batch: batch}, nil
}

// Batches returns the number of batches.
func (q *Queue) Batches() int { return (q.items + q.batch - 1) / q.batch }

// Batch returns the items of batch b: lo to hi-1.
func (q *Queue) Batch(b int) (lo, hi int) { return b * q.batch, min((b+1)*q.batch, q.items) }

// Results says where the results of a batch go. The zero Results is for a queue without results.
type Results struct {
	// Want returns the request for the variable that guards the results of batch b. The variables
	// of different batches must differ.
	Want func(b int) fagus.Request
	// Store copies the results of batch b, which work left in private memory, while the rank holds
	// that variable. It is called once a batch, some time after work.
	Store func(b int)
}

// Each calls work for batches of this rank until no rank gets another one. work computes all items
// of batch b while the rank holds nothing. Each is collective, and can be called once. It does not
// wait until other ranks have stored their results.
//
//	out := make([]float64, items) // private
//	err := q.Each(func(b int) error {
//		for lo, hi := q.Batch(b); lo < hi; lo++ {
//			out[lo] = compute(lo)
//		}
//		return nil
//	}, parts.Results{
//		Want:  func(b int) fagus.Request { return guards[b].Write() },
//		Store: func(b int) { lo, hi := q.Batch(b); copy(results.Slice()[lo:hi], out[lo:hi]) },
//	})
//
// work makes no collective call, such as Fence, Update, Reduce or NewArray: ranks do different
// numbers of batches, so the run would fail or wait forever. Nor does it acquire anything: in
// phase mode an Acquire waits for the next call of every other rank, which may be many batches
// later. Results is the place for what work computes. work may call Spend.
//
// In threaded mode a rank that takes a batch stores the results of its last one in the same
// tenure. In phase mode a rank stores all results at the end. There all ranks deal out the batches
// among themselves, work for most of the time that these should take, and meet to deal out the
// rest again. So each time a rank waits for at most one batch of another rank.
func (q *Queue) Each(work func(b int) error, r Results) error { return q.each(0, q.Batches(), work, r) }

// EachInRounds is Each in the rounds of [fagus.Node.Rounds] of batches. So a program that does
// nothing else makes checkpoints. If the number of batches depends on the number of ranks, a run
// resumes only on the same number of ranks.
func (q *Queue) EachInRounds(work func(b int) error, r Results) error {
	for lo, hi := range q.node.Rounds(q.Batches()) {
		if err := q.each(lo, hi, work, r); err != nil {
			return err
		}
	}
	return q.node.Err()
}

// DealInRounds deals the batches to the ranks in turn, as [Cyclic] does: f gets this rank's
// batches. It calls f once in each of the rounds of [fagus.Node.Rounds]. The number of batches
// must not depend on the number of ranks, as in EachInRounds.
func (q *Queue) DealInRounds(f func(batches []int) error) error {
	for lo, hi := range q.node.Rounds(q.Batches()) {
		if err := f(CyclicFrom(lo, hi, q.node.Nodes(), q.node.Rank())); err != nil {
			return err
		}
	}
	return q.node.Err()
}

func (q *Queue) each(lo, hi int, work func(b int) error, r Results) error {
	if lo < q.next {
		return fmt.Errorf("parts: queue %q: Each was called before, and has handed out all items: make another queue", q.name)
	}
	q.next = max(hi, 1)
	if q.node.Mode() == fagus.Threaded {
		return q.takeTurns(lo, hi, work, r)
	}
	return q.shareOut(lo, hi, work, r)
}

// takeTurns takes one batch after another from a shared number. The number's variable is bound
// after the variables of the results, so a rank acquires it last, and holds it for a short time.
func (q *Queue) takeTurns(lo, hi int, work func(b int) error, r Results) error {
	name := q.name
	if lo > 0 {
		name = fmt.Sprintf("%s.%d", name, lo)
	}
	number := fagus.NewGuarded[int64](q.node, name, 1)
	number.Scratch()
	wants, done, batch := []fagus.Request{number.Write().Unordered()}, -1, 0
	for {
		err := q.node.Set(wants...).Do(func() {
			if done >= 0 && r.Store != nil {
				r.Store(done)
			}
			next := &number.Slice()[0]
			if batch = lo + int(*next); batch < hi {
				*next++
			}
		})
		if err != nil {
			return err
		}
		q.node.DefaultProgress(batch, q.Batches())
		if batch == hi {
			return nil
		}
		if err := work(batch); err != nil {
			return err
		}
		if done = batch; r.Want != nil {
			wants = append(wants[:1], r.Want(done))
		}
	}
}

// shareOut works on batches that all ranks deal out again and again, by the reports of all ranks.
func (q *Queue) shareOut(lo, hi int, work func(b int) error, r Results) error {
	n := q.node
	d := newDeal(lo, hi, n.Nodes())
	var done []int
	for {
		mine, limit := d.hand(n.Rank())
		begin, i := n.Now(), 0
		for ; i < len(mine) && (i == 0 || d.last() || n.Now()-begin < limit); i++ {
			// The others are about as far with theirs.
			n.DefaultProgress(hi-len(d.open)+min(i*n.Nodes(), len(d.open)), q.Batches())
			if err := work(mine[i]); err != nil {
				return err
			}
		}
		done = append(done, mine[:i]...)
		if d.last() {
			break
		}
		words, err := fagus.Gather(n, report{i, n.Now() - begin}.word())
		if err != nil {
			return err
		}
		d.next(words)
	}
	n.DefaultProgress(hi, q.Batches())
	if r.Want == nil {
		return nil
	}
	wants := make([]fagus.Request, len(done))
	for i, b := range done {
		wants[i] = r.Want(b)
	}
	return n.Set(wants...).Do(func() {
		for _, b := range done {
			r.Store(b)
		}
	})
}
