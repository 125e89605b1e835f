package porttest

import (
	"bytes"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// windowTest posts numbered items to rank 1, round robin over some slots, until
// a post fails.
type windowTest struct {
	bytes int // of an item
	slots int
	post  func(t *thread, off dimmnet.Offset, item []byte) bool
}

// manyPosts without a failure mean that this port has no window.
const manyPosts = 10000

func (w *windowTest) item(i int) []byte { return noise(uint64(i)+1, w.bytes) }

// stride keeps slots aligned to words.
func (w *windowTest) stride() int { return (w.bytes + word - 1) / word * word }

func (w *windowTest) slot(i int) dimmnet.Offset {
	return dataStart + dimmnet.Offset(i%w.slots*w.stride())
}

// checkFullWindowWrite: a Write that finds no room does nothing, is not counted,
// and can be posted when Idle has returned.
func checkFullWindowWrite(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		w := &windowTest{bytes: t.limits.Block, slots: 4, post: func(t *thread, off dimmnet.Offset, item []byte) bool {
			return t.Write(1, off, item)
		}}
		return w.run(t)
	})
}

// checkFullWindowStore is the same for a Store.
func checkFullWindowStore(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		w := &windowTest{bytes: t.flagBytes, slots: 16, post: func(t *thread, off dimmnet.Offset, item []byte) bool {
			return t.Store(1, off, number(item), len(item))
		}}
		return w.run(t)
	})
}

// checkFullWindowMulticast is the same for a Multicast to rank 1, and to the
// poster if it may go to two.
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
		} else if err := w.inspect(t, seq); err != nil {
			return err
		}
	}
	return nil
}

// fill is what rank 0 does in a round: post items from number *next on until one
// fails, *posts of them at most; let rank 1 look; post it; let rank 1 look again.
func (w *windowTest) fill(t *thread, next, posts *int, seq uint64) error {
	for i := 0; ; i++ {
		if i == *posts {
			*posts = 10 // no window: the other rounds need not look for it
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
	look := func(phase uint64) error {
		return inOrder(
			func() error { return t.storeWord(1, flagInfo, uint64(*next)) },
			func() error { return t.signal(1, flagData, phase) },
			func() error { return t.await(flagAck, phase) })
	}
	if err := look(2 * seq); err != nil {
		return err
	}
	item := w.item(*next)
	if err := t.post(func() bool { return w.post(t, w.slot(*next), item) }); err != nil {
		return err
	}
	*next++
	return look(2*seq + 1)
}

// inspect is what rank 1 does in a round: look, twice, whether the items before
// the number it is told are here and no others.
func (w *windowTest) inspect(t *thread, seq uint64) error {
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
					return fmt.Errorf("porttest: post %d failed, and yet it has landed", next)
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

// holds says whether item i is in its slot.
func (w *windowTest) holds(t *thread, i int) bool {
	got := make([]byte, w.bytes)
	t.Read(got, w.slot(i))
	return bytes.Equal(got, w.item(i))
}
