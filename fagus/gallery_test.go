package fagus_test

import (
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// wrong is a program of two ranks for which Config.Check reports an error or advice.
type wrong struct {
	title string
	check fagus.Check
	body  func(n *fagus.Node, s *exhibit) error
}

// exhibit holds the arrays and variables that every program of the gallery uses.
type exhibit struct {
	counts        *fagus.Array[int64] // three pages
	first, second *fagus.SyncVar      // guard the first and the second page of counts
	left, right   *fagus.SyncVar      // guard 100 elements each on its third page
	scratch       *fagus.Array[int64] // 100 elements that no variable guards
	lists         *fagus.Array[int64] // 200 pages
	guardA        *fagus.SyncVar      // guards all of lists
}

func newExhibit(n *fagus.Node) (*exhibit, error) {
	const page = 512
	s := new(exhibit)
	var err error
	array := func(name string, length int) *fagus.Array[int64] {
		a, e := fagus.NewArray[int64](n, name, length)
		if err == nil {
			err = e
		}
		return a
	}
	bind := func(name string, r fagus.Range) *fagus.SyncVar {
		v, e := n.Bind(name, r)
		if err == nil {
			err = e
		}
		return v
	}
	s.counts = array("counts", 3*page)
	s.scratch = array("scratch", 100)
	s.lists = array("lists", 200*page)
	if err != nil {
		return nil, err
	}
	s.first = bind("first", s.counts.Range(0, page))
	s.second = bind("second", s.counts.Range(page, 2*page))
	s.left = bind("left", s.counts.Range(2*page, 2*page+100))
	s.right = bind("right", s.counts.Range(2*page+100, 2*page+200))
	s.guardA = bind("A", s.lists.All())
	return s, err
}

// during acquires the requests, calls f unless it is nil, and releases them.
func during(n *fagus.Node, f func(), requests ...fagus.Request) error {
	return n.During(n.Set(requests...), func() error {
		if f != nil {
			f()
		}
		return nil
	})
}

var gallery = []wrong{
	{"Reading elements that are not held", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		if n.Rank() == 1 {
			_ = during(n, nil, fagus.Want(s.second, fagus.Shared))
			if s.counts.Slice()[17] > 0 {
				n.Spend(fagus.Microsecond)
			}
		}
		return n.Barrier()
	}},
	{"Writing elements that are not held", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		if n.Rank() == 1 {
			s.counts.Slice()[600] = 1
		}
		return n.Barrier()
	}},
	{"Writing elements that are held shared", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		return during(n, func() {
			if c := s.counts.Slice(); n.Rank() == 1 {
				c[17] = c[16] + 1
			}
		}, fagus.Want(s.first, fagus.Shared))
	}},
	{"Writing after Release", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		set := n.Set(fagus.Want(s.first, fagus.Exclusive))
		if err := n.Acquire(set); err != nil {
			return err
		}
		s.counts.Slice()[17]++
		if err := n.Release(set); err != nil {
			return err
		}
		if n.Rank() == 1 {
			s.counts.Slice()[18] = 1
		}
		return n.Barrier()
	}},
	{"Acquiring the wrong variable", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		return during(n, func() {
			if n.Rank() == 1 {
				copy(s.counts.Slice()[500:520], []int64{7: 1, 19: 1}) // four too many
			}
		}, fagus.Want(s.first, fagus.Exclusive))
	}},
	{"Writing a neighbour on the same page", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		if n.Rank() == 0 {
			return during(n, nil)
		}
		set := n.Set(fagus.Want(s.left, fagus.Exclusive))
		if err := n.Acquire(set); err != nil {
			return err
		}
		for i := range 102 { // two too many
			s.counts.Slice()[1024+i] = 1
		}
		return n.Release(set) // the page was writable, so only Release detects the write
	}},
	{"Accessing elements that no variable guards", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		return during(n, func() {
			if n.Rank() == 1 {
				slices.Reverse(s.scratch.Slice()) // the error names this line
			}
		}, fagus.Want(s.first, fagus.Exclusive))
	}},
	{"Writing more than Writing declares", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		if n.Rank() == 0 {
			return during(n, nil)
		}
		return during(n, func() {
			s.lists.Slice()[9] = 1
			s.lists.Slice()[5000] = 1
		}, fagus.Want(s.guardA, fagus.Exclusive).Writing(s.lists.Range(0, 10)))
	}},
	{"Writing a little more than Writing declares", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		if n.Rank() == 0 {
			return during(n, nil)
		}
		set := n.Set(fagus.Want(s.guardA, fagus.Exclusive).Writing(s.lists.Range(0, 10)))
		if err := n.Acquire(set); err != nil {
			return err
		}
		s.lists.Slice()[10] = 1
		return n.Release(set)
	}},
	{"Writing elements that Update has brought", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		if err := during(n, nil, fagus.Want(s.first, fagus.Shared)); err != nil {
			return err
		}
		if err := n.Update(); err != nil {
			return err
		}
		c := s.counts.Slice()
		sum := c[16] + c[17] // may be read
		if n.Rank() == 1 {
			c[18] = sum
		}
		return n.Barrier()
	}},
	{"Relying on an old Update (strict)", fagus.CheckStrict, func(n *fagus.Node, s *exhibit) error {
		if err := during(n, nil, fagus.Want(s.first, fagus.Shared)); err != nil {
			return err
		}
		if err := n.Update(); err != nil {
			return err
		}
		if err := during(n, nil, fagus.Want(s.second, fagus.Shared)); err != nil || n.Rank() == 0 {
			return err
		}
		if s.counts.Slice()[17] > 0 {
			n.Spend(fagus.Microsecond)
		}
		return nil
	}},
	{"Relying on the order of phases", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		if n.Rank() == 0 {
			return n.During(n.Set(fagus.Want(s.first, fagus.Exclusive)), func() error {
				s.counts.Slice()[17] = 1
				return nil
			})
		}
		// In phase mode rank 0 writes during this tenure of nothing.
		if err := n.During(n.Set(), func() error { return nil }); err != nil {
			return err
		}
		return n.During(n.Set(fagus.Want(s.first, fagus.Shared)), func() error {
			n.Spend(fagus.Time(s.counts.Slice()[17]))
			return nil
		})
	}},
	{"Exclusive access for reading, and variables always used together", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		sum := int64(0)
		return during(n, func() {
			for _, x := range s.counts.Slice()[:1024] {
				sum += x
			}
		}, fagus.Want(s.first, fagus.Exclusive).Unordered(), fagus.Want(s.second, fagus.Exclusive).Unordered())
	}},
	{"Transferring data that are not used", fagus.CheckOn, func(n *fagus.Node, s *exhibit) error {
		fill := []fagus.Request{fagus.Want(s.guardA, fagus.Exclusive), fagus.Want(s.left, fagus.Exclusive)}
		if n.Rank() == 1 {
			fill = nil
		}
		err := during(n, func() {
			for i := range s.lists.Slice() {
				if n.Rank() == 0 {
					s.lists.Slice()[i] = int64(i + 1)
				}
			}
		}, fill...)
		if err != nil {
			return err
		}
		if err := n.Barrier(); err != nil || n.Rank() == 0 {
			return err
		}
		sum := int64(0)
		err = during(n, func() {
			for _, x := range s.counts.Slice()[1024:1124] { // "left" alone
				sum += x
			}
		}, fagus.Want(s.guardA, fagus.Shared), fagus.Want(s.left, fagus.Shared))
		if err != nil {
			return err
		}
		return during(n, nil, fagus.Want(s.left, fagus.Shared))
	}},
}
