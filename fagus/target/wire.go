package target

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// protocol changes when what travels does: library and launcher may have been installed at different times.
const protocol = 2

// What a question and an answer have before names and data.
const (
	questionBytes = 56
	answerBytes   = 40
	spanBytes     = 24
)

// verb is a call that travels.
type verb uint8

const (
	verbHello verb = iota // the first, with the protocol: its answer has rank and size
	verbAlloc
	verbBind
	verbNewSet
	verbAsk
	verbClear
	verbAcquire
	verbRelease
	verbWrote
	verbUpdate
	verbBarrier
	verbReduceInt
	verbReduceFloat
	verbSpend
	verbEnd
)

// question is a call on its way to where the Node is, little endian:
//
//	0 verb   4 bytes of name (4)   8 spans (4)   12 0 (4)   16 bytes of data (8)   24 numbers (3 x 8)   48 float (8)
//
// and then the name, the spans (24 bytes each), and the data: with a release, what the rank has in the exclusive variables, one
// after another.
type question struct {
	Verb    verb
	Name    string
	Numbers [3]int64
	Float   float64
	Spans   []Span
	Data    int64 // bytes
}

// encode is a question without its data.
func (q *question) encode() []byte {
	b := make([]byte, questionBytes, questionBytes+len(q.Name)+spanBytes*len(q.Spans))
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

// readQuestion reads a question but its data. It uses no more memory than a few times what has come. The error is io.EOF if nothing comes.
func readQuestion(r io.Reader) (q question, err error) {
	var b [questionBytes]byte
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
		return q, fmt.Errorf("target: a call with a name of %d bytes and %d spans: %d and %d are the most", name, spans, MaxName, MaxSpans)
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

// answer is what it returns, little endian:
//
//	0 code (4)   4 bytes of text (4)   8 bytes of data (8)   16 numbers (2 x 8)   32 float (8)
//
// and then the text and the data: of an acquire, what was acquired; of an update, all that the rank has had.
type answer struct {
	Code    Code
	Text    string
	Numbers [2]int64
	Float   float64
	Data    int64 // bytes
}

// encode is an answer without its data.
func (a *answer) encode() []byte {
	text := a.Text[:min(len(a.Text), maxText)]
	b := make([]byte, answerBytes, answerBytes+len(text))
	binary.LittleEndian.PutUint32(b, uint32(a.Code))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(text)))
	binary.LittleEndian.PutUint64(b[8:], uint64(a.Data))
	for i, n := range a.Numbers {
		binary.LittleEndian.PutUint64(b[16+8*i:], uint64(n))
	}
	binary.LittleEndian.PutUint64(b[32:], math.Float64bits(a.Float))
	return append(b, text...)
}

// maxText is how many bytes an answer has at most to say what is wrong.
const maxText = 2 * MaxName

// readAnswer reads an answer but its data.
func readAnswer(r io.Reader) (a answer, err error) {
	var b [answerBytes]byte
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
		return a, fmt.Errorf("target: an answer of %v with %d bytes of text", a.Code, text)
	case a.Code != OK && a.Data != 0:
		return a, fmt.Errorf("target: %d bytes with %v", a.Data, a.Code)
	}
	a.Text, err = readText(r, text)
	return a, err
}

func readText(r io.Reader, bytes uint32) (string, error) {
	b := make([]byte, bytes)
	err := readAll(r, b)
	return string(b), err
}

// readAll fills b. What ends before that is torn.
func readAll(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	if err == io.EOF && len(b) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}
