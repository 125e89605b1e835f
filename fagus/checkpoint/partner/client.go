package partner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// mostList bounds the bytes of a list, and mostAnswer bounds the text of an error.
const (
	mostList   = 64 << 20
	mostAnswer = 200
)

// client reaches the memory of another host.
type client struct {
	home     int // the number of the host
	address  string
	scheme   string
	http     *http.Client
	patience time.Duration
}

func newClient(home int, address string, id *identity.Identity, patience time.Duration) *client {
	dialer := net.Dialer{Timeout: patience / 3}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &steadyConn{c, patience}, nil
		},
		TLSHandshakeTimeout:   patience, // in a crowd, a server takes some seconds
		ResponseHeaderTimeout: patience,
		IdleConnTimeout:       patience / 2, // earlier than the server ends it
		DisableCompression:    true, MaxIdleConnsPerHost: 4, MaxResponseHeaderBytes: mostHeader,
	}
	c := &client{home: home, address: address, scheme: "http", http: &http.Client{Transport: transport}, patience: patience}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if id != nil {
		c.scheme = "https"
		transport.TLSClientConfig = id.Client(dimmnet.Rank(home))
		transport.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	return c
}

// request returns a request for a path of the memory.
func (c *client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, method, c.scheme+"://"+c.address+path, body)
}

func objectPath(home int, name string) string { return fmt.Sprintf("/%d/%s", home, name) }

// do makes a request without a body. The answer must have the wanted code; do returns at most most
// bytes of it.
func (c *client) do(ctx context.Context, method, path string, header http.Header, code int, most int64) ([]byte, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*c.patience)
	defer cancel()
	r, err := c.request(ctx, method, path, nil)
	if err != nil {
		return nil, nil, err
	}
	if header != nil {
		r.Header = header
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	if err := refusal(answer, code); err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if int64(len(text)) > most {
		err = fmt.Errorf("the answer has more than %d bytes", most)
	}
	return text, answer.Header, err
}

// refusal returns the error that an answer reports, unless it has the wanted code.
func refusal(answer *http.Response, want int) error {
	var kind error
	switch answer.StatusCode {
	case want:
		return nil
	case http.StatusNotFound:
		kind = fs.ErrNotExist
	case http.StatusConflict:
		kind = fs.ErrExist
	case http.StatusInsufficientStorage:
		kind = syscall.ENOSPC
	default:
		kind = errors.New(answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if said := strings.TrimSpace(string(text)); err == nil && said != "" {
		return fmt.Errorf("%w: it says: %q", kind, said)
	}
	return kind
}

// size returns the size of an object of a home, in bytes.
func (c *client) size(ctx context.Context, home int, name string) (int64, error) {
	_, header, err := c.do(ctx, http.MethodHead, objectPath(home, name), nil, http.StatusOK, 0)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(header.Get("Content-Length"), 10, 64)
}

// readAt fills p with bytes of an object of a home.
func (c *client) readAt(ctx context.Context, home int, name string, p []byte, at int64) error {
	span := http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", at, at+int64(len(p))-1)}}
	b, _, err := c.do(ctx, http.MethodGet, objectPath(home, name), span, http.StatusPartialContent, int64(len(p)))
	if err == nil && len(b) < len(p) {
		err = io.ErrUnexpectedEOF
	}
	copy(p, b)
	return err
}

func (c *client) list(ctx context.Context) (all []checkpoint.Object, err error) {
	text, _, err := c.do(ctx, http.MethodGet, "/", nil, http.StatusOK, mostList)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("its list of objects: %w", err)
	}
	for _, o := range all {
		if err := checkName(o.Name); err != nil {
			return nil, fmt.Errorf("its list of objects: %w", err)
		}
	}
	return all, nil
}

func (c *client) remove(ctx context.Context, name string) error {
	_, _, err := c.do(ctx, http.MethodDelete, "/"+name, nil, http.StatusNoContent, 0)
	return err
}

// upload writes an object to another host.
type upload struct {
	client *client
	to     *io.PipeWriter
	result chan error // of the request; capacity 1
}

// create begins an upload of an object of a home.
func (c *client) create(ctx context.Context, home int, name string) (*upload, error) {
	from, to := io.Pipe()
	body := &summed{PipeReader: from, trailer: http.Header{sumTrailer: nil}, sum: newSum()}
	r, err := c.request(ctx, http.MethodPut, objectPath(home, name), body)
	if err != nil {
		return nil, err
	}
	r.Trailer = body.trailer
	u := &upload{client: c, to: to, result: make(chan error, 1)}
	go func() {
		answer, err := c.http.Do(r)
		if err == nil {
			err = refusal(answer, http.StatusCreated)
			_ = answer.Body.Close() // the answer has no body
		}
		u.result <- err
		_ = from.Close() // never fails; the writer gets the result
	}()
	return u, nil
}

// summed is the body of an upload, which sets the trailer at its end.
type summed struct {
	*io.PipeReader
	trailer http.Header
	bytes   int64
	sum     hash.Hash32
}

// Read implements io.Reader.
func (s *summed) Read(p []byte) (int, error) {
	n, err := s.PipeReader.Read(p)
	s.bytes += int64(n)
	_, _ = s.sum.Write(p[:n]) // never fails
	if err == io.EOF {
		s.trailer.Set(sumTrailer, sumText(s.bytes, s.sum.Sum32()))
	}
	return n, err
}

// Write implements io.Writer.
func (u *upload) Write(p []byte) (int, error) {
	n, err := u.to.Write(p)
	if err != nil {
		err = u.ended(err)
	}
	return n, err
}

// ended returns the error with which the request ended, or err.
func (u *upload) ended(err error) error {
	result := <-u.result // each step of the request is bounded
	u.result <- result
	if result == nil {
		result = err
	}
	return u.client.wrap(result)
}

// commit returns when the other host has the object.
func (u *upload) commit() error {
	_ = u.to.Close() // never fails
	return u.client.wrap(<-u.result)
}

// errAborted ends the request of an upload that is given up.
var errAborted = errors.New("given up")

func (u *upload) abort() {
	_ = u.to.CloseWithError(errAborted) // never fails
	<-u.result
}

// wrap names the host in an error.
func (c *client) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the memory of host %d (%s): %w", c.home, c.address, err)
}
