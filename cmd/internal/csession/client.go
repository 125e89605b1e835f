package csession

import (
	"io"
	"sync"
)

// Client implements Calls for a process without a Node. It sends every call over a connection to
// Serve in a simulator. A Client has its own memory for the arrays; the calls that acquire,
// update and release variables also transfer the bytes of those variables.
type Client struct {
	busy       sync.Mutex
	line       line
	allocate   func(bytes int) ([]byte, error)
	rank, size int

	arrays [][]byte
	ledger
	lost error // why the connection cannot be used any longer; nil while it works
}

// Connect returns a Client. conn ends at a Serve; allocate returns zeroed memory for an array.
func Connect(conn io.ReadWriter, allocate func(bytes int) ([]byte, error)) (*Client, error) {
	c := &Client{line: newLine(conn), allocate: allocate, ledger: newLedger()}
	a, err := c.roundTrip(&request{Verb: verbHello, Numbers: [3]int64{protocol}}, nil)
	c.rank, c.size = int(a.Numbers[0]), int(a.Numbers[1])
	return c, err
}

// Rank returns the rank of the Node.
func (c *Client) Rank() int { return c.rank }

// Size returns the number of ranks.
func (c *Client) Size() int { return c.size }

// locked calls f, or returns a Busy error if another thread is in a call.
func (c *Client) locked(f func() error) error {
	if !c.busy.TryLock() {
		return busy()
	}
	defer c.busy.Unlock()
	return f()
}

func (c *Client) roundTrip(q *request, data [][]byte) (a response, err error) {
	q.Data = total(data)
	if c.lost == nil {
		if err := c.line.send(q.encode(), data); err != nil {
			c.lost = fail(Lost, "sending to the simulator: %v", err)
		} else if a, err = readResponse(c.line.in); err != nil {
			c.lost = fail(Lost, "reading the simulator's response: %v", err)
		}
	}
	switch {
	case c.lost != nil:
		return response{}, c.lost
	case a.Code != OK:
		return response{}, &Error{a.Code, a.Text}
	}
	return a, nil
}

func (c *Client) receiveInto(a response, data [][]byte) error {
	if err := c.line.receive(a.Data, data); err != nil {
		c.lost = fail(Lost, "receiving data from the simulator: %v", err)
	}
	return c.lost
}

func (c *Client) call(q request) (a response, err error) {
	err = c.locked(func() (err error) {
		a, err = c.roundTrip(&q, nil)
		return err
	})
	return a, err
}

// checkNumber returns an error unless the server gave a new array, variable or set this number.
func (c *Client) checkNumber(a response, number int) (int, error) {
	if a.Numbers[0] != int64(number) {
		c.lost = fail(Lost, "the simulator gave a new object the number %d: want %d", a.Numbers[0], number)
	}
	return number, c.lost
}

// Alloc implements Calls.
func (c *Client) Alloc(name string, bytes int) (array int, err error) {
	if err := checkSizes(name, nil); err != nil {
		return 0, err
	}
	err = c.locked(func() error {
		a, err := c.roundTrip(&request{Verb: verbAlloc, Name: name, Numbers: [3]int64{int64(bytes)}}, nil)
		if err != nil {
			return err
		}
		if array, err = c.checkNumber(a, len(c.arrays)); err != nil {
			return err
		}
		memory, err := c.allocate(bytes)
		if err != nil { // the server has made the array, so the numbers no longer agree
			c.lost = fail(Lost, "allocating array %q of %d bytes: %v", name, bytes, err)
			return fail(Memory, "allocating array %q of %d bytes: %v", name, bytes, err)
		}
		c.arrays = append(c.arrays, memory)
		return nil
	})
	return array, err
}

// Memory implements Calls.
func (c *Client) Memory(array int) []byte { return c.arrays[array] }

