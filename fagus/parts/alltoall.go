package parts

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// AllToAll moves data from every rank to every other. T is a type that NewArray accepts, or any
// other one that package codec encodes, such as string.
type AllToAll[T any] struct {
	node     *fagus.Node
	name     string
	capacity int
	own      []T // memory for the message of a rank to itself
	// Calls use the two in turn, like the calls of Vectors. Where each call begins with a Fold,
	// all ranks have read the messages of the last call, and one is enough: so phases repeat
	// from the third call on.
	turns []mailbox[T]
	calls int
	hops  *hops[T] // nil until a call uses it
	most  int      // the most bytes that go by hops from one rank
	// values moves elements that NewArray does not accept, or any number of elements; else nil.
	values *values[T]
}

// hopNodes is the smallest number of nodes on which messages may go in two steps.
const hopNodes = 16

// hopBytes returns the most bytes that a rank sends in a call in two steps. All data then move
// twice, but in fewer messages. The two ways take equal times at 4 (phases that repeat) to 8 (new
// phases, on 32 nodes) times the square of the nodes:
//
//	go test ./fagus/parts -run - -bench ExchangeSimulated -benchtime 1x
func hopBytes(nodes int) int { return 4 * nodes * nodes }

// mailbox has a message for every pair of ranks, with a variable each.
type mailbox[T any] struct {
	array       *fagus.Array[T]
	write, read *fagus.SyncSet // this rank's messages to others, and the messages to this rank
}

// NewAllToAll makes room for messages of at most capacity elements from each rank to each. It is
// collective. A capacity that is larger than necessary costs addresses, but no memory or time.
//
// With a capacity of 0 messages may have any length. Ranks then agree on a size in each call, which
// takes one more phase, as it does if NewArray does not accept elements of type T.
func NewAllToAll[T any](n *fagus.Node, name string, capacity int) (*AllToAll[T], error) {
	if capacity < 0 {
		return nil, fmt.Errorf("parts: all-to-all %q of messages of %d elements: want at least 1, or 0 for any number", name, capacity)
	}
	values, err := valuesOf[T](n, capacity)
	if err != nil {
		return nil, fmt.Errorf("parts: all-to-all %q: %w", name, err)
	}
	a := &AllToAll[T]{node: n, name: name, capacity: capacity, most: hopBytes(n.Nodes()), values: values}
	if a.mayHop() || values != nil {
		return a, nil // an Exchange declares what it needs
	}
	return a, a.declareTurns()
}

func (a *AllToAll[T]) mayHop() bool { return a.node.Folds() && a.node.Nodes() >= hopNodes }

func (a *AllToAll[T]) declareTurns() error {
	a.turns = make([]mailbox[T], 2)
	if a.mayHop() {
		a.turns = a.turns[:1]
	}
	for i := range a.turns {
		if err := a.declare(&a.turns[i], fmt.Sprintf("%s/%d", a.name, i)); err != nil {
			return err
		}
	}
	return nil
}

func (a *AllToAll[T]) declare(m *mailbox[T], name string) (err error) {
	if m.array, err = fagus.NewArray[T](a.node, name, a.node.Nodes()*a.node.Nodes()*a.size()); err != nil {
		return err
	}
	m.write, m.read, err = bindPairs(a.node, m.array, a.size(), a.mayHop())
	return err
}

// bindPairs binds a variable to the message of each rank to each other, and returns sets of those
// from this rank and of those to it. Over a tree, lists that progress evenly from rank to rank are
// short. So there is a variable for the message of a rank to itself, too, though nobody uses it.
func bindPairs(n *fagus.Node, messages elements, size int, tree bool) (write, read *fagus.SyncSet, err error) {
	messages.Scratch()
	var out, in []fagus.Request
	for from := range n.Nodes() {
		for to := range n.Nodes() {
			if from == to && !tree {
				continue
			}
			begin := (from*n.Nodes() + to) * size
			v, err := n.Bind(fmt.Sprintf("%s.%d.%d", messages.Name(), from, to), messages.Range(begin, begin+size))
			if err != nil {
				return nil, nil, err
			}
			if n.Rank() == from {
				out = append(out, v.Write().Reporting())
			}
			if n.Rank() == to {
				in = append(in, v.Read())
			}
		}
	}
	return n.Set(out...), n.Set(in...), nil
}

// size returns the number of elements of a message and its length.
func (a *AllToAll[T]) size() int { return prefix[T]() + a.capacity }

// begin returns where the message of one rank to another begins.
func (a *AllToAll[T]) begin(from, to int) int { return (from*a.node.Nodes() + to) * a.size() }

