package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// hops moves the messages of an AllToAll in two steps. A rank sends the messages for a column of
// ranks to the member of its group that serves this column. That member puts together what the
// group sends to each rank of the column. All data move twice, but a phase has variables for fewer
// pairs of ranks: the number of ranks to the power of 1.5 instead of 2.
//
// The Fence between two steps also lies between the reading of a step's messages and the writing
// of that step's messages in the next call.
type hops[T any] struct {
	routes
	first, second *fagus.Array[T]
}

// routes are the ways of the bundles of hops, whatever their elements. A bundle is a sequence of
// messages: each is its length as a word, and its elements. A bundle of first goes from a rank to
// the server of a column in its group. A bundle of second goes from the server of a group to a rank
// of its column.
type routes struct {
	node   *fagus.Node
	groups Groups
	most   int // the largest number of elements of a message, with its word

	toSend, toForward, toReceive *fagus.SyncSet
}

func newHops[T any](n *fagus.Node, name string, capacity int) (h *hops[T], err error) {
	h = &hops[T]{routes: routes{node: n, groups: GroupsOf(n.Nodes()), most: prefix[T]() + capacity}}
	if h.first, err = fagus.NewArray[T](n, name+".first", h.groups.ranks*h.groups.Columns()*h.firstSize()); err != nil {
		return nil, err
	}
	if h.second, err = fagus.NewArray[T](n, name+".second", h.groups.count*h.groups.ranks*h.secondSize()); err != nil {
		return nil, err
	}
	return h, h.bind(h.first, h.second)
}

func (h *routes) bind(first, second elements) error {
	first.Scratch()
	second.Scratch()
	n := h.node
	var send, forward, receive []fagus.Request
	for from := range h.groups.ranks {
		group, _ := h.groups.Of(from)
		for c := range h.groups.Columns() {
			server, begin := h.groups.Server(group, c), h.firstBegin(from, c)
			if server == from {
				continue
			}
			v, err := n.Bind(fmt.Sprintf("%s.%d.%d", first.Name(), from, c), first.Range(begin, begin+h.firstSize()))
			if err != nil {
				return err
			}
			switch n.Rank() {
			case from:
				send = append(send, v.Write().Reporting())
			case server:
				forward = append(forward, v.Read())
			}
		}
	}
	for group := range h.groups.count {
		for to := range h.groups.ranks {
			_, c := h.groups.Of(to)
			server, begin := h.groups.Server(group, c), h.secondBegin(group, to)
			if server == to {
				continue
			}
			v, err := n.Bind(fmt.Sprintf("%s.%d.%d", second.Name(), group, to), second.Range(begin, begin+h.secondSize()))
			if err != nil {
				return err
			}
			switch n.Rank() {
			case server:
				forward = append(forward, v.Write().Reporting())
			case to:
				receive = append(receive, v.Read())
			}
		}
	}
	h.toSend, h.toForward, h.toReceive = n.Set(send...), n.Set(forward...), n.Set(receive...)
	return nil
}

func (h *routes) firstSize() int  { return h.groups.count * h.most }
func (h *routes) secondSize() int { return h.groups.Columns() * h.most }

func (h *routes) firstBegin(from, column int) int {
	return (from*h.groups.Columns() + column) * h.firstSize()
}

func (h *routes) secondBegin(group, to int) int { return (group*h.groups.ranks + to) * h.secondSize() }

// exchange sends to[r] to rank r if check returns no error, and calls receive with the messages
// for this rank.
func (h *hops[T]) exchange(check func([][]T) error, to [][]T, receive func([][]T)) error {
	n := h.node
	if err := n.During(h.toSend, func() error {
		if err := check(to); err != nil {
			return err
		}
		return h.send(to)
	}); err != nil {
		return err
	}
	if err := n.Fence(); err != nil {
		return err
	}
	from := make([][]T, h.groups.ranks)
	if err := n.During(h.toForward, func() error { return h.forward(to, from) }); err != nil {
		return err
	}
	if err := n.Fence(); err != nil {
		return err
	}
	return h.toReceive.Do(func() {
		me := n.Rank()
		own, _ := h.groups.Of(me)
		for group := range h.groups.count {
			if group == own {
				continue
			}
			lo, hi := h.groups.Members(group)
			begin := h.secondBegin(group, me)
			bundle := h.second.Part(begin, begin+h.secondSize())
			for r := lo; r < hi; r++ {
				from[r], bundle = next(bundle)
			}
		}
		receive(from)
	})
}

// send writes the bundles for the columns that this rank does not serve.
func (h *hops[T]) send(to [][]T) error {
	me := h.node.Rank()
	group, _ := h.groups.Of(me)
	for c := range h.groups.Columns() {
		if h.groups.Server(group, c) == me {
			continue
		}
		begin := h.firstBegin(me, c)
		bundle := h.first.Part(begin, begin+h.firstSize())[:0]
		for _, r := range h.groups.Column(c) {
			bundle = appendMessage(bundle, to[r])
		}
		if err := wrote(h.node, h.first, begin, begin+len(bundle)); err != nil {
			return err
		}
	}
	return nil
}

// forward writes the bundles of this rank's group for the columns that this rank serves. It sets
// the elements of from that are for this rank.
func (h *hops[T]) forward(to, from [][]T) error {
	me := h.node.Rank()
	group, _ := h.groups.Of(me)
	lo, hi := h.groups.Members(group)
	for _, c := range h.groups.Served(me) {
		ranks := h.groups.Column(c)
		bundles := make([][]T, len(ranks))
		for i, r := range ranks {
			if begin := h.secondBegin(group, r); r != me {
				bundles[i] = h.second.Part(begin, begin+h.secondSize())[:0]
			}
		}
		for x := lo; x < hi; x++ {
			var rest []T
			if x != me {
				begin := h.firstBegin(x, c)
				rest = h.first.Part(begin, begin+h.firstSize())
			}
			for i, r := range ranks {
				elements := to[r]
				if x != me {
					elements, rest = next(rest)
				}
				switch {
				case r != me:
					bundles[i] = appendMessage(bundles[i], elements)
				case x == me:
					from[x] = elements
				default:
					from[x] = append([]T(nil), elements...)
				}
			}
		}
		for i, r := range ranks {
			if begin := h.secondBegin(group, r); r != me {
				if err := wrote(h.node, h.second, begin, begin+len(bundles[i])); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// appendMessage appends a message to a bundle, which has room for it.
func appendMessage[T any](bundle, x []T) []T {
	m := bundle[len(bundle):][:prefix[T]()+len(x)]
	message[T](m).setWord(len(x))
	copy(m[prefix[T]():], x)
	return bundle[:len(bundle)+len(m)]
}

// next returns the elements of the first message of a bundle, and the rest of the bundle.
func next[T any](bundle []T) (elements, rest []T) {
	length := message[T](bundle).word()
	bundle = bundle[prefix[T]():]
	return bundle[:length:length], bundle[length:]
}
