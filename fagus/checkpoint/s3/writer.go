package s3

import (
	"context"
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"time"
)

// mostParts is how many parts an upload may have.
const mostParts = 10000

// writerHeader has the random text of the writer of an object.
const writerHeader = "X-Amz-Meta-Fagus-Writer"

// writer is a checkpoint.Writer. It fills one buffer while the other is sent. An object that fits
// one buffer is sent by a single request.
type writer struct {
	store *Store
	ctx   context.Context
	name  string
	self  string // random text

	buffer []byte // data that are not yet sent
	spare  []byte // the other buffer
	upload string // the upload's id; "": not begun
	parts  []part
	sent   chan sent // the result of the part that is being sent; nil: none is
	err    error     // the first
}

// sent is the result of sending a part.
type sent struct {
	part   part
	buffer []byte
	err    error
}

func newWriter(ctx context.Context, s *Store, name string) *writer {
	return &writer{store: s, ctx: ctx, name: name, self: rand.Text()}
}

// Write implements io.Writer. It may return the error of data written earlier.
func (w *writer) Write(p []byte) (n int, err error) {
	for len(p) > 0 && w.err == nil {
		if len(w.buffer) == w.store.part {
			w.err = w.flush()
			continue
		}
		now := min(len(p), w.store.part-len(w.buffer))
		if need := len(w.buffer) + now; need > cap(w.buffer) {
			// append would reserve more than a part.
			size := min(max(need, 2*cap(w.buffer), 64<<10), w.store.part)
			w.buffer = append(make([]byte, 0, size), w.buffer...)
		}
		w.buffer = append(w.buffer, p[:now]...)
		p, n = p[now:], n+now
	}
	return n, w.err
}

// flush begins to send the buffer as the next part, when the previous one has been sent.
func (w *writer) flush() error {
	if err := w.wait(); err != nil {
		return err
	}
	if w.upload == "" {
		if err := w.begin(); err != nil {
			return err
		}
	}
	number := len(w.parts) + 1
	if number > mostParts {
		return fmt.Errorf("s3: %v: writing %s: it has more than %d parts of %d MiB: set a larger part-mib in the URL", w.store, w.name, mostParts, w.store.part>>20)
	}
	data, result := w.buffer, make(chan sent, 1)
	w.buffer, w.spare, w.sent = w.spare[:0], nil, result
	go func() {
		part, err := w.send(number, data)
		result <- sent{part, data, err}
	}()
	return nil
}

// wait waits until no part is being sent.
func (w *writer) wait() error {
	if w.sent == nil {
		return nil
	}
	result := <-w.sent
	w.sent, w.spare = nil, result.buffer
	if result.err != nil {
		return result.err
	}
	w.parts = append(w.parts, result.part)
	return nil
}

func (w *writer) begin() error {
	return w.store.retry(w.ctx, "creating "+w.name, func(ctx context.Context) (err error) {
		var begun struct{ UploadId string }
		_, err = w.store.result(ctx, request{method: http.MethodPost, key: w.store.key(w.name), query: url.Values{"uploads": {""}}, header: w.header()}, &begun)
		w.upload = begun.UploadId
		return err
	})
}

// header marks an object as written by this writer.
func (w *writer) header() http.Header { return http.Header{writerHeader: {w.self}} }

// send sends a part. The server compares its checksum.
func (w *writer) send(number int, data []byte) (sent part, err error) {
	err = w.store.retry(w.ctx, fmt.Sprintf("writing part %d of %s", number, w.name), func(ctx context.Context) error {
		header, err := w.store.result(ctx, request{method: http.MethodPut, key: w.store.key(w.name), body: data,
			query: url.Values{"uploadId": {w.upload}, "partNumber": {fmt.Sprint(number)}}}, nil)
		sent = part{PartNumber: number, ETag: header.Get("ETag")}
		return err
	})
	return sent, err
}

// Commit implements checkpoint.Writer.
func (w *writer) Commit() error {
	if w.err == nil && w.upload != "" && len(w.buffer) > 0 {
		w.err = w.flush()
	}
	if err := w.wait(); w.err == nil {
		w.err = err
	}
	if w.err == nil {
		w.err = w.store.retry(w.ctx, "committing "+w.name, w.commit)
	}
	if w.err != nil {
		w.abort()
	}
	return w.err
}

// commit makes the object appear. It may be called again, because an answer may get lost.
func (w *writer) commit(ctx context.Context) error {
	if mine, err := w.written(ctx); mine || err != nil {
		return err
	}
	err := w.complete(ctx, !w.store.unconditional.Load())
	code, status := answer(err)
	if code == "NotImplemented" || status == http.StatusNotImplemented {
		w.store.unconditional.Store(true)
		err = w.complete(ctx, false)
		code, status = answer(err)
	}
	if status == http.StatusPreconditionFailed || status == http.StatusConflict || code == preconditionFailed || missing(err) {
		// Either this writer completed the upload earlier, or another writer was faster.
		if mine, found := w.written(ctx); mine || found != nil {
			return found
		}
		return errors.New(code + ": the object was neither written nor existed before: write it again")
	}
	return err
}

// written reports whether this writer wrote the object. If another did, the error is fs.ErrExist.
func (w *writer) written(ctx context.Context) (bool, error) {
	header, err := w.store.head(ctx, w.name)
	switch {
	case missing(err):
		return false, nil
	case err != nil:
		return false, err
	case header.Get(writerHeader) != w.self:
		return false, fs.ErrExist
	}
	return true, nil
}

// complete makes the object from the sent parts, unless it exists and the server can tell.
func (w *writer) complete(ctx context.Context, conditional bool) error {
	r := request{method: http.MethodPut, key: w.store.key(w.name), header: w.header(), body: w.buffer}
	if conditional {
		r.header.Set("If-None-Match", "*")
	}
	if w.upload == "" {
		_, err := w.store.result(ctx, r, nil)
		return err
	}
	r.header.Del(writerHeader) // the upload has it
	parts := struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []part
	}{Part: w.parts}
	var err error
	if r.body, err = xml.Marshal(parts); err != nil {
		return err
	}
	r.method, r.query = http.MethodPost, url.Values{"uploadId": {w.upload}}
	var done struct{ Key string }
	_, err = w.store.result(ctx, r, &done)
	return err
}

// Abort implements checkpoint.Writer.
func (w *writer) Abort() {
	_ = w.wait() // the parts are useless
	w.abort()
}

// abortTime is how long a run waits for an abort.
const abortTime = 10 * time.Second

// abort makes the server forget the parts, even if the run has ended.
func (w *writer) abort() {
	w.buffer, w.spare = nil, nil
	if w.upload == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), abortTime)
	defer cancel()
	// If this fails, the bucket removes the upload by its lifecycle rule: see the package comment.
	_ = w.store.retry(ctx, "aborting "+w.name, func(ctx context.Context) error {
		_, err := w.store.result(ctx, request{method: http.MethodDelete, key: w.store.key(w.name), query: url.Values{"uploadId": {w.upload}}}, nil)
		if missing(err) {
			return nil
		}
		return err
	})
}
