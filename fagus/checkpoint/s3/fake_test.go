package s3

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// bucket is a bucket in memory with the parts of S3 that this package uses. Unlike the gateway of
// the longer tests it takes no time to build, permits parts of any size, and can delay requests.
type bucket struct {
	mu      sync.Mutex
	objects map[string]stored
	uploads map[string]map[int][]byte
	number  int // of uploads and ETags so far
	aborted int
	// hook, if not nil, is called before each request, without the lock. true: it answered.
	hook hook
	cut  int // GET sends no more bytes than this; 0: all
}

type hook func(w http.ResponseWriter, r *http.Request, body []byte) bool

type stored struct {
	data         []byte
	etag, writer string
}

func newBucket(t *testing.T, part int) (*bucket, *Store) {
	t.Helper()
	b := &bucket{objects: map[string]stored{}, uploads: map[string]map[int][]byte{}}
	front := httptest.NewServer(b)
	t.Cleanup(front.Close)
	t.Cleanup(front.CloseClientConnections)
	s, err := open(t.Context(), "s3://bucket/job?endpoint="+front.URL, brief(func(l *limits) { l.part = part }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.transport.CloseIdleConnections)
	return b, s
}

// setHook sets the hook of later requests. An abandoned request may still be on its way.
func (b *bucket) setHook(h hook) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hook = h
}

func (b *bucket) etag() string { b.number++; return fmt.Sprintf("%032x", b.number) }

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	body = unsigned(r, body)
	b.mu.Lock()
	h := b.hook
	b.mu.Unlock()
	if err != nil || h != nil && h(w, r, body) {
		return
	}
	b.serve(w, r, body)
}

// serve answers a request.
func (b *bucket) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.TrimPrefix(r.URL.Path, "/bucket/")
	q := r.URL.Query()
	upload := q.Get("uploadId")
	refuse := func(status int, code string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
	}
	switch old, exists := b.objects[key]; {
	case r.Method == http.MethodGet && q.Has("list-type"):
		b.list(w, q.Get("prefix"), cmp.Or(q.Get("continuation-token"), q.Get("start-after")), q.Get("max-keys"))
	case r.Method == http.MethodPost && q.Has("uploads"):
		b.number++
		id := fmt.Sprint("upload", b.number, " ", r.Header.Get(writerHeader))
		b.uploads[id] = map[int][]byte{}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>%s</Key><UploadId>%s</UploadId></InitiateMultipartUploadResult>", key, id)
	case upload != "" && b.uploads[upload] == nil:
		refuse(http.StatusNotFound, noSuchUpload)
	case r.Method == http.MethodPut && upload != "":
		n, _ := strconv.Atoi(q.Get("partNumber"))
		b.uploads[upload][n] = body
		w.Header().Set("ETag", `"`+b.etag()+`"`)
	case r.Method == http.MethodDelete && upload != "":
		delete(b.uploads, upload)
		b.aborted++
		w.WriteHeader(http.StatusNoContent)
	case exists && r.Header.Get("If-None-Match") == "*":
		refuse(http.StatusPreconditionFailed, preconditionFailed)
	case r.Method == http.MethodPost:
		var parts struct {
			Part []struct{ PartNumber int }
		}
		_ = xml.Unmarshal(body, &parts) // no parts then
		var all []byte
		for _, p := range parts.Part {
			all = append(all, b.uploads[upload][p.PartNumber]...)
		}
		_, writer, _ := strings.Cut(upload, " ")
		b.objects[key] = stored{all, b.etag(), writer}
		delete(b.uploads, upload)
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>bucket</Bucket><Key>%s</Key><ETag>%s</ETag></CompleteMultipartUploadResult>", key, b.objects[key].etag)
	case r.Method == http.MethodPut:
		b.objects[key] = stored{body, b.etag(), r.Header.Get(writerHeader)}
		w.Header().Set("ETag", `"`+b.objects[key].etag+`"`)
	case r.Method == http.MethodDelete:
		delete(b.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !exists:
		refuse(http.StatusNotFound, noSuchKey)
	case r.Header.Get("If-Match") != "" && strings.Trim(r.Header.Get("If-Match"), `"`) != old.etag:
		refuse(http.StatusPreconditionFailed, preconditionFailed)
	default:
		b.get(w, r, old)
	}
}

