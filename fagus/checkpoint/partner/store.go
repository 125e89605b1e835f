package partner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// Scheme is the scheme of a store's address.
const Scheme = "memory"

// Place says where to reach the memory of a host.
type Place struct {
	Host    int    // number of the host
	Address string // host:port
}

// Address returns the address of the store for ranks of a host: the folder of its memory, and the
// places of the other hosts, first the partner.
func Address(folder string, host int, others []Place) string {
	text := fmt.Sprintf("%s://%d", Scheme, host)
	for _, p := range others {
		text += fmt.Sprintf(",%d@%s", p.Host, p.Address)
	}
	return text + "=" + folder
}

// parse is the inverse of Address.
func parse(address string) (path string, host int, others []Place, err error) {
	rest, right := strings.CutPrefix(address, Scheme+"://")
	list, path, found := strings.Cut(rest, "=")
	right = right && found && path != ""
	var seen []uint64
	for i, part := range strings.Split(list, ",") {
		number, at, _ := strings.Cut(part, "@")
		n, err := strconv.ParseUint(number, 10, 16)
		_, _, noPlace := net.SplitHostPort(at)
		right = right && err == nil && n < mostHomes && !slices.Contains(seen, n) && (i == 0) == (at == "") && (i == 0 || noPlace == nil)
		if seen = append(seen, n); i == 0 {
			host = int(n)
		} else {
			others = append(others, Place{int(n), at})
		}
	}
	if !right {
		return "", 0, nil, fmt.Errorf("partner: address %.200q: want %s://HOST,HOST@ADDRESS:PORT,...=FOLDER, as a launcher gives it", address, Scheme)
	}
	return path, host, others, nil
}

// Store is a checkpoint.Store in the memory of several hosts, for the ranks of one of them.
type Store struct {
	home   int
	folder folder
	others []*client // the partner is first
	homes  sync.Map  // the host where the last part of a rank was found, by the end of its name
}

var _ checkpoint.Store = (*Store)(nil)

// Open returns the store at an address that the function Address made. The identity is for the
// last rank of the servers' authority; nil: the servers do not encrypt.
func Open(address string, id *identity.Identity) (*Store, error) {
	path, host, others, err := parse(address)
	if err != nil {
		return nil, err
	}
	s := &Store{home: host, folder: folder(path)}
	for _, p := range others {
		if id != nil && p.Host >= id.Size()-1 {
			return nil, fmt.Errorf("partner: host %d has no identity: the authority has %d", p.Host, id.Size())
		}
		s.others = append(s.others, newClient(p.Host, p.Address, id, patience))
	}
	return s, nil
}

// String says where the store is.
func (s *Store) String() string {
	return fmt.Sprintf("the memory of %d hosts", 1+len(s.others))
}

// Close closes the connections that are idle.
func (s *Store) Close() error {
	for _, c := range s.others {
		c.http.CloseIdleConnections()
	}
	return nil
}

// Lock implements checkpoint.Store. It reserves nothing: nobody else has the address and the
// identities of an attempt. unlock is Close.
func (s *Store) Lock(context.Context) (unlock func() error, err error) { return s.Close, nil }

// Create implements checkpoint.Store.
func (s *Store) Create(ctx context.Context, name string) (checkpoint.Writer, error) {
	of, err := s.folder.of(s.home)
	if err != nil {
		return nil, err
	}
	w := new(writer)
	if w.own, err = of.Create(ctx, name); err != nil {
		return nil, err
	}
	copies := s.others[:min(1, len(s.others))]
	if manifest(name) {
		copies = s.others
	}
	for _, c := range copies {
		home := s.home
		if manifest(name) {
			home = c.home // each host has its own
		}
		u, err := c.create(ctx, home, name)
		if err != nil {
			w.Abort()
			return nil, err
		}
		w.away = append(w.away, u)
	}
	return w, nil
}

// writer writes an object to this host and to others.
type writer struct {
	own  checkpoint.Writer
	away []*upload
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	for _, u := range w.away {
		if n, err := u.Write(p); err != nil {
			return n, err
		}
	}
	return w.own.Write(p)
}

// Commit implements checkpoint.Writer. The object is valid when it is at home, which is last.
func (w *writer) Commit() error {
	var all error
	for _, u := range w.away {
		all = errors.Join(all, u.commit())
	}
	if all != nil {
		w.own.Abort()
		return all
	}
	return w.own.Commit()
}

// Abort implements checkpoint.Writer.
func (w *writer) Abort() {
	for _, u := range w.away {
		u.abort()
	}
	w.own.Abort()
}

// each calls ask for all other hosts at the same time, and returns the errors.
func (s *Store) each(ask func(i int, c *client) error) (errs []error) {
	errs = make([]error, len(s.others))
	var asking sync.WaitGroup
	for i, c := range s.others {
		asking.Go(func() { errs[i] = c.wrap(ask(i, c)) })
	}
	asking.Wait()
	return errs
}