// Bind implements Calls.
func (c *Client) Bind(name string, spans ...Span) (variable int, err error) {
	if err := checkSizes(name, spans); err != nil {
		return 0, err
	}
	err = c.locked(func() error {
		a, err := c.roundTrip(&request{Verb: verbBind, Name: name, Spans: spans}, nil)
		if err != nil {
			return err
		}
		variable, err = c.checkNumber(a, len(c.spans))
		c.addVariable(spans)
		return err
	})
	return variable, err
}

// NewSet implements Calls.
func (c *Client) NewSet() (number int, err error) {
	err = c.locked(func() error {
		a, err := c.roundTrip(&request{Verb: verbNewSet}, nil)
		if err != nil {
			return err
		}
		number, err = c.checkNumber(a, len(c.accesses))
		c.addSet()
		return err
	})
	return number, err
}

// Add implements Calls.
func (c *Client) Add(number, variable int, access Access) error {
	return c.add(verbAdd, number, variable, access)
}

// AddUnordered implements Calls.
func (c *Client) AddUnordered(number, variable int, access Access) error {
	return c.add(verbAddUnordered, number, variable, access)
}

func (c *Client) add(call verb, number, variable int, access Access) error {
	return c.locked(func() error {
		_, err := c.roundTrip(&request{Verb: call, Numbers: [3]int64{int64(number), int64(variable), int64(access)}}, nil)
		if err == nil {
			c.accesses[number][variable] = access
		}
		return err
	})
}

// Clear implements Calls.
func (c *Client) Clear(number int) error {
	return c.locked(func() error {
		_, err := c.roundTrip(&request{Verb: verbClear, Numbers: [3]int64{int64(number)}}, nil)
		if err == nil {
			clear(c.accesses[number])
		}
		return err
	})
}

// Acquire implements Calls.
func (c *Client) Acquire(number int) error {
	return c.locked(func() error {
		a, err := c.roundTrip(&request{Verb: verbAcquire, Numbers: [3]int64{int64(number)}}, nil)
		if err != nil {
			return err
		}
		c.acquired(number)
		return c.receiveInto(a, c.parts(c.accesses[number], Shared, c.Memory))
	})
}

// Release implements Calls.
func (c *Client) Release(number int) error {
	return c.locked(func() error {
		_, err := c.roundTrip(&request{Verb: verbRelease, Numbers: [3]int64{int64(number)}}, c.released(number, c.Memory))
		return err
	})
}

// Wrote implements Calls.
func (c *Client) Wrote(spans ...Span) error {
	if err := checkSizes("", spans); err != nil {
		return err
	}
	_, err := c.call(request{Verb: verbWrote, Spans: spans})
	return err
}

// Update implements Calls.
func (c *Client) Update() error {
	return c.locked(func() error {
		a, err := c.roundTrip(&request{Verb: verbUpdate}, nil)
		if err != nil {
			return err
		}
		return c.receiveInto(a, c.parts(c.had, Shared, c.Memory))
	})
}

// Barrier implements Calls.
func (c *Client) Barrier() error {
	_, err := c.call(request{Verb: verbBarrier})
	return err
}

// Fence implements Calls.
func (c *Client) Fence() error {
	_, err := c.call(request{Verb: verbFence})
	return err
}

// ReduceInt implements Calls.
func (c *Client) ReduceInt(op Op, x int64) (all int64, err error) {
	a, err := c.call(request{Verb: verbReduceInt, Numbers: [3]int64{int64(op), x}})
	return a.Numbers[0], err
}

// ReduceFloat implements Calls.
func (c *Client) ReduceFloat(op Op, x float64) (all float64, err error) {
	a, err := c.call(request{Verb: verbReduceFloat, Numbers: [3]int64{int64(op)}, Float: x})
	return a.Float, err
}

// Spend implements Calls.
func (c *Client) Spend(ns int64) error {
	_, err := c.call(request{Verb: verbSpend, Numbers: [3]int64{ns}})
	return err
}

// End implements Calls. The program on the Node then returns.
func (c *Client) End() error {
	_, err := c.call(request{Verb: verbEnd})
	return err
}
