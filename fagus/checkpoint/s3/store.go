package s3

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// Store is a checkpoint.Store in a bucket.
type Store struct {
	*client
	limits
	windows windows
	// unconditional is set when the server refuses If-None-Match.
	unconditional atomic.Bool
}

var _ checkpoint.Store = (*Store)(nil)

// limits bound the memory and the time that a store takes.
type limits struct {
	part     int           // bytes of a part of an upload
	attempts int           // attempts of a request
	attempt  time.Duration // the longest time of an attempt
	opening  time.Duration // the longest time of Open
	pause    time.Duration // at most, before the second attempt; doubled before each later one
}

// usual are the limits of Open. A part takes two minutes at 140 kB/s; a server that answers 503 is
// asked again for at most 15 s.
func usual() limits {
	return limits{part: 16 << 20, attempts: 6, attempt: 2 * time.Minute, opening: 15 * time.Second, pause: 500 * time.Millisecond}
}

// Open opens the store at a URL,
//
//	s3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION&part-mib=16
//
// in which all but the bucket may be left out. Without endpoint it is AWS_ENDPOINT_URL or AWS, and
// without region AWS_REGION. Open lists an object to find out whether the bucket exists and the
// credentials are right, and returns after at most 15 seconds.
func Open(ctx context.Context, url string) (*Store, error) { return open(ctx, url, usual()) }

// CheckURL returns at once the error that Open would return for a URL that names no bucket.
func CheckURL(url string) error {
	if _, err := parse(url); err != nil {
		return fmt.Errorf("s3: %w", err)
	}
	return nil
}

func open(ctx context.Context, url string, l limits) (*Store, error) {
	a, err := parse(url)
	if err != nil {
		return nil, fmt.Errorf("s3: %w", err)
	}
	s := &Store{client: newClient(a), limits: l}
	if a.partMiB > 0 {
		s.part = a.partMiB << 20
	}
	bounded, cancel := context.WithTimeout(ctx, s.opening)
	defer cancel()
	if err := s.retry(bounded, "opening it", func(ctx context.Context) error {
		_, err := s.list(ctx, "", 1)
		return err
	}); err != nil {
		s.transport.CloseIdleConnections()
		return nil, err
	}
	return s, nil
}

// String returns the URL of bucket and prefix.
func (s *Store) String() string { return s.address.String() }

// key returns the key of an object in the bucket.
func (s *Store) key(name string) string { return s.prefix + name }

// Create implements checkpoint.Store.
func (s *Store) Create(ctx context.Context, name string) (checkpoint.Writer, error) {
	w := newWriter(ctx, s, name)
	err := s.retry(ctx, "creating "+name, func(ctx context.Context) error {
		_, err := w.written(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// List implements checkpoint.Store.
func (s *Store) List(ctx context.Context) (all []checkpoint.Object, err error) {
	for after, first := "", true; first || after != ""; first = false {
		var page *listing
		if err := s.retry(ctx, "listing it", func(ctx context.Context) (err error) {
			page, err = s.list(ctx, after, pageKeys)
			return err
		}); err != nil {
			return nil, err
		}
		for _, o := range page.Contents {
			if name := strings.TrimPrefix(o.Key, s.prefix); name != "" && !strings.Contains(name, "/") {
				all = append(all, checkpoint.Object{Name: name, Bytes: o.Size})
			}
		}
		after = page.next()
	}
	return all, nil
}

// pageKeys is the largest number of objects that a server lists in one answer.
const pageKeys = 1000

// Remove implements checkpoint.Store.
func (s *Store) Remove(ctx context.Context, name string) error {
	return s.retry(ctx, "removing "+name, func(ctx context.Context) error {
		_, err := s.result(ctx, request{method: http.MethodDelete, key: s.key(name)}, nil)
		if missing(err) {
			return nil
		}
		return err
	})
}

// Lock implements checkpoint.Store. It reserves nothing: see the package comment.
func (s *Store) Lock(context.Context) (unlock func() error, err error) {
	return func() error {
		s.transport.CloseIdleConnections()
		return nil
	}, nil
}
