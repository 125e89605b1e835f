package metrics

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestPeers: few ranks have a series for each pair, and many only sums.
func TestPeers(t *testing.T) {
	links := []dimmnet.Link{{Peer: 1, Sent: 2, Received: 3, Resent: 4}, {Peer: 5, Sent: 6, Received: 7, Resent: 8}}
	if got := fmt.Sprint(peers(mostPeers, links)); got != "[{{1 2 3 4} 1} {{5 6 7 8} 5}]" {
		t.Errorf("the series of few ranks are %s", got)
	}
	if got := fmt.Sprint(peers(mostPeers+1, links)); got != "[{{0 8 10 12} all}]" {
		t.Errorf("the series of many ranks are %s", got)
	}
}

// TestLengthy: so many long requests are under way that a connection without one can make place.
func TestLengthy(t *testing.T) {
	g, over := newGuests(), make(chan struct{})
	began, refused := make(chan bool), make(chan bool)
	h := g.lengthy(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		began <- true
		<-over
	}))
	var requests sync.WaitGroup
	for range mostConnections {
		requests.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/ranks", nil))
			if w.Code == http.StatusServiceUnavailable {
				refused <- true
			}
		})
	}
	counts := [2]int{}
	for range mostConnections {
		select {
		case <-began:
			counts[0]++
		case <-refused:
			counts[1]++
		}
	}
	close(over)
	requests.Wait()
	if want := [2]int{mostLong, mostConnections - mostLong}; counts != want || mostLong >= mostConnections {
		t.Errorf("%v requests were under way and refused, want %v", counts, want)
	}
	w := httptest.NewRecorder()
	go func() { <-began }()
	if h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/ranks", nil)); w.Code != http.StatusOK {
		t.Errorf("after them the answer is %d", w.Code)
	}
}

// fake is a connection from an address.
type fake struct {
	net.Conn
	from   string
	closed bool
}

func (f *fake) RemoteAddr() net.Addr { return &net.UnixAddr{Name: f.from} }
func (f *fake) Close() error         { f.closed = true; return nil }

// TestGuests: the connection that makes place is the oldest one without a long request, from the
// address that has most.
func TestGuests(t *testing.T) {
	g := newGuests()
	var all []*fake
	come := func(from string, n int) {
		for i := range n {
			f := &fake{from: fmt.Sprintf("%s:%d", from, i)}
			all = append(all, f)
			g.changed(f, http.StateNew)
		}
	}
	come("10.0.0.1", 10)
	come("10.0.0.2", 50)
	come("10.0.0.3", 4)
	g.serves(all[10], true)
	g.serves(all[11], true)
	g.serves(all[12], true)
	g.serves(all[12], false)
	come("10.0.0.4", 2)
	var closed []int
	for i, f := range all {
		if f.closed {
			closed = append(closed, i)
			g.changed(f, http.StateClosed)
		}
	}
	if want := []int{12, 13}; !slices.Equal(closed, want) {
		t.Errorf("the connections %v make place, want %v", closed, want)
	}
	g.changed(all[0], http.StateClosed)
	come("10.0.0.2", 1)
	if len(g.all) != mostConnections || slices.ContainsFunc(all[14:], func(f *fake) bool { return f.closed }) {
		t.Errorf("one of %d connections has made place, although one was free", len(g.all))
	}
	if first, last := g.all[0].from, g.all[len(g.all)-1].from; first != "10.0.0.1" || last != "10.0.0.2" {
		t.Errorf("the first connection is from %s, and the last one from %s", first, last)
	}
}