// unsigned returns the data of a body in which each chunk has a signature.
func unsigned(r *http.Request, body []byte) (data []byte) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return body
	}
	for {
		head, rest, _ := bytes.Cut(body, []byte("\r\n"))
		size, _, _ := bytes.Cut(head, []byte(";"))
		n, err := strconv.ParseUint(string(size), 16, 31)
		if err != nil || n == 0 || n > uint64(len(rest)) {
			return data
		}
		data, body = append(data, rest[:n]...), bytes.TrimPrefix(rest[n:], []byte("\r\n"))
	}
}

func (b *bucket) get(w http.ResponseWriter, r *http.Request, o stored) {
	lo, hi := 0, len(o.data)-1
	_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &lo, &hi) // no range: all
	h := w.Header()
	h.Set("ETag", `"`+o.etag+`"`)
	h.Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
	h.Set(writerHeader, o.writer)
	h.Set("Content-Length", fmt.Sprint(hi-lo+1))
	if r.Header.Get("Range") != "" {
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", lo, hi, len(o.data)))
		w.WriteHeader(http.StatusPartialContent)
	}
	if r.Method == http.MethodHead {
		return
	}
	data := o.data[lo : hi+1]
	if b.cut > 0 && len(data) > b.cut {
		_, _ = w.Write(data[:b.cut])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(data)
}

func (b *bucket) list(w io.Writer, prefix, after, most string) {
	keys := make([]string, 0, len(b.objects))
	for key := range b.objects {
		if strings.HasPrefix(key, prefix) && key > after {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	n, _ := strconv.Atoi(most)
	more := n < len(keys)
	fmt.Fprintf(w, "<ListBucketResult><Name>bucket</Name><IsTruncated>%t</IsTruncated>", more)
	if more {
		keys = keys[:n]
		fmt.Fprintf(w, "<NextContinuationToken>%s</NextContinuationToken>", keys[n-1])
	}
	for _, key := range keys {
		fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size><LastModified>2006-01-02T15:04:05.000Z</LastModified></Contents>", key, len(b.objects[key].data))
	}
	fmt.Fprint(w, "</ListBucketResult>")
}

func sampleBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8*3)
	}
	return b
}

// writePieces writes an object in pieces of the given size.
func writePieces(t *testing.T, s *Store, name string, data []byte, piece int) error {
	t.Helper()
	w, err := s.Create(t.Context(), name)
	if err != nil {
		return err
	}
	for p := range slices.Chunk(data, piece) {
		if _, err := w.Write(p); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Commit()
}

// TestFakeSizes: objects of all sizes around the size of a part are written and read whole, in
// pieces of any size; no upload is left.
func TestFakeSizes(t *testing.T) {
	const part = 1000
	b, s := newBucket(t, part)
	for _, n := range []int{0, 1, part - 1, part, part + 1, 2 * part, 3*part - 1, 5 * part} {
		for _, piece := range []int{7 * part, part, 333} {
			name, want := fmt.Sprintf("o%d-%d", n, piece), sampleBytes(n)
			if err := writePieces(t, s, name, want, piece); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			r, err := s.Open(t.Context(), name)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := make([]byte, n)
			if k, err := r.ReadAt(got, 0); k != n || err != nil && n > 0 || r.Size() != int64(n) || !bytes.Equal(got, want) {
				t.Errorf("%s: %d of %d bytes, %v", name, k, r.Size(), err)
			}
			for _, at := range []int{0, n / 2, n - 1, n, n + 1} {
				one := []byte{0xee, 0xee}
				k, err := r.ReadAt(one, int64(at))
				if at < 0 {
					continue
				}
				if wanted := max(0, min(2, n-at)); k != wanted || !bytes.Equal(one[:k], want[min(at, n):][:k]) || (err == io.EOF) != (k < 2) {
					t.Errorf("%s: 2 bytes at %d: %d, %v", name, at, k, err)
				}
			}
			if err := writePieces(t, s, name, want, piece); !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s: written twice: %v", name, err)
			}
		}
	}
	if len(b.uploads) > 0 {
		t.Errorf("%d uploads are left", len(b.uploads))
	}
}

