package porttest

import (
	"bytes"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// windowTest posts numbered items to some slots of rank 1 in turn, until a post fails.
type windowTest struct {
	bytes int // size of an item
	slots int
	post  func(t *thread, off dimmnet.Offset, item []byte) bool
}

// manyPosts is the number of posts without a failure that proves that send buffers are unlimited.
const manyPosts = 10000

func (w *windowTest) item(i int) []byte { return noise(uint64(i)+1, w.bytes) }

// stride returns the distance of two slots. Items start at words.
func (w *windowTest) stride() int { return (w.bytes + word - 1) / word * word }

func (w *windowTest) slot(i int) dimmnet.Offset {
	return dataStart + dimmnet.Offset(i%w.slots*w.stride())
}

// checkFullWindowWrite: a refused Write changes and counts nothing. After an Idle it succeeds.
func checkFullWindowWrite(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		w := &windowTest{bytes: t.limits.Block, slots: 4, post: func(t *thread, off dimmnet.Offset, item []byte) bool {
			return t.Write(1, off, item)
		}}
		return w.run(t)
	})
}

// checkFullWindowStore is checkFullWindowWrite for a Store.
func checkFullWindowStore(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		w := &windowTest{bytes: t.flagBytes, slots: 16, post: func(t *thread, off dimmnet.Offset, item []byte) bool {
			return t.Store(1, off, number(item), len(item))
		}}
		return w.run(t)
	})
}

// checkFullWindowMulticast is the same for a Multicast to rank 1 and, if allowed, the sender.
func checkFullWindowMulticast(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.Multicast == 0 {
			return nil
		}
		dsts := []dimmnet.Rank{1, 0}[:min(2, t.limits.Multicast)]
		w := &windowTest{bytes: t.flagBytes, slots: 16, post: func(t *thread, off dimmnet.Offset, item []byte) bool {
			return t.Multicast(dsts, off, number(item), len(item))
		}}
		return w.run(t)
	})
}

func (w *windowTest) run(t *thread) error {
	next, posts := 0, t.env.rounds(manyPosts)
	for seq := uint64(1); seq <= 5; seq++ {
		if t.me == 0 {
			if err := w.fill(t, &next, &posts, seq); err != nil {
				return err
			}
		} else if err := w.verify(t, seq); err != nil {
			return err
		}
	}
	return nil
}

// fill posts, at rank 0, items from *next on until a post fails, at most *posts; lets rank 1
// check; posts the failed item again; and lets rank 1 check again.
func (w *windowTest) fill(t *thread, next, posts *int, seq uint64) error {
	for i := 0; ; i++ {
		if i == *posts {
			*posts = 10 // there is no limit, so the other rounds post few items
			break
		}
		before := t.Counters()
		if !w.post(t, w.slot(*next), w.item(*next)) {
			if after := t.Counters(); after != before {
				return fmt.Errorf("porttest: counters %+v after a post that failed, before %+v", after, before)
			}
			break
		}
		*next++
	}
	inspect := func(phase uint64) error {
		return inOrder(
			func() error { return t.storeWord(1, flagInfo, uint64(*next)) },
			func() error { return t.signal(1, flagData, phase) },
			func() error { return t.await(flagAck, phase) })
	}
	if err := inspect(2 * seq); err != nil {
		return err
	}
	item := w.item(*next)
	if err := t.post(func() bool { return w.post(t, w.slot(*next), item) }); err != nil {
		return err
	}
	*next++
	return inspect(2*seq + 1)
}

// verify, at rank 1, checks twice that exactly the items before flagInfo's number have landed.
func (w *windowTest) verify(t *thread, seq uint64) error {
	for phase := 2 * seq; phase <= 2*seq+1; phase++ {
		if err := t.await(flagData, phase); err != nil {
			return err
		}
		next := int(t.Load(flagInfo))
		for i := next; i < next+w.slots; i++ {
			want := make([]byte, w.stride())
			if i >= w.slots {
				copy(want, w.item(i-w.slots))
			}
			if err := t.expect(fmt.Sprintf("after %d posts, slot of post %d", next, i-w.slots), w.slot(i), want); err != nil {
				if w.holds(t, next) {
					return fmt.Errorf("porttest: post %d returned false, but its bytes have landed", next)
				}
				return err
			}
		}
		if err := t.signal(0, flagAck, phase); err != nil {
			return err
		}
	}
	return nil
}

func (w *windowTest) holds(t *thread, i int) bool {
	got := make([]byte, w.bytes)
	t.Read(got, w.slot(i))
	return bytes.Equal(got, w.item(i))
}
