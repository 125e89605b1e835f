package access

import (
	"context"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

func held(d *data) error {
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	d.a.Slice()[0]++
	return d.n.Release(d.set)
}

func readAfterUpdate(d *data) (int64, error) {
	if err := d.n.Acquire(d.set); err != nil {
		return 0, err
	}
	d.a.Slice()[0]++
	if err := errors.Join(d.n.Release(d.set), d.n.Update()); err != nil {
		return 0, err
	}
	return d.a.Slice()[0], nil
}

// The caller may have called Update.
func readBeforeAcquire(d *data) error {
	left := d.a.Slice()[0]
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	d.a.Slice()[1] = left
	return d.n.Release(d.set)
}

// Every round reads what the Update of the round before has brought.
func rounds(n *fagus.Node) error {
	a, err := fagus.NewArray[int64](n, "a", 10)
	if err != nil {
		return err
	}
	v, err := n.Bind("v", a.All())
	if err != nil {
		return err
	}
	set := n.Set(fagus.Want(v, fagus.Exclusive))
	for round := range 10 {
		if round > 0 {
			fmt.Println(a.Slice()[0])
		}
		if err := n.Acquire(set); err != nil {
			return err
		}
		a.Slice()[0]++
		if err := n.Release(set); err != nil {
			return err
		}
		if err := n.Update(); err != nil {
			return err
		}
	}
	return nil
}

// Some ways lead here with the set.
func sometimesHeld(d *data) error {
	if d.n.Rank() == 0 {
		if err := d.n.Acquire(d.set); err != nil {
			return err
		}
	}
	d.a.Slice()[0] = 1
	if d.n.Rank() == 0 {
		return d.n.Release(d.set)
	}
	return nil
}

// The caller holds the set, and this function gives it back.
func lastWrite(d *data) error {
	d.a.Slice()[0] = 1
	return d.n.Release(d.set)
}

// What take does is what counts.
func byHelpers(d *data) error {
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	if err := d.n.Release(d.set); err != nil {
		return err
	}
	if err := take(d); err != nil {
		return err
	}
	d.a.Slice()[0] = 1
	return d.n.Release(d.set)
}

func take(d *data) error { return d.n.Acquire(d.set) }

// A function value may acquire.
func byFunction(d *data, lock func() error) error {
	if err := errors.Join(d.n.Acquire(d.set), d.n.Release(d.set), lock()); err != nil {
		return err
	}
	d.a.Slice()[0] = 1
	return d.n.Release(d.set)
}

// The slice may be another one.
func scratch(d *data, private bool) error {
	to := d.a.Slice()
	if private {
		to = make([]int64, 10)
	}
	if err := errors.Join(d.n.Acquire(d.set), d.n.Release(d.set)); err != nil {
		return err
	}
	if private {
		to[0] = 1
	}
	return nil
}

// After an error of fagus the run has failed.
func afterFailure(d *data) error {
	err := d.n.Acquire(d.set)
	if err != nil {
		d.a.Slice()[0] = 0
		return err
	}
	return d.n.Release(d.set)
}

// To ask how long a slice is, or to cut it, touches no element.
func length(d *data) (int, error) {
	if err := errors.Join(d.n.Acquire(d.set), d.n.Release(d.set)); err != nil {
		return 0, err
	}
	part := d.a.Slice()[2:4]
	return len(part), nil
}

func deferred(d *data) error {
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	defer d.n.Release(d.set)
	d.a.Slice()[0] = 1
	return nil
}

func told() error {
	_, err := fagus.Run(context.Background(), fagus.Config{}, ignoring)
	return err
}

func ignoring(n *fagus.Node) error {
	a, err := fagus.NewArray[int64](n, "a", 10)
	if err != nil {
		return err
	}
	a.Slice()[0] = 1 //fagusvet:ignore access every rank writes the same
	a.Slice()[1] = 1 // want `an element of "a" is written`
	//fagusvet:ignore access every rank writes the same
	a.Slice()[2] = 1
	//fagusvet:ignore release this is another rule
	a.Slice()[3] = 1 // want `an element of "a" is written`
	//fagusvet:ignore access
	a.Slice()[4] = 1 // want `an element of "a" is written`
	set := n.Set()
	return errors.Join(n.Acquire(set), n.Release(set))
}