// TestFakeBuffers: while a part is being sent, the next one is filled in other memory.
func TestFakeBuffers(t *testing.T) {
	b, s := newBucket(t, 1000)
	w := newWriter(t.Context(), s, "o")
	if err := w.begin(); err != nil {
		t.Fatal(err)
	}
	hold := make(chan struct{})
	b.setHook(func(http.ResponseWriter, *http.Request, []byte) bool { <-hold; return false })
	for i := range 4 {
		w.buffer = append(w.buffer[:0], sampleBytes(1000)...)
		sending := &w.buffer[0]
		go func() { hold <- struct{}{} }() // the part before
		if err := w.flush(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			<-hold // nothing was sent before
		}
		if len(w.buffer) > 0 || cap(w.buffer) > 0 && &w.buffer[:1][0] == sending {
			t.Fatalf("part %d: the buffer that is being sent is filled", i+1)
		}
	}
	close(hold)
	w.Abort()
}

// TestFakeMostParts: an upload may have as many parts as S3 permits, and not one more.
func TestFakeMostParts(t *testing.T) {
	b, s := newBucket(t, 10)
	w := newWriter(t.Context(), s, "o")
	if err := w.begin(); err != nil {
		t.Fatal(err)
	}
	w.parts = make([]part, mostParts-1) // as if they had been sent
	for i := range 2 {
		w.buffer = sampleBytes(10)
		if err := errors.Join(w.flush(), w.wait()); (err == nil) != (i == 0) {
			t.Errorf("part %d of %d: %v", mostParts+i, mostParts, err)
		}
	}
	if w.Abort(); len(b.uploads) > 0 {
		t.Errorf("%d uploads are left", len(b.uploads))
	}
}

// TestFakeLists: a list has all objects of the prefix, however many pages it takes.
func TestFakeLists(t *testing.T) {
	for _, n := range []int{0, 1, pageKeys - 1, pageKeys, pageKeys + 1, 2*pageKeys + 7} {
		b, s := newBucket(t, 10)
		b.objects["job2/other"], b.objects["jo"], b.objects["job/sub/other"] = stored{}, stored{}, stored{}
		for i := range n {
			b.objects[fmt.Sprintf("job/o%06d", i)] = stored{data: make([]byte, i%5)}
		}
		all, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range all {
			if o.Name != fmt.Sprintf("o%06d", i) || o.Bytes != int64(i%5) {
				t.Fatalf("object %d of %d is %+v", i, n, o)
			}
		}
		if len(all) != n {
			t.Errorf("a list of %d objects has %d", n, len(all))
		}
	}
}

// TestFakeBrokenReads: a read whose connection breaks repeatedly continues where it stopped.
func TestFakeBrokenReads(t *testing.T) {
	b, s := newBucket(t, 1<<20)
	want := sampleBytes(3 << 20)
	if err := writePieces(t, s, "o", want, 1<<20); err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(t.Context(), "o")
	if err != nil {
		t.Fatal(err)
	}
	b.cut = 400_000
	for _, at := range []int{0, 1, 1 << 20} {
		got := make([]byte, windowBytes+5)
		if n, err := r.ReadAt(got, int64(at)); n != len(got) || err != nil || !bytes.Equal(got, want[at:][:n]) {
			t.Errorf("%d bytes at %d are damaged, %v", n, at, err)
		}
	}
}