// List implements checkpoint.Store. If one host does not answer, the list has all objects that are
// on two hosts.
func (s *Store) List(ctx context.Context) ([]checkpoint.Object, error) {
	all, err := s.folder.list(ctx)
	if err != nil {
		return nil, err
	}
	lists := make([][]checkpoint.Object, len(s.others))
	silent := s.each(func(i int, c *client) (err error) {
		lists[i], err = c.list(ctx)
		return err
	})
	if silent = slices.DeleteFunc(silent, func(err error) bool { return err == nil }); len(silent) > 1 {
		return nil, errors.Join(silent...)
	}
	return unique(append(all, slices.Concat(lists...)...)), nil
}

// Remove implements checkpoint.Store.
func (s *Store) Remove(ctx context.Context, name string) error {
	errs := s.each(func(_ int, c *client) error { return c.remove(ctx, name) })
	return errors.Join(append(errs, s.folder.remove(ctx, name))...)
}

// Open implements checkpoint.Store. It looks first where the rank's last part was found.
func (s *Store) Open(ctx context.Context, name string) (checkpoint.Reader, error) {
	_, rank, _ := strings.Cut(name, "-") // a manifest has no rank
	first := s.home
	if before, found := s.homes.Load(rank); found {
		first = before.(int)
	}
	var silent error
	for _, host := range s.from(first) {
		r, err := s.openOf(ctx, s.number(host), name)
		if err == nil {
			s.homes.Store(rank, s.number(host))
			return r, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			silent = errors.Join(silent, err)
		}
	}
	if silent != nil {
		return nil, silent
	}
	return nil, fs.ErrNotExist
}

// openOf opens an object of a home. If the home answers that it does not have the object, there is
// none. If the home does not answer, a copy counts.
func (s *Store) openOf(ctx context.Context, home int, name string) (checkpoint.Reader, error) {
	return s.openFrom(ctx, s.from(home), home, name, nil)
}

// openFrom opens an object of a home on the first of the hosts that has it. silent is the error of
// earlier hosts, which do not answer.
func (s *Store) openFrom(ctx context.Context, hosts []*client, home int, name string, silent error) (checkpoint.Reader, error) {
	for i, host := range hosts {
		r, err := s.openAt(ctx, host, home, name)
		if err == nil {
			if away, ok := r.(*reader); ok {
				away.rest = func(silent error) (checkpoint.Reader, error) {
					return s.openFrom(ctx, hosts[i+1:], home, name, silent)
				}
			}
			return r, nil
		}
		gone := errors.Is(err, fs.ErrNotExist)
		if gone && silent == nil {
			return nil, err
		}
		if !gone {
			silent = errors.Join(silent, err)
		}
	}
	return nil, silent
}

// from returns all hosts, nil for this one, beginning with the host whose number is home.
func (s *Store) from(home int) []*client {
	all := append([]*client{nil}, s.others...)
	first := slices.IndexFunc(all, func(c *client) bool { return s.number(c) == home })
	all[0], all[first] = all[first], all[0]
	return all
}

// number returns the number of a host.
func (s *Store) number(c *client) int {
	if c == nil {
		return s.home
	}
	return c.home
}

// openAt opens an object of a home on a host.
func (s *Store) openAt(ctx context.Context, host *client, home int, name string) (checkpoint.Reader, error) {
	if host != nil {
		size, err := host.size(ctx, home, name)
		return &reader{ctx: ctx, host: host, home: home, name: name, size: size}, host.wrap(err)
	}
	of, err := s.folder.of(home)
	if err != nil {
		return nil, err
	}
	return of.Open(ctx, name)
}

// reader reads an object on another host. If that host no longer answers, it reads the copy.
type reader struct {
	ctx  context.Context
	host *client
	home int
	name string
	size int64
	rest func(silent error) (checkpoint.Reader, error) // opens it elsewhere

	mu   sync.Mutex
	copy checkpoint.Reader // opened by rest; nil: not yet
}

// Size implements checkpoint.Reader.
func (r *reader) Size() int64 { return r.size }

// ReadAt implements io.ReaderAt.
func (r *reader) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 || at >= r.size {
		return 0, io.EOF
	}
	n := min(len(p), int(r.size-at))
	if n == 0 {
		return 0, nil
	}
	if err := r.fill(p[:n], at); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// fill fills p, which ends in the object.
func (r *reader) fill(p []byte, at int64) error {
	r.mu.Lock()
	from := r.copy
	r.mu.Unlock()
	if from == nil {
		err := r.host.wrap(r.host.readAt(r.ctx, r.home, r.name, p, at))
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if from, err = r.instead(err); err != nil {
			return err
		}
	}
	n, err := from.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	return err
}

// instead returns a reader of the copy.
func (r *reader) instead(silent error) (checkpoint.Reader, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.copy == nil {
		r.copy, err = r.rest(silent)
	}
	return r.copy, err
}

// Close implements io.Closer.
func (r *reader) Close() error {
	if r.copy == nil {
		return nil
	}
	return r.copy.Close()
}
