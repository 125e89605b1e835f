package collective

import "github.com/fagus-dsm/fagus/dimmnet"

// post is a pending Store. Its offset applies to level 0.
type post struct {
	off  dimmnet.Offset
	v    uint64
	size int
}

type outbox struct {
	port     dimmnet.Port
	tree     *tree
	posts    []post
	released int // levels whose children have been sent the message
	next     int // index of the next post of the present level
}

func (o *outbox) toParent() (done, moved bool, err error) {
	done, moved = o.send(o.tree.above, o.tree.level)
	return done, moved, nil
}

// toChildren starts with the highest level, because most ranks are below that one.
func (o *outbox) toChildren() (done, moved bool, err error) {
	for ; o.released < len(o.tree.below); o.released++ {
		level := len(o.tree.below) - 1 - o.released
		done, sent := o.send(o.tree.below[level], level)
		moved = moved || sent
		if !done {
			return false, moved, nil
		}
	}
	o.released = 0
	return true, true, nil
}

func (o *outbox) send(to []dimmnet.Rank, level int) (done, moved bool) {
	shift := dimmnet.Offset(level * levelBytes)
	if len(to) > 1 && len(to) <= o.port.Limits().Multicast {
		return o.post(len(o.posts), func(i int) bool {
			p := o.posts[i]
			return o.port.Multicast(to, p.off+shift, p.v, p.size)
		})
	}
	return o.post(len(to)*len(o.posts), func(i int) bool {
		p := o.posts[i%len(o.posts)]
		return o.port.Store(to[i/len(o.posts)], p.off+shift, p.v, p.size)
	})
}

// post makes the n posts from next on, and stops at the first that the port refuses.
func (o *outbox) post(n int, posted func(i int) bool) (done, moved bool) {
	for ; o.next < n; o.next++ {
		if !posted(o.next) {
			return false, moved
		}
		moved = true
	}
	o.next = 0
	return true, moved
}
