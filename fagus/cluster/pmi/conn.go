package pmi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// answerTime is how long the launcher may take for an answer that depends on no other rank.
const answerTime = time.Minute

// errLauncherGone is why a connection fails that the launcher has closed.
var errLauncherGone = errors.New("the launcher has closed the connection: it has ended, or ends the job")

// conn is the connection with the launcher. One goroutine at a time may call ask.
type conn struct {
	file    *os.File
	answers chan message    // of the launcher; with space for one
	ended   chan struct{}   // closed when nothing is read any more
	gone    func(why error) // called when the launcher has closed the connection
	latch
}

// latch keeps the first reason why a launcher can no longer be used.
type latch struct {
	mu     sync.Mutex
	failed error  // without the prefix of the package
	then   func() // called with the first reason
}

// fail sets the reason, and reports whether it is the first.
func (l *latch) fail(why error) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return false
	}
	l.failed = why
	l.then()
	return true
}

func (l *latch) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// exchange is a request and its answer.
type exchange struct {
	doing   string // what the request does, for errors
	request []byte
	answer  string        // the command of the answer
	within  time.Duration // how long the answer may take; 0 if it waits for other ranks
}

func newConn(file *os.File, gone func(error)) *conn {
	c := &conn{file: file, answers: make(chan message, 1), ended: make(chan struct{}), gone: gone}
	c.then = func() {
		_ = file.SetDeadline(time.Unix(1, 0)) // ends reads and writes; a closed file has none
	}
	go c.read()
	return c
}

func (c *conn) read() {
	defer close(c.ended)
	r := bufio.NewReaderSize(c.file, maxLine)
	for decode := readLine; ; {
		m, err := decode(r)
		if err != nil {
			closed := err == io.EOF || errors.Is(err, syscall.ECONNRESET)
			if closed {
				err = errLauncherGone
			} else {
				err = fmt.Errorf("reading from the launcher: %w", err)
			}
			if c.fail(err) && closed {
				c.gone(fmt.Errorf("pmi: %w", err))
			}
			return
		}
		if initVersion(m) == 2 {
			decode = readFrame // the answer to the first request, a line, decides
		}
		select {
		case c.answers <- m:
		default:
			c.fail(unasked(m))
			return
		}
	}
}

func unasked(m message) error {
	return fmt.Errorf("the launcher sends %.80q without a request", m.cmd)
}

// ask sends a request and returns the launcher's answer, which reports success. If it fails, c
// is unusable, because the answer may come later.
func (c *conn) ask(x exchange) (message, error) {
	m, err := c.attempt(x)
	if err != nil {
		c.fail(err)
		return message{}, fmt.Errorf("pmi: %s: %w", x.doing, err)
	}
	return m, nil
}

func (c *conn) attempt(x exchange) (message, error) {
	if err := c.failure(); err != nil {
		return message{}, err
	}
	select {
	case m := <-c.answers:
		return message{}, unasked(m)
	default:
	}
	if x.within > 0 {
		timer := time.AfterFunc(x.within, func() {
			c.fail(fmt.Errorf("the launcher has not answered for %v: check that it runs, and that it speaks PMI on PMI_FD", x.within))
		})
		defer timer.Stop()
	}
	if _, err := c.file.Write(x.request); err != nil {
		c.fail(fmt.Errorf("writing to the launcher: %w", err))
		return message{}, c.failure()
	}
	m, err := c.receive()
	if err == nil {
		err = m.refusal(x.answer)
	}
	return m, err
}

func (c *conn) receive() (message, error) {
	select {
	case m := <-c.answers:
		return m, nil
	case <-c.ended:
	}
	select {
	case m := <-c.answers: // the launcher has closed the connection after its answer
		return m, nil
	default:
		return message{}, c.failure()
	}
}

func (c *conn) close() error {
	err := c.file.Close()
	<-c.ended
	return err
}
