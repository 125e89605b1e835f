package target

import (
	"encoding/gob"
	"io"
	"maps"
	"sync"
)

// Client is a Session whose Node is in another process, at the other end of a connection: a simulator. It has memory of its
// own; what variables guard travels with the calls that acquire and release them.
type Client struct {
	busy       sync.Mutex
	questions  *gob.Encoder
	answers    *gob.Decoder
	allocate   func(bytes int) ([]byte, error)
	rank, size int

	arrays [][]byte
	ledger
	lost error // the connection has failed
}

// Connect begins a Client. Its arrays are of allocate, whose memory is all 0.
func Connect(conn io.ReadWriter, allocate func(bytes int) ([]byte, error)) (*Client, error) {
	c := &Client{questions: gob.NewEncoder(conn), answers: gob.NewDecoder(conn), allocate: allocate, ledger: newLedger()}
	a, err := c.ask(&question{Verb: verbHello})
	c.rank, c.size = int(a.Numbers[0]), int(a.Numbers[1])
	return c, err
}

// Rank and Size are those of the Node.
func (c *Client) Rank() int { return c.rank }

// Size is the number of ranks.
func (c *Client) Size() int { return c.size }

// ask makes a call.
func (c *Client) ask(q *question) (a answer, err error) {
	if !c.busy.TryLock() {
		return a, fail(Busy, "another thread is in a call: calls are for one thread at a time")
	}
	defer c.busy.Unlock()
	if c.lost == nil {
		if err := c.questions.Encode(q); err != nil {
			c.lost = fail(Lost, "the simulator does not listen any more: %v", err)
		} else if err := c.answers.Decode(&a); err != nil {
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

// Alloc is Session.Alloc.
func (c *Client) Alloc(name string, bytes int) (array int, err error) {
	a, err := c.ask(&question{Verb: verbAlloc, Name: name, Numbers: [3]int64{int64(bytes)}})
	if err != nil {
		return 0, err
	}
	memory, err := c.allocate(bytes)
	if err != nil {
		return 0, fail(Memory, "array %q of %d bytes: %v", name, bytes, err)
	}
	c.arrays = append(c.arrays, memory)
	return int(a.Numbers[0]), nil
}

// Memory is Session.Memory.
func (c *Client) Memory(array int) []byte { return c.arrays[array] }

// Bind is Session.Bind.
func (c *Client) Bind(name string, spans ...Span) (variable int, err error) {
	a, err := c.ask(&question{Verb: verbBind, Name: name, Spans: spans})
	if err == nil {
		c.spans = append(c.spans, spans)
	}
	return int(a.Numbers[0]), err
}

// NewSet is Session.NewSet.
func (c *Client) NewSet() (number int, err error) {
	a, err := c.ask(&question{Verb: verbNewSet})
	if err == nil {
		c.modes = append(c.modes, make(map[int]Mode))
	}
	return int(a.Numbers[0]), err
}

// Ask is Session.Ask.
func (c *Client) Ask(number, variable int, mode Mode) error {
	_, err := c.ask(&question{Verb: verbAsk, Numbers: [3]int64{int64(number), int64(variable), int64(mode)}})
	if err == nil {
		c.modes[number][variable] = mode
	}
	return err
}

// Clear is Session.Clear.
func (c *Client) Clear(number int) error {
	_, err := c.ask(&question{Verb: verbClear, Numbers: [3]int64{int64(number)}})
	if err == nil {
		clear(c.modes[number])
	}
	return err
}

// Acquire is Session.Acquire.
func (c *Client) Acquire(number int) error {
	a, err := c.ask(&question{Verb: verbAcquire, Numbers: [3]int64{int64(number)}})
	if err != nil {
		return err
	}
	maps.Copy(c.had, c.modes[number])
	return c.take(c.modes[number], a.Data)
}

// take puts what came into the variables.
func (c *Client) take(variables map[int]Mode, data []byte) error {
	if !c.scatter(variables, Shared, c.Memory, data) {
		c.lost = fail(Lost, "the simulator sent %d bytes: the variables have others", len(data))
	}
	return c.lost
}

// Release is Session.Release.
func (c *Client) Release(number int) error {
	q := &question{Verb: verbRelease, Numbers: [3]int64{int64(number)}}
	if number >= 0 && number < len(c.modes) {
		q.Data = c.gather(c.modes[number], Exclusive, c.Memory)
	}
	_, err := c.ask(q)
	return err
}

// Wrote is Session.Wrote.
func (c *Client) Wrote(spans ...Span) error {
	_, err := c.ask(&question{Verb: verbWrote, Spans: spans})
	return err
}

// Update is Session.Update.
func (c *Client) Update() error {
	a, err := c.ask(&question{Verb: verbUpdate})
	if err != nil {
		return err
	}
	return c.take(c.had, a.Data)
}

// Barrier is Session.Barrier.
func (c *Client) Barrier() error {
	_, err := c.ask(&question{Verb: verbBarrier})
	return err
}

// ReduceInt is Session.ReduceInt.
func (c *Client) ReduceInt(op Op, x int64) (all int64, err error) {
	a, err := c.ask(&question{Verb: verbReduceInt, Numbers: [3]int64{int64(op), x}})
	return a.Numbers[0], err
}

// ReduceFloat is Session.ReduceFloat.
func (c *Client) ReduceFloat(op Op, x float64) (all float64, err error) {
	a, err := c.ask(&question{Verb: verbReduceFloat, Numbers: [3]int64{int64(op)}, Float: x})
	return a.Float, err
}

// Spend is Session.Spend.
func (c *Client) Spend(ns int64) error {
	_, err := c.ask(&question{Verb: verbSpend, Numbers: [3]int64{ns}})
	return err
}

// End is Session.End; the Node's program returns then.
func (c *Client) End() error {
	_, err := c.ask(&question{Verb: verbEnd})
	return err
}
