package metrics

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// guests are the connections of a server, at most mostConnections. One more takes the place of the
// one that has been there longest without a long request, from the address that has most. So no
// number of silent connections keeps a probe waiting. There are fewer long requests than
// connections.
type guests struct {
	mu  sync.Mutex
	all []*guest // the oldest first

	long chan struct{} // has an element for each long request
}

// guest is one connection.
type guest struct {
	conn net.Conn
	from string // the address of its host
	busy bool   // with a long request; guards as guests.mu
}

func newGuests() *guests { return &guests{long: make(chan struct{}, mostLong)} }

// changed is http.Server.ConnState.
func (g *guests) changed(conn net.Conn, state http.ConnState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch state {
	case http.StateNew:
		if len(g.all) == mostConnections {
			g.leave()
		}
		from, _, err := net.SplitHostPort(conn.RemoteAddr().String())
		if err != nil {
			from = "" // of this host
		}
		g.all = append(g.all, &guest{conn: conn, from: from})
	case http.StateClosed, http.StateHijacked:
		g.all = slices.DeleteFunc(g.all, func(v *guest) bool { return v.conn == conn })
	}
}

// leave closes a connection, for another one.
func (g *guests) leave() {
	of := make(map[string]int)
	for _, v := range g.all {
		of[v.from]++
	}
	least := -1
	for i, v := range g.all {
		if !v.busy && (least < 0 || of[v.from] > of[g.all[least].from]) {
			least = i
		}
	}
	_ = g.all[least].conn.Close() // nobody waits for what it has sent
	g.all = slices.Delete(g.all, least, least+1)
}

type connKey struct{}

// withConn is http.Server.ConnContext.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// lengthy returns h for requests that may last: those above the limit get an error at once.
func (g *guests) lengthy(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case g.long <- struct{}{}:
		default:
			http.Error(w, "too many requests at a time: try again", http.StatusServiceUnavailable)
			return
		}
		defer func() { <-g.long }()
		conn, _ := r.Context().Value(connKey{}).(net.Conn)
		g.serves(conn, true)
		defer g.serves(conn, false)
		h.ServeHTTP(w, r)
	})
}

func (g *guests) serves(conn net.Conn, busy bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, v := range g.all {
		if v.conn == conn {
			v.busy = busy
		}
	}
}
