package partner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hosts are the memories of the hosts of a job.
type hosts struct {
	servers []*Server // by number; nil: lost
	folders []string
	at      []string
	ranks   *identity.Identity // of the attempt
	stores  []*Store           // of all attempts
}

// newHosts returns the memories of n hosts, in the first attempt.
func newHosts(t *testing.T, n int) *hosts {
	t.Helper()
	h := &hosts{at: make([]string, n)}
	for range n {
		h.folders = append(h.folders, inMemory(t))
		h.servers = append(h.servers, NewServer(h.folders[len(h.folders)-1]))
	}
	t.Cleanup(func() {
		for _, s := range h.stores {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, s := range h.servers {
			if s != nil {
				s.End()
			}
		}
	})
	h.attempt(t)
	return h
}

// inMemory returns an empty folder, in memory if this machine can: tests do not wait for a disk.
func inMemory(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "fagus-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// attempt begins the next attempt.
func (h *hosts) attempt(t *testing.T) {
	t.Helper()
	authority, err := identity.NewAuthority(len(h.servers) + 1)
	if err != nil {
		t.Fatal(err)
	}
	var lost []int
	for number, s := range h.servers {
		if s == nil {
			lost = append(lost, number)
		}
	}
	for number, s := range h.servers {
		if s != nil {
			at := listenHere(t)
			h.at[number] = at.Addr().String()
			if err := s.Serve(at, issue(t, authority, number), number, lost); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.ranks = issue(t, authority, len(h.servers))
}

func listenHere(t testing.TB) net.Listener {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func issue(t testing.TB, from *identity.Authority, rank int) *identity.Identity {
	t.Helper()
	id, err := from.Issue(dimmnet.Rank(rank))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// lose ends a host, and what it remembers.
func (h *hosts) lose(t *testing.T, number int) {
	t.Helper()
	h.servers[number].End()
	h.servers[number] = nil
	if err := os.RemoveAll(h.folders[number]); err != nil {
		t.Fatal(err)
	}
}

// store returns the store of the ranks of a host in this attempt.
func (h *hosts) store(t *testing.T, number int) *Store {
	t.Helper()
	var others []Place
	for i := range h.servers {
		if next := (number + i) % len(h.servers); i > 0 && h.servers[next] != nil {
			others = append(others, Place{next, h.at[next]})
		}
	}
	s, err := Open(Address(h.folders[number], number, others), h.ranks)
	if err != nil {
		t.Fatal(err)
	}
	h.stores = append(h.stores, s)
	return s
}

// keepers returns a keeper for a rank on each of some hosts.
func (h *hosts) keepers(t *testing.T, on []int) (all []*checkpoint.Keeper) {
	t.Helper()
	for _, number := range on {
		k := checkpoint.New(checkpoint.Config{Store: h.store(t, number), Log: slog.New(slog.DiscardHandler)})
		t.Cleanup(func() {
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
		all = append(all, k)
	}
	return all
}

// pieceLength is the length of a piece. A rank has two pieces.
const pieceLength = 100

// save makes a checkpoint of ranks with their keepers. Piece p of rank r has the data of step
// versions[r][p].
func save(t *testing.T, all []*checkpoint.Keeper, versions [][2]int) (number uint64, err error) {
	t.Helper()
	ctx := t.Context()
	if number, _, err = all[0].Due(ctx, 0); err != nil {
		return 0, err
	}
	for rank, k := range all {
		cut := fagus.Cut{
			Number: number, Start: 7, Rank: rank, Nodes: len(all), State: []byte("0"),
			Arrays: []fagus.SavedArray{{Name: "a", Kind: "uint8", Element: 1, Bytes: 2 * pieceLength * len(all)}},
		}
		for p, v := range versions[rank] {
			cut.Pieces = append(cut.Pieces, fagus.SavedPiece{Offset: (2*rank + p) * pieceLength, Version: uint64(v), Guard: uint64(2*rank + p), Data: data(rank, p, v)})
		}
		if err := k.Save(ctx, cut); err != nil {
			return 0, err
		}
	}
	return number, all[0].Commit(ctx, number)
}

func data(rank, piece, version int) []byte {
	return bytes.Repeat([]byte{byte(1 + 16*rank + 8*piece + version)}, pieceLength)
}

// check opens a checkpoint by the keeper of a rank, and compares all its data.
func check(t *testing.T, k *checkpoint.Keeper, number uint64, versions [][2]int) {
	t.Helper()
	newest, err := k.Newest(t.Context(), ^uint64(0))
	if err != nil || newest != number {
		t.Fatalf("the newest checkpoint is %d, %v: want %d", newest, err, number)
	}
	from, err := k.Open(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	got, want := make([]byte, 2*pieceLength*len(versions)), []byte{}
	for rank, v := range versions {
		want = slices.Concat(want, data(rank, 0, v[0]), data(rank, 1, v[1]))
	}
	if err := from.Read(0, 0, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("checkpoint %d has %x, %v: want %x", number, got, err, want)
	}
}

// TestLostHosts: whichever host is lost, the last checkpoint is there, with the earlier parts that
// it refers to. After the next checkpoint another host may be lost, until one is left.
func TestLostHosts(t *testing.T) {
	const n = 4
	for first := range n {
		for second := range n {
			if second == first {
				continue
			}
			t.Run(fmt.Sprintf("%d,%d", first, second), func(t *testing.T) {
				h := newHosts(t, n)
				alive := []int{0, 1, 2, 3}
				step := 0
				var newest uint64
				var last [][2]int
				for _, lost := range []int{first, second, -1} {
					all := h.keepers(t, alive)
					if step > 0 {
						for _, k := range all {
							check(t, k, newest, last)
						}
					}
					for range 3 { // the second piece changes only in the first
						step++
						versions := make([][2]int, len(alive))
						for rank := range versions {
							versions[rank] = [2]int{step % 8, (step - 1) / 3}
						}
						number, err := save(t, all, versions)
						if err != nil || number <= newest {
							t.Fatalf("checkpoint %d after %d: %v", number, newest, err)
						}
						newest, last = number, versions
					}
					check(t, all[len(all)-1], newest, last)
					if lost >= 0 {
						h.lose(t, lost)
						alive = slices.DeleteFunc(alive, func(i int) bool { return i == lost })
						h.attempt(t)
					}
				}
			})
		}
	}
}

// TestSecondLoss: when two hosts are lost one after the other, without a checkpoint in between, an
// earlier checkpoint may be lost. The store says so, and gives no wrong data.
func TestSecondLoss(t *testing.T) {
	h := newHosts(t, 3)
	versions := [][2]int{{1, 1}, {1, 1}, {1, 1}}
	number, err := save(t, h.keepers(t, []int{0, 1, 2}), versions)
	if err != nil {
		t.Fatal(err)
	}
	h.lose(t, 0)
	h.attempt(t)
	check(t, h.keepers(t, []int{2})[0], number, versions)
	h.lose(t, 1) // the partner of host 0
	h.attempt(t)
	k := h.keepers(t, []int{2})[0]
	if _, err := k.Open(t.Context(), number); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening it: error %v, want %v", err, fs.ErrNotExist)
	}
}

// TestOneHost: a job on one host keeps one copy, and the next attempt reads it.
func TestOneHost(t *testing.T) {
	h := newHosts(t, 1)
	versions := [][2]int{{3, 4}}
	number, err := save(t, h.keepers(t, []int{0}), versions)
	if err != nil {
		t.Fatal(err)
	}
	h.attempt(t)
	check(t, h.keepers(t, []int{0})[0], number, versions)
}

// TestUnreachable: within an attempt, a host that no longer answers is replaced by its partner for
// reading. New checkpoints fail until the next attempt leaves the host out.
func TestUnreachable(t *testing.T) {
	h := newHosts(t, 3)
	all := h.keepers(t, []int{0, 1, 2})
	versions := [][2]int{{1, 1}, {1, 1}, {1, 1}}
	number, err := save(t, all, versions)
	if err != nil {
		t.Fatal(err)
	}
	h.lose(t, 1)
	check(t, all[0], number, versions)
	check(t, all[2], number, versions)
	if number, err := save(t, []*checkpoint.Keeper{all[0], all[2]}, versions[:2]); err == nil {
		t.Errorf("checkpoint %d was made, and host 1 is lost", number)
	}
	h.lose(t, 2)
	if _, err := h.store(t, 0).List(t.Context()); err != nil {
		t.Error(err) // the address has only host 0
	}
	if newest, err := all[0].Newest(t.Context(), ^uint64(0)); err == nil {
		t.Errorf("two of three hosts do not answer, and the newest checkpoint is %d", newest)
	}
}

// TestLostWhileOpen: an object that is open on a host is read from its partner when the host is
// lost. The partner may be this host or another one.
func TestLostWhileOpen(t *testing.T) {
	h := newHosts(t, 4)
	const name, text = "c00000001-00001.part", "the part of rank 1"
	put(t, h.store(t, 1), name, text)
	var open []checkpoint.Reader
	for _, on := range []int{0, 2} { // host 2 is the partner
		r, err := h.store(t, on).Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		open = append(open, r)
		read(t, r, text)
	}
	h.lose(t, 1)
	for _, r := range open {
		read(t, r, text)
	}
}

// read compares an object.
func read(t *testing.T, r checkpoint.Reader, text string) {
	t.Helper()
	got := make([]byte, len(text)+1)
	if n, err := r.ReadAt(got, 0); string(got[:n]) != text || err != io.EOF {
		t.Errorf("%q, %v: want %q", got[:n], err, text)
	}
}

// names returns the objects of a home on a host.
func (h *hosts) names(t *testing.T, host, home int) (all []string) {
	t.Helper()
	of, err := checkpoint.OpenDirectory(folder(h.folders[host]).path(home))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := of.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		all = append(all, o.Name)
	}
	slices.Sort(all)
	return all
}

// TestRemoved: a removed object is on no host.
func TestRemoved(t *testing.T) {
	h := newHosts(t, 3)
	s := h.store(t, 1)
	const part, manifest = "c00000001-00000.part", "c00000001.manifest"
	for _, name := range []string{part, manifest} {
		put(t, s, name, "text")
	}
	for host, want := range map[int][]string{0: {manifest}, 1: {part, manifest}, 2: {manifest}} {
		if got := h.names(t, host, host); !slices.Equal(got, want) {
			t.Errorf("host %d has %v, want %v", host, got, want)
		}
	}
	if got := h.names(t, 2, 1); !slices.Equal(got, []string{part}) {
		t.Errorf("the partner has %v", got)
	}
	for _, name := range []string{part, manifest, "c00000009.manifest"} {
		if err := h.store(t, 0).Remove(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if all, err := s.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("left: %v, %v", all, err)
	}
}

// put writes an object.
func put(t *testing.T, s *Store, name, text string) {
	t.Helper()
	w, err := s.Create(t.Context(), name)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