// TestFakeReplaced: when an object is replaced while it is open, nothing more is read of it: not
// from the server, and not from the window of the old object.
func TestFakeReplaced(t *testing.T) {
	b, s := newBucket(t, 1<<20)
	for _, name := range []string{"job/a", "job/b"} {
		b.objects[name] = stored{data: bytes.Repeat([]byte{name[4]}, 200_000), etag: b.etag()}
	}
	read := func(r checkpoint.Reader, at int64) (string, error) {
		p := make([]byte, 3)
		_, err := r.ReadAt(p, at)
		return string(p), err
	}
	opened := make(map[string]checkpoint.Reader)
	for _, name := range []string{"a", "b"} {
		r, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		opened[name] = r
		if got, err := read(r, 70_000); err != nil || got != strings.Repeat(name, 3) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	b.objects["job/a"] = stored{data: bytes.Repeat([]byte{'A'}, 200_000), etag: b.etag()}
	anew, err := s.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(anew, 70_000); err != nil || got != "AAA" {
		t.Errorf("the object that has replaced another reads %q, %v", got, err)
	}
	if got, err := read(opened["a"], 10); err == nil || got == "AAA" {
		t.Errorf("an object that was replaced reads %q, %v", got, err)
	}
	if got, err := read(opened["b"], 70_001); err != nil || got != "bbb" {
		t.Errorf("another object reads %q, %v", got, err)
	}
}

// TestFakeWindows: a window serves reads up to its last byte, of its object and version only. When
// there are too many windows, the oldest is dropped.
func TestFakeWindows(t *testing.T) {
	var ws windows
	s := &Store{}
	r := func(name, etag string) *reader { return &reader{store: s, name: name, etag: etag} }
	ws.add(window{"o", "1", 100, sampleBytes(50)})
	for _, c := range []struct {
		r     *reader
		at    int64
		n     int
		found bool
	}{
		{r("o", "1"), 100, 50, true}, {r("o", "1"), 100, 51, false}, {r("o", "1"), 99, 1, false}, {r("o", "1"), 149, 1, true},
		{r("o", "1"), 150, 1, false}, {r("o", "2"), 100, 50, false}, {r("p", "1"), 100, 50, false},
	} {
		data := ws.find(c.r, c.at, c.n)
		if (data != nil) != c.found || c.found && !bytes.Equal(data[:c.n], sampleBytes(50)[c.at-100:][:c.n]) {
			t.Errorf("%d bytes at %d of %s %s: found %t, want %t", c.n, c.at, c.r.name, c.r.etag, data != nil, c.found)
		}
	}
	for i := range mostWindows - 1 {
		ws.add(window{fmt.Sprint(i), "1", 0, sampleBytes(1)})
	}
	if ws.find(r("o", "1"), 100, 1) == nil {
		t.Errorf("with %d windows, the oldest is gone", mostWindows)
	}
	ws.add(window{"more", "1", 0, sampleBytes(1)}) // "o" was used last, so that "0" goes
	if ws.find(r("o", "1"), 100, 1) == nil || ws.find(r("0", "1"), 0, 1) != nil || len(ws.all) != mostWindows {
		t.Errorf("%d windows: the one that was used last is gone, or the oldest is not", len(ws.all))
	}
}

// TestFakeRivals: of two writers of an object, one writes it and the other gets ErrExist, in
// whichever order they commit, even if the answer to the first is lost. No upload is left.
func TestFakeRivals(t *testing.T) {
	for _, size := range []int{5, 35} { // by one request, and by an upload
		for _, lostAnswer := range []bool{false, true} {
			b, s := newBucket(t, 10)
			var all [2]checkpoint.Writer
			for i := range all {
				var err error
				if all[i], err = s.Create(t.Context(), "o"); err != nil {
					t.Fatal(err)
				}
				if _, err := all[i].Write(bytes.Repeat([]byte{byte('0' + i)}, size)); err != nil {
					t.Fatal(err)
				}
			}
			if lostAnswer {
				var once sync.Once
				b.setHook(func(_ http.ResponseWriter, r *http.Request, body []byte) bool {
					completes := r.Method == http.MethodPut && !r.URL.Query().Has("partNumber") || r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
					lost := false
					if completes {
						once.Do(func() { lost = true })
					}
					if lost { // the server obeys, and its answer is lost
						b.serve(httptest.NewRecorder(), r, body)
						panic(http.ErrAbortHandler)
					}
					return false
				})
			}
			if err := all[1].Commit(); err != nil {
				t.Errorf("size %d, lost %t: the first to commit: %v", size, lostAnswer, err)
			}
			if err := all[0].Commit(); !errors.Is(err, fs.ErrExist) {
				t.Errorf("size %d, lost %t: the second to commit: %v, want that it exists", size, lostAnswer, err)
			}
			if got := string(b.objects["job/o"].data); got != strings.Repeat("1", size) {
				t.Errorf("size %d, lost %t: the object is %q", size, lostAnswer, got)
			}
			if len(b.uploads) > 0 {
				t.Errorf("size %d, lost %t: %d uploads are left", size, lostAnswer, len(b.uploads))
			}
		}
	}
}

// TestFakeFailures: when a writer's request fails permanently, the writer returns the error, and
// no upload is left.
func TestFakeFailures(t *testing.T) {
	for _, failing := range []string{"uploads", "partNumber", "complete"} {
		b, s := newBucket(t, 10)
		b.setHook(func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			q := r.URL.Query()
			fails := q.Has(failing) || failing == "complete" && r.Method == http.MethodPost && q.Has("uploadId")
			if fails {
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
			}
			return fails
		})
		if err := writePieces(t, s, "o", sampleBytes(45), 45); err == nil {
			t.Errorf("%s fails, and the writer does not", failing)
		}
		if len(b.uploads) > 0 || len(b.objects) > 0 {
			t.Errorf("%s fails: %d uploads are left, and %d objects", failing, len(b.uploads), len(b.objects))
		}
	}
}
