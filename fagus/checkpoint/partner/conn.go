package partner

import (
	"net"
	"time"
)

// steady accepts connections, and bounds the time of each write on them.
type steady struct {
	net.Listener
	patience time.Duration
}

// Accept implements net.Listener.
func (l *steady) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &steadyConn{c, l.patience}, nil
}

// steadyConn is a connection that bounds the time of each write.
type steadyConn struct {
	net.Conn
	patience time.Duration
}

// Write implements net.Conn.
func (c *steadyConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
