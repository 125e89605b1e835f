package csession

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// protocol is the version of the messages. Client and Serve must have the same.
const protocol = 4

// Sizes of the fixed parts of a request, a response and a span, in bytes.
const (
	requestBytes  = 56
	responseBytes = 40
	spanBytes     = 24
)

// verb is the call that a request makes.
type verb uint8

const (
	verbHello verb = iota // first request: the protocol version; response: the rank and the size
	verbAlloc
	verbBind
	verbNewSet
	verbAdd
	verbAddUnordered
	verbClear
	verbAcquire
	verbRelease
	verbWrote
	verbUpdate
	verbBarrier
	verbFence
	verbReduceInt
	verbReduceFloat
	verbSpend
	verbEnd
)

// request is a call that a Client sends to its server. All numbers are little endian, sizes in
// bytes:
//
//	0 verb   4 size of name (4)   8 number of spans (4)   12 zero (4)   16 size of data (8)
//	24 numbers (3 x 8)   48 float (8)
//
// The name, the spans (24 bytes each) and the data follow. The data of a release is the content
// of the variables that the rank holds exclusively.
type request struct {
	Verb    verb
	Name    string
	Numbers [3]int64
	Float   float64
	Spans   []Span
	Data    int64 // size of the data in bytes
}

func (q *request) encode() []byte {
	b := make([]byte, requestBytes, requestBytes+len(q.Name)+spanBytes*len(q.Spans))
	b[0] = byte(q.Verb)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(q.Name)))
	binary.LittleEndian.PutUint32(b[8:], uint32(len(q.Spans)))
	binary.LittleEndian.PutUint64(b[16:], uint64(q.Data))
	for i, n := range q.Numbers {
		binary.LittleEndian.PutUint64(b[24+8*i:], uint64(n))
	}
	binary.LittleEndian.PutUint64(b[48:], math.Float64bits(q.Float))
	b = append(b, q.Name...)
	for _, p := range q.Spans {
		b = binary.LittleEndian.AppendUint64(b, uint64(p.Array))
		b = binary.LittleEndian.AppendUint64(b, uint64(p.Offset))
		b = binary.LittleEndian.AppendUint64(b, uint64(p.Bytes))
	}
	return b
}

func readRequest(r io.Reader) (q request, err error) {
	var b [requestBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return q, err
	}
	name, spans := binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	q.Verb, q.Data = verb(b[0]), int64(binary.LittleEndian.Uint64(b[16:]))
	for i := range q.Numbers {
		q.Numbers[i] = int64(binary.LittleEndian.Uint64(b[24+8*i:]))
	}
	q.Float = math.Float64frombits(binary.LittleEndian.Uint64(b[48:]))
	if name > MaxName || spans > MaxSpans {
		return q, fmt.Errorf("csession: decoding a request: a name of %d bytes and %d spans: want at most %d and %d", name, spans, MaxName, MaxSpans)
	}
	if q.Name, err = readText(r, name); err != nil {
		return q, err
	}
	for range spans {
		if err := readAll(r, b[:spanBytes]); err != nil {
			return q, err
		}
		number := func(i int) int { return int(int64(binary.LittleEndian.Uint64(b[8*i:]))) }
		q.Spans = append(q.Spans, Span{number(0), number(1), number(2)})
	}
	return q, nil
}

// response is the result of a call, little endian, sizes in bytes:
//
//	0 code (4)   4 size of text (4)   8 size of data (8)   16 numbers (2 x 8)   32 float (8)
//
// The text and the data follow. The data of an acquire is the content of the acquired variables,
// the data of an update the content of all variables that the rank has ever acquired.
type response struct {
	Code    Code
	Text    string
	Numbers [2]int64
	Float   float64
	Data    int64 // size of the data in bytes
}

func (a *response) encode() []byte {
	text := a.Text[:min(len(a.Text), maxText)]
	b := make([]byte, responseBytes, responseBytes+len(text))
	binary.LittleEndian.PutUint32(b, uint32(a.Code))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(text)))
	binary.LittleEndian.PutUint64(b[8:], uint64(a.Data))
	for i, n := range a.Numbers {
		binary.LittleEndian.PutUint64(b[16+8*i:], uint64(n))
	}
	binary.LittleEndian.PutUint64(b[32:], math.Float64bits(a.Float))
	return append(b, text...)
}

// maxText is the maximum length of a response's text in bytes.
const maxText = 2 * MaxName

func readResponse(r io.Reader) (a response, err error) {
	var b [responseBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return a, err
	}
	text := binary.LittleEndian.Uint32(b[4:])
	a.Code, a.Data = Code(binary.LittleEndian.Uint32(b[:])), int64(binary.LittleEndian.Uint64(b[8:]))
	for i := range a.Numbers {
		a.Numbers[i] = int64(binary.LittleEndian.Uint64(b[16+8*i:]))
	}
	a.Float = math.Float64frombits(binary.LittleEndian.Uint64(b[32:]))
	switch {
	case a.Code < OK || a.Code >= codes || text > maxText:
		return a, fmt.Errorf("csession: decoding a response: code %d is unknown, or %d bytes of text are too many", int32(a.Code), text)
	case a.Code != OK && a.Data != 0:
		return a, fmt.Errorf("csession: decoding a response: %d bytes of data after the error %q: want none", a.Data, a.Code.String())
	}
	a.Text, err = readText(r, text)
	return a, err
}

func readText(r io.Reader, bytes uint32) (string, error) {
	b := make([]byte, bytes)
	err := readAll(r, b)
	return string(b), err
}

// readAll fills b. It returns io.ErrUnexpectedEOF if the connection ends first.
func readAll(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	if err == io.EOF && len(b) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}
