package target

import (
	"io"
	"sync"
)

// Client is a Session whose Node is in another process, at the other end of a connection: a simulator. It has memory of its
// own; what variables guard travels with the calls that acquire and release them.
type Client struct {
	busy       sync.Mutex
	line       line
	allocate   func(bytes int) ([]byte, error)
	rank, size int

	arrays [][]byte
	ledger
	lost error // the connection has failed, or the ends disagree
}

// Connect begins a Client. Its arrays are of allocate, whose memory is all 0.
func Connect(conn io.ReadWriter, allocate func(bytes int) ([]byte, error)) (*Client, error) {
	c := &Client{line: newLine(conn), allocate: allocate, ledger: newLedger()}
	a, err := c.ask(&question{Verb: verbHello, Numbers: [3]int64{protocol}}, nil)
	c.rank, c.size = int(a.Numbers[0]), int(a.Numbers[1])
	return c, err
}

// Rank and Size are those of the Node.
func (c *Client) Rank() int { return c.rank }

// Size is the number of ranks.
func (c *Client) Size() int { return c.size }

// alone makes a call; it fails if another thread is in one.
func (c *Client) alone(f func() error) error {
	if !c.busy.TryLock() {
		return busy()
	}
	defer c.busy.Unlock()
	return f()
}

// ask sends a question with its data, and reads the answer but its data.
func (c *Client) ask(q *question, data [][]byte) (a answer, err error) {
	q.Data = total(data)
	if c.lost == nil {
		if err := c.line.send(q.encode(), data); err != nil {
			c.lost = fail(Lost, "the simulator does not listen any more: %v", err)
		} else if a, err = readAnswer(c.line.in); err != nil {
			c.lost = fail(Lost, "the simulator does not answer any more: %v", err)
		}
	}
	switch {
	case c.lost != nil:
		return answer{}, c.lost
	case a.Code != OK:
		return answer{}, &Error{a.Code, a.Text}
	}
	return a, nil
}

// take puts what comes with an answer into memory.
func (c *Client) take(a answer, data [][]byte) error {
	if err := c.line.receive(a.Data, data); err != nil {
		c.lost = fail(Lost, "the simulator's data: %v", err)
	}
	return c.lost
}

// plain makes a call of which neither end remembers anything.
func (c *Client) plain(q question) (a answer, err error) {
	err = c.alone(func() (err error) {
		a, err = c.ask(&q, nil)
		return err
	})
	return a, err
}

// made checks the number of what both ends have made.
func (c *Client) made(a answer, number int) (int, error) {
	if a.Numbers[0] != int64(number) {
		c.lost = fail(Lost, "the simulator made number %d: here it is %d", a.Numbers[0], number)
	}
	return number, c.lost
}

// Alloc is Session.Alloc.
func (c *Client) Alloc(name string, bytes int) (array int, err error) {
	if err := within(name, nil); err != nil {
		return 0, err
	}
	err = c.alone(func() error {
		a, err := c.ask(&question{Verb: verbAlloc, Name: name, Numbers: [3]int64{int64(bytes)}}, nil)
		if err != nil {
			return err
		}
		if array, err = c.made(a, len(c.arrays)); err != nil {
			return err
		}
		memory, err := c.allocate(bytes)
		if err != nil { // the other end has made it
			c.lost = fail(Lost, "there is no memory for array %q of %d bytes: %v", name, bytes, err)
			return fail(Memory, "array %q of %d bytes: %v", name, bytes, err)
		}
		c.arrays = append(c.arrays, memory)
		return nil
	})
	return array, err
}

// Memory is Session.Memory.
func (c *Client) Memory(array int) []byte { return c.arrays[array] }

// Bind is Session.Bind.
func (c *Client) Bind(name string, spans ...Span) (variable int, err error) {
	if err := within(name, spans); err != nil {
		return 0, err
	}
	err = c.alone(func() error {
		a, err := c.ask(&question{Verb: verbBind, Name: name, Spans: spans}, nil)
		if err != nil {
			return err
		}
		variable, err = c.made(a, len(c.spans))
		c.addVariable(spans)
		return err
	})
	return variable, err
}

// NewSet is Session.NewSet.
func (c *Client) NewSet() (number int, err error) {
	err = c.alone(func() error {
		a, err := c.ask(&question{Verb: verbNewSet}, nil)
		if err != nil {
			return err
		}
		number, err = c.made(a, len(c.modes))
		c.addSet()
		return err
	})
	return number, err
}

// Ask is Session.Ask.
func (c *Client) Ask(number, variable int, mode Mode) error {
	return c.alone(func() error {
		_, err := c.ask(&question{Verb: verbAsk, Numbers: [3]int64{int64(number), int64(variable), int64(mode)}}, nil)
		if err == nil {
			c.modes[number][variable] = mode
		}
		return err
	})
}

// Clear is Session.Clear.
func (c *Client) Clear(number int) error {
	return c.alone(func() error {
		_, err := c.ask(&question{Verb: verbClear, Numbers: [3]int64{int64(number)}}, nil)
		if err == nil {
			clear(c.modes[number])
		}
		return err
	})
}

// Acquire is Session.Acquire.
func (c *Client) Acquire(number int) error {
	return c.alone(func() error {
		a, err := c.ask(&question{Verb: verbAcquire, Numbers: [3]int64{int64(number)}}, nil)
		if err != nil {
			return err
		}
		c.acquired(number)
		return c.take(a, c.parts(c.modes[number], Shared, c.Memory))
	})
}

// Release is Session.Release.
func (c *Client) Release(number int) error {
	return c.alone(func() error {
		_, err := c.ask(&question{Verb: verbRelease, Numbers: [3]int64{int64(number)}}, c.released(number, c.Memory))
		return err
	})
}

// Wrote is Session.Wrote.
func (c *Client) Wrote(spans ...Span) error {
	if err := within("", spans); err != nil {
		return err
	}
	_, err := c.plain(question{Verb: verbWrote, Spans: spans})
	return err
}

// Update is Session.Update.
func (c *Client) Update() error {
	return c.alone(func() error {
		a, err := c.ask(&question{Verb: verbUpdate}, nil)
		if err != nil {
			return err
		}
		return c.take(a, c.parts(c.had, Shared, c.Memory))
	})
}

// Barrier is Session.Barrier.
func (c *Client) Barrier() error {
	_, err := c.plain(question{Verb: verbBarrier})
	return err
}

// ReduceInt is Session.ReduceInt.
func (c *Client) ReduceInt(op Op, x int64) (all int64, err error) {
	a, err := c.plain(question{Verb: verbReduceInt, Numbers: [3]int64{int64(op), x}})
	return a.Numbers[0], err
}

// ReduceFloat is Session.ReduceFloat.
func (c *Client) ReduceFloat(op Op, x float64) (all float64, err error) {
	a, err := c.plain(question{Verb: verbReduceFloat, Numbers: [3]int64{int64(op)}, Float: x})
	return a.Float, err
}

// Spend is Session.Spend.
func (c *Client) Spend(ns int64) error {
	_, err := c.plain(question{Verb: verbSpend, Numbers: [3]int64{ns}})
	return err
}

// End is Session.End; the Node's program returns then.
func (c *Client) End() error {
	_, err := c.plain(question{Verb: verbEnd})
	return err
}
