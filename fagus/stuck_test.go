package fagus_test

import (
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// stuck is a program of two ranks that does not end before the channel never is closed.
type stuck struct {
	title string
	body  func(n *fagus.Node, s *exhibit, o *outside) error
}

// outside holds the channels by which the ranks communicate without Fagus.
type outside struct {
	held  chan struct{} // closed by a rank that holds what others will request
	never chan struct{}
}

var stuckPrograms = []stuck{
	{"Waiting for a peer by other means", func(n *fagus.Node, s *exhibit, o *outside) error {
		if n.Rank() == 1 {
			<-o.never // rank 0 would close it after the Barrier
		}
		return n.Barrier()
	}},
	{"Waiting while holding a variable", func(n *fagus.Node, s *exhibit, o *outside) error {
		if n.Rank() == 0 {
			return during(n, func() {
				close(o.held)
				<-o.never
			}, fagus.Want(s.first, fagus.Exclusive))
		}
		if err := during(n, nil); err != nil {
			return err
		}
		n.Spend(fagus.Second) // so that rank 0 is first, in virtual time as well
		<-o.held
		return during(n, nil, fagus.Want(s.first, fagus.Shared), fagus.Want(s.second, fagus.Exclusive))
	}},
	{"Polling for data that only an Acquire brings", func(n *fagus.Node, s *exhibit, o *outside) error {
		if n.Rank() == 0 {
			set := n.Set(fagus.Want(s.first, fagus.Exclusive))
			if err := n.Acquire(set); err != nil {
				return err
			}
			s.counts.Slice()[17] = 1
			if err := n.Release(set); err != nil {
				return err
			}
			return n.Update()
		}
		if err := during(n, nil); err != nil {
			return err
		}
		for s.counts.Slice()[17] == 0 && !ended(o.never) {
			time.Sleep(time.Millisecond)
		}
		return n.Update()
	}},
}

func ended(never <-chan struct{}) bool {
	select {
	case <-never:
		return true
	default:
		return false
	}
}
