package partner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// putIn writes an object to any store.
func putIn(t *testing.T, s checkpoint.Store, name, text string) {
	t.Helper()
	w, err := s.Create(t.Context(), name)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSeveralLost: the next attempt finds the objects of all lost hosts on their partners, which
// adopt them as their own. The test loses every two hosts that are not partners.
func TestSeveralLost(t *testing.T) {
	const n = 5
	for a := range n {
		b := (a + 2) % n
		h := newHosts(t, n)
		on, versions := make([]int, n), make([][2]int, n)
		for i := range n {
			on[i], versions[i] = i, [2]int{i % 3, (i + 1) % 3}
		}
		number, err := save(t, h.keepers(t, on), versions)
		if err != nil {
			t.Fatal(err)
		}
		h.lose(t, a)
		h.lose(t, b)
		h.attempt(t)
		for i := range n {
			if h.servers[i] == nil {
				continue
			}
			check(t, h.keepers(t, []int{i})[0], number, versions)
			all, err := h.servers[i].folder.homes()
			if err != nil || slices.Contains(all, a) || slices.Contains(all, b) {
				t.Errorf("hosts %d and %d are lost, and host %d has folders of %v, %v", a, b, i, all, err)
			}
		}
	}
}

// TestNewestOfFolders: the newest checkpoint of a memory is in the folder with the newest
// manifest, whichever that is; parts do not count.
func TestNewestOfFolders(t *testing.T) {
	for _, numbers := range [][]uint64{{3, 2, 1}, {1, 3, 2}, {1, 2, 3}, {9, 10, 8}, {0, 5, 0}, {0, 0, 0}} {
		s := NewServer(inMemory(t))
		for home, number := range numbers {
			d, err := checkpoint.OpenDirectory(s.folder.path(home))
			if err != nil {
				t.Fatal(err)
			}
			for i := number; i > 0; i-- {
				putIn(t, d, fmt.Sprintf("c%08d.manifest", i), "text")
			}
			putIn(t, d, "c00000077-00000.part", "text")
		}
		if got, err := s.Newest(t.Context()); got != slices.Max(numbers) || err != nil {
			t.Errorf("of folders with %v the newest is %d, %v", numbers, got, err)
		}
	}
}

// TestCopiesOfObjects: each host has its own copy of a manifest; a part is at home and at the
// partner. A copy that fails anywhere leaves nothing anywhere.
func TestCopiesOfObjects(t *testing.T) {
	const n = 4
	h := newHosts(t, n)
	where := func(name string) (all []string) {
		for number, folder := range h.folders {
			found, err := filepath.Glob(filepath.Join(folder, "*", name))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range found {
				all = append(all, fmt.Sprintf("%d:%s", number, filepath.Base(filepath.Dir(path))))
			}
		}
		return all
	}
	for from := range n {
		s := h.store(t, from)
		manifestOf, part := fmt.Sprintf("c%08d.manifest", from+1), fmt.Sprintf("c00000001-%05d.part", from)
		put(t, s, manifestOf, "text")
		put(t, s, part, "text")
		if got := where(manifestOf); !slices.Equal(got, []string{"0:0", "1:1", "2:2", "3:3"}) {
			t.Errorf("a manifest of host %d is at %v", from, got)
		}
		want := []string{fmt.Sprintf("%d:%d", from, from), fmt.Sprintf("%d:%d", (from+1)%n, from)}
		if slices.Sort(want); !slices.Equal(where(part), want) {
			t.Errorf("a part of host %d is at %v, want %v", from, where(part), want)
		}
		for _, name := range []string{manifestOf, part} {
			if err := s.Remove(t.Context(), name); err != nil || len(where(name)) > 0 {
				t.Errorf("%s was removed, %v, and is at %v", name, err, where(name))
			}
		}
		// The third host after this one already has a manifest with this name. So no other host
		// gets it.
		d, err := h.servers[(from+3)%n].folder.of((from + 3) % n)
		if err != nil {
			t.Fatal(err)
		}
		putIn(t, d, "c00000009.manifest", "other")
		w, err := s.Create(t.Context(), "c00000009.manifest")
		if err == nil {
			if _, err = w.Write([]byte("text")); err == nil {
				err = w.Commit()
			} else {
				w.Abort()
			}
		}
		if err == nil {
			t.Errorf("host %d writes a manifest that a host has already", from)
		}
		if own, err := h.servers[from].folder.of(from); err != nil {
			t.Fatal(err)
		} else if _, err := own.Open(t.Context(), "c00000009.manifest"); err == nil {
			t.Errorf("host %d has a manifest that another host refused", from)
		}
		for _, d := range h.servers {
			if err := d.folder.remove(t.Context(), "c00000009.manifest"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestListWithSilent: a list is whole if at most one host does not answer.
func TestListWithSilent(t *testing.T) {
	for silent := range 4 {
		h := newHosts(t, 4)
		for from := range 4 {
			put(t, h.store(t, from), fmt.Sprintf("c00000001-%05d.part", from), "text")
		}
		s := h.store(t, 0)
		for i := range silent {
			h.servers[3-i].End()
		}
		all, err := s.List(t.Context())
		if (err == nil) != (silent <= 1) || err == nil && len(all) != 4 {
			t.Errorf("%d of 3 other hosts are silent: %d objects, %v", silent, len(all), err)
		}
	}
}

// TestManyConnections: more connections stay open than may be open without a request. Each has
// sent one, so they do not keep others out.
func TestManyConnections(t *testing.T) {
	s := NewServer(inMemory(t))
	at := listenHere(t)
	if err := s.Serve(at, nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	defer func() { // a server that accepts no more may hang in its end, too
		ended := make(chan struct{})
		go func() { s.End(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Error("the server does not end")
		}
	}()
	for i := range mostStrangers + 20 {
		c, err := net.Dial("tcp", at.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if code := ask(t, c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); code != http.StatusOK {
			t.Fatalf("connection %d, beside %d that are open: answer %d", i+1, i, code)
		}
	}
}

// TestTrailerBytes: an upload whose trailer differs in any byte leaves nothing.
func TestTrailerBytes(t *testing.T) {
	s := NewServer(inMemory(t))
	at := listenHere(t)
	if err := s.Serve(at, nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	defer s.End()
	upload := func(name, trailer string) int {
		c, err := net.Dial("tcp", at.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return ask(t, c, "PUT /0/"+name+chunked+"4\r\ntext\r\n0\r\nFagus-Sum: "+trailer+"\r\n\r\n")
	}
	right := "4-" + sum
	for i := range right {
		wrong := []byte(right)
		if wrong[i]++; upload("x", string(wrong)) == http.StatusCreated {
			t.Errorf("the trailer %q instead of %q is accepted", wrong, right)
		}
	}
	for _, wrong := range []string{"", right[:len(right)-1], right + "0", " ", "4", sum} {
		if upload("x", wrong) == http.StatusCreated {
			t.Errorf("the trailer %q instead of %q is accepted", wrong, right)
		}
	}
	if left := files(t, string(s.folder)); len(left) > 0 {
		t.Errorf("files: %v", left)
	}
	if code := upload("x", right); code != http.StatusCreated {
		t.Errorf("a whole upload: answer %d", code)
	}
}

// TestAnswersOfOtherLengths: a read fails if its answer is shorter or longer than the request, or
// has another code. So does a list whose answer is not a list.
func TestAnswersOfOtherLengths(t *testing.T) {
	for _, c := range []struct {
		code, bytes int
		right       bool
	}{{206, 100, true}, {206, 99, false}, {206, 1, false}, {206, 0, false}, {206, 101, false}, {200, 100, false}, {404, 100, false}, {500, 0, false}} {
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if want := "bytes=7-106"; r.Header.Get("Range") != want {
				t.Errorf("the range is %q, want %q", r.Header.Get("Range"), want)
			}
			w.WriteHeader(c.code)
			_, _ = w.Write(bytes.Repeat([]byte{'x'}, c.bytes)) // the client notices
		}))
		client := newClient(1, strings.TrimPrefix(front.URL, "http://"), nil, 10*time.Second)
		p := make([]byte, 100)
		if err := client.readAt(t.Context(), 0, "o", p, 7); (err == nil) != c.right {
			t.Errorf("an answer %d with %d of 100 bytes: %v", c.code, c.bytes, err)
		}
		client.http.CloseIdleConnections()
		front.Close()
	}
}

// TestEdgesOfReads: a reader of another host's object reads up to its last byte, and reports the
// end there.
func TestEdgesOfReads(t *testing.T) {
	h := newHosts(t, 2)
	put(t, h.store(t, 1), "c00000001-00001.part", "0123456789")
	r, err := h.store(t, 0).Open(t.Context(), "c00000001-00001.part")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for at := int64(-1); at <= 11; at++ {
		for n := 1; n <= 11; n++ {
			p := bytes.Repeat([]byte{'x'}, n)
			k, err := r.ReadAt(p, at)
			want := ""
			if at >= 0 && at < 10 {
				want = "0123456789"[at:min(10, at+int64(n))]
			}
			if string(p[:k]) != want || (err == nil) != (len(want) == n) || at >= 0 && err != nil && err != io.EOF {
				t.Errorf("%d bytes at %d: %q, %v; want %q", n, at, p[:k], err, want)
			}
		}
	}
}

// TestSizesOfNames: a name has at most 100 bytes, and a host a number below mostHomes.
func TestSizesOfNames(t *testing.T) {
	for n, valid := range map[int]bool{0: false, 1: true, 100: true, 101: false} {
		if err := checkName(strings.Repeat("x", n)); (err == nil) != valid {
			t.Errorf("a name of %d bytes: %v", n, err)
		}
	}
	for c := range 256 {
		valid := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if err := checkName(string([]byte{byte(c)})); (err == nil) != valid {
			t.Errorf("a name that begins with %q: %v", string([]byte{byte(c)}), err)
		}
		if err := checkName("x" + string([]byte{byte(c)})); (err == nil) != (valid || c == '-' || c == '.') {
			t.Errorf("a name with %q: %v", string([]byte{byte(c)}), err)
		}
	}
	for host, valid := range map[int]bool{0: true, mostHomes - 1: true, mostHomes: false, 1 << 17: false} {
		if _, at, _, err := parse(Address("/f", host, nil)); (err == nil) != valid || valid && at != host {
			t.Errorf("the address of host %d: %d, %v", host, at, err)
		}
		if _, _, _, err := parse(Address("/f", 1, []Place{{host, "h:1"}})); (err == nil) != valid {
			t.Errorf("the address of host 1 beside host %d: %v", host, err)
		}
	}
	if _, _, _, err := parse(Address("/f", 1, []Place{{2, "h:1"}, {1, "h:2"}})); err == nil {
		t.Error("an address has a host twice")
	}
}

// TestUnfinishedOfAttempt: the unfinished objects of the previous attempt's ranks are removed from
// the folders of all homes.
func TestUnfinishedOfAttempt(t *testing.T) {
	h := newHosts(t, 3)
	for number := range 3 {
		s := h.store(t, number)
		put(t, s, fmt.Sprintf("c00000001-%05d.part", number), "text")
		d, err := h.servers[number].folder.of(number)
		if err != nil {
			t.Fatal(err)
		}
		w, err := d.Create(t.Context(), "c00000002.manifest")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, "half"); err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
	}
	count := func() (unfinished int) {
		for _, folder := range h.folders {
			for _, path := range files(t, folder) {
				if strings.HasSuffix(path, ".unfinished") {
					unfinished++
				}
			}
		}
		return unfinished
	}
	if n := count(); n != 3 {
		t.Fatalf("%d unfinished files", n)
	}
	h.attempt(t)
	if n := count(); n != 0 {
		t.Errorf("%d unfinished files are left in the next attempt", n)
	}
	for number := range 3 {
		if _, err := h.store(t, number).Open(t.Context(), fmt.Sprintf("c00000001-%05d.part", number)); err != nil {
			t.Errorf("the part of host %d is gone: %v", number, err)
		}
	}
	if _, err := os.Stat(h.folders[0]); errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