// Exchange calls send, which sets to[r] to the message for rank r. Then it calls receive, in which
// from[r] is the message of rank r to this rank. It is collective, and the rank must hold no
// variable. In phase mode it takes two phases on few nodes.
//
//	err := a.Exchange(
//		func(to [][]int32) {
//			for _, key := range keys {
//				r := owner(key)
//				to[r] = append(to[r], key)
//			}
//		},
//		func(from [][]int32) {
//			for _, keys := range from {
//				count(keys)
//			}
//		})
//
// At first each to[r] is empty. On few nodes it has the capacity given to NewAllToAll in shared
// memory, so that append copies only once. With lists over a tree, on 16 nodes and more, ranks
// agree by a Fold on how much they send. Small messages then go in two steps, by way of other
// ranks, and a call takes four phases. send may also set to[r] to a slice of its own, which
// Exchange copies. receive must not change from, and copies what is needed later. The message of a
// rank to itself is not shared, and may have any length.
func (a *AllToAll[T]) Exchange(send, receive func([][]T)) error {
	if a.values == nil && !a.mayHop() {
		return a.direct(send, receive)
	}
	to := make([][]T, a.node.Nodes())
	send(to)
	if a.values != nil {
		return a.exchangeValues(to, receive)
	}
	most, err := a.largest(to)
	if err != nil {
		return err
	}
	if most <= a.most {
		if a.hops == nil {
			if a.hops, err = newHops[T](a.node, a.name, a.capacity); err != nil {
				return err
			}
		}
		return a.hops.exchange(a.check, to, receive)
	}
	if a.turns == nil {
		if err := a.declareTurns(); err != nil {
			return err
		}
	}
	return a.direct(func(shared [][]T) { copy(shared, to) }, receive)
}

func (a *AllToAll[T]) exchangeValues(to [][]T, receive func([][]T)) error {
	if err := a.check(to); err != nil {
		return err
	}
	from, err := a.values.exchange(to)
	if err != nil {
		return fmt.Errorf("parts: all-to-all %q: %w", a.name, err)
	}
	receive(from)
	return nil
}

// largest returns the largest number of bytes that any rank sends to others.
func (a *AllToAll[T]) largest(to [][]T) (int, error) {
	sent := 0
	for r, x := range to {
		if r != a.node.Rank() {
			sent += len(x)
		}
	}
	var one T
	most, err := largest(a.node, sent)
	return most * int(unsafe.Sizeof(one)), err
}

// largest returns the largest x of all ranks.
func largest(n *fagus.Node, x int) (int, error) {
	most, err := n.Fold([]uint64{uint64(x)}, fagus.Fold{AnyOrder: true, Of: func(all []uint64) []uint64 {
		return []uint64{slices.Max(all)}
	}})
	if err != nil {
		return 0, err
	}
	return int(most[0]), nil
}

// check returns an error if a message of this rank is too long.
func (a *AllToAll[T]) check(to [][]T) error {
	me := a.node.Rank()
	for r, x := range to {
		if r != me && len(x) > a.capacity && a.capacity > 0 {
			return fmt.Errorf("parts: all-to-all %q: %d elements from rank %d to rank %d: want at most %d, the capacity given to NewAllToAll", a.name, len(x), me, r, a.capacity)
		}
	}
	return nil
}

// direct sends every message straight to its receiver.
func (a *AllToAll[T]) direct(send, receive func([][]T)) error {
	n, m := a.node, &a.turns[a.calls%len(a.turns)]
	a.calls++
	var kept []T
	if err := n.During(m.write, func() (err error) {
		kept, err = a.send(m, send)
		return err
	}); err != nil {
		return err
	}
	if err := n.Fence(); err != nil {
		return err
	}
	return m.read.Do(func() {
		from := make([][]T, n.Nodes())
		for r := range from {
			if from[r] = kept; r != n.Rank() {
				message := a.message(m, r, n.Rank())
				length := message.word()
				from[r] = message[prefix[T]():][:length:length]
			}
		}
		receive(from)
	})
}

func (a *AllToAll[T]) message(m *mailbox[T], from, to int) message[T] {
	begin := a.begin(from, to)
	return m.array.Part(begin, begin+a.size())
}

// send writes the messages of this rank, and returns the one to itself.
func (a *AllToAll[T]) send(m *mailbox[T], send func([][]T)) (kept []T, err error) {
	me := a.node.Rank()
	if a.own == nil {
		a.own = make([]T, 0, a.capacity)
	}
	to := make([][]T, a.node.Nodes())
	for r := range to {
		if to[r] = a.own; r != me {
			to[r] = a.message(m, me, r)[prefix[T]():][:0]
		}
	}
	send(to)
	if err := a.check(to); err != nil {
		return nil, err
	}
	for r, x := range to {
		if r == me {
			continue
		}
		// There is nothing to copy if send appended to to[r].
		lo, hi := a.message(m, me, r).set(len(x), x)
		begin := a.begin(me, r)
		if err := wrote(a.node, m.array, begin+lo, begin+hi); err != nil {
			return nil, err
		}
	}
	return to[me], nil
}
