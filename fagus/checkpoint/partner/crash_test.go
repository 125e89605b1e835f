package partner

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
)

// errDead ends a request of a job that is killed.
var errDead = errors.New("killed")

// mortal makes the requests of a job until the job is killed.
type mortal struct {
	http.RoundTripper
	made *atomic.Int64 // requests of the job
	last int64         // how many requests are made; negative: all
	lose bool          // the answer to the last one is lost
}

// RoundTrip implements http.RoundTripper.
func (m *mortal) RoundTrip(r *http.Request) (*http.Response, error) {
	number := m.made.Add(1)
	if m.last >= 0 && (number > m.last+1 || number > m.last && !m.lose) {
		if r.Body != nil {
			_ = r.Body.Close() // never fails
		}
		return nil, errDead
	}
	answer, err := m.RoundTripper.RoundTrip(r)
	if err == nil && m.last >= 0 && number == m.last+1 {
		_ = answer.Body.Close() // nobody reads it
		return nil, errDead
	}
	return answer, err
}

// TestKilledAtEveryRequest: while a job makes its second checkpoint, it is killed at every request
// to another host, before or after that host acts on it, and then any host is lost. The newest
// checkpoint is whole, and it is the second one if that was valid.
func TestKilledAtEveryRequest(t *testing.T) {
	on := []int{0, 1, 2}
	first, second := [][2]int{{1, 1}, {1, 1}, {1, 1}}, [][2]int{{2, 1}, {2, 1}, {2, 1}}
	attempt := func(t *testing.T, last int64, lose bool) (h *hosts, requests int64, err error) {
		h = newHosts(t, len(on))
		all := h.keepers(t, on)
		if _, err := save(t, all, first); err != nil {
			t.Fatal(err)
		}
		made := new(atomic.Int64)
		for _, s := range h.stores {
			for _, c := range s.others {
				c.http.Transport = &mortal{c.http.Transport, made, last, lose}
			}
		}
		_, err = save(t, all, second)
		return h, made.Load(), err
	}
	_, total, err := attempt(t, -1, false)
	if err != nil || total < 10 {
		t.Fatalf("%d requests, %v: want 10 or more", total, err)
	}
	stride := int64(1)
	if testing.Short() {
		stride = 4
	}
	for at := int64(0); at < total; at += stride {
		for _, lose := range []bool{false, true} {
			for _, lost := range on {
				t.Run(fmt.Sprintf("%d,%v,%d", at, lose, lost), func(t *testing.T) {
					h, _, err := attempt(t, at, lose)
					h.lose(t, lost)
					h.attempt(t)
					for host := range on {
						if host == lost {
							continue
						}
						k := h.keepers(t, []int{host})[0]
						newest, found := k.Newest(t.Context(), ^uint64(0))
						if found != nil || newest < 1 || newest < 2 && err == nil {
							t.Fatalf("the newest checkpoint is %d, %v; making the second ended with %v", newest, found, err)
						}
						check(t, k, newest, [][][2]int{first, second}[newest-1])
					}
				})
			}
		}
	}
}
