package codec

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

func appendString(e *encoder, p unsafe.Pointer) {
	s := *(*string)(p)
	e.number(len(s))
	e.b = append(e.b, s...)
}

func decodeString(d *decoder, p unsafe.Pointer) {
	*(*string)(p) = string(d.take(d.number(len(d.b))))
}

// header is a slice in memory.
type header struct {
	data        unsafe.Pointer
	length, cap int
}

// slice encodes the length and 1, or 0 for nil, and the elements.
func (c *compiler) slice(t reflect.Type) (*plan, error) {
	element, err := c.of(t.Elem())
	if err != nil {
		return nil, fmt.Errorf("elements: %w", err)
	}
	texts := t.Elem().Kind() == reflect.String && !element.custom
	p := &plan{least: 1, custom: element.custom}
	p.append = func(e *encoder, p unsafe.Pointer) {
		h := (*header)(p)
		if h.data == nil {
			e.number(0)
			return
		}
		e.number(h.length + 1)
		if element.copied {
			e.b = append(e.b, memory(h.data, h.length*element.size)...)
			return
		}
		if e.enter() {
			for i := 0; i < h.length && e.err == nil; i++ {
				element.append(e, unsafe.Add(h.data, i*element.size))
			}
			e.leave()
		}
	}
	p.decode = func(d *decoder, p unsafe.Pointer) {
		length := d.number(mostOf(d, element.least)) - 1
		if length < 0 {
			return
		}
		switch {
		case element.copied:
			made := words(length * element.size)
			copy(memory(made, length*element.size), d.take(length*element.size))
			*(*header)(p) = header{made, length, length}
		case texts:
			made := make([]string, length)
			for i := 0; i < length && d.err == nil; i++ {
				decodeString(d, unsafe.Pointer(&made[i]))
			}
			*(*header)(p) = header{unsafe.Pointer(unsafe.SliceData(made)), length, length}
		case d.enter():
			decodeElements(d, t, element, (*header)(p), length)
			d.leave()
		}
	}
	return p, nil
}

// words returns memory for numbers, also for none.
func words(bytes int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, (bytes+7)/8)))
}

// mostOf returns the number of elements that the bytes left can contain, and 1.
func mostOf(d *decoder, least int) int {
	if least == 0 {
		return math.MaxInt32 // elements without bytes
	}
	return len(d.b)/least + 1
}

// decodeElements decodes the elements of a slice. Large elements may have short encodings, so
// memory grows with what is decoded, in case that the length is wrong.
func decodeElements(d *decoder, t reflect.Type, element *plan, to *header, length int) {
	const ratio = 64 // bytes of memory for a byte left
	room := length
	if element.size > 0 {
		room = min(length, 1+ratio*len(d.b)/element.size)
	}
	made := reflect.MakeSlice(t, room, room)
	for i := 0; i < length && d.err == nil; i++ {
		if i == room {
			old := made
			room = min(length, 2*room)
			made = reflect.MakeSlice(t, room, room)
			reflect.Copy(made, old)
		}
		element.decode(d, unsafe.Add(made.UnsafePointer(), i*element.size))
	}
	if d.err == nil {
		*to = header{made.UnsafePointer(), length, length}
	}
}

// mapping encodes the number of entries and 1, or 0 for nil, and the entries in the order of their
// bytes.
func (c *compiler) mapping(t reflect.Type) (*plan, error) {
	if _, err := (&compiler{key: true, plans: map[reflect.Type]*plan{}}).of(t.Key()); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	key, err := c.of(t.Key()) // -0 stays -0
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	value, err := c.of(t.Elem())
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	p := &plan{least: 1, custom: key.custom || value.custom}
	p.append = func(e *encoder, p unsafe.Pointer) {
		m := reflect.NewAt(t, p).Elem()
		if m.IsNil() {
			e.number(0)
			return
		}
		e.number(m.Len() + 1)
		if e.enter() {
			appendEntries(e, m, key, value)
			e.leave()
		}
	}
	p.decode = func(d *decoder, p unsafe.Pointer) {
		most := mostOf(d, key.least+value.least)
		if key.size == 0 {
			most = 2 // one entry
		}
		length := d.number(most) - 1
		if length < 0 {
			return
		}
		if d.enter() {
			decodeEntries(d, reflect.NewAt(t, p).Elem(), length, key, value)
			d.leave()
		}
	}
	return p, nil
}

func appendEntries(e *encoder, m reflect.Value, key, value *plan) {
	type span struct{ lo, hi int }
	var spans []span
	k, v := reflect.New(m.Type().Key()), reflect.New(m.Type().Elem())
	begin := len(e.b)
	for entries := m.MapRange(); entries.Next() && e.err == nil; {
		lo := len(e.b)
		k.Elem().SetIterKey(entries)
		v.Elem().SetIterValue(entries)
		key.append(e, k.UnsafePointer())
		value.append(e, v.UnsafePointer())
		spans = append(spans, span{lo, len(e.b)})
	}
	if len(spans) < 2 || e.err != nil {
		return
	}
	all := slices.Clone(e.b[begin:])
	of := func(s span) []byte { return all[s.lo-begin : s.hi-begin] }
	slices.SortFunc(spans, func(a, b span) int { return bytes.Compare(of(a), of(b)) })
	e.b = e.b[:begin]
	for _, s := range spans {
		e.b = append(e.b, of(s)...)
	}
}

func decodeEntries(d *decoder, m reflect.Value, length int, key, value *plan) {
	const most = 1024 // entries for which memory is taken before they are decoded
	t := m.Type()
	m.Set(reflect.MakeMapWithSize(t, min(length, most)))
	k, v := reflect.New(t.Key()), reflect.New(t.Elem())
	for i := 0; i < length && d.err == nil; i++ {
		k.Elem().SetZero()
		v.Elem().SetZero()
		key.decode(d, k.UnsafePointer())
		if value.decode(d, v.UnsafePointer()); d.err == nil {
			m.SetMapIndex(k.Elem(), v.Elem())
		}
	}
	if d.err == nil && m.Len() != length {
		d.fail(fmt.Errorf("a map has %d entries, of which %d have the same key as another", length, length-m.Len()))
	}
}

// pointer encodes 0 for nil, or 1 and the value.
func (c *compiler) pointer(t reflect.Type) (*plan, error) {
	if c.key {
		return nil, fmt.Errorf("a pointer cannot be part of a key, because ranks have other addresses: use a number or a string")
	}
	element, err := c.of(t.Elem())
	if err != nil {
		return nil, err
	}
	p := &plan{least: 1, custom: element.custom}
	p.append = func(e *encoder, p unsafe.Pointer) {
		to := *(*unsafe.Pointer)(p)
		if to == nil {
			e.number(0)
			return
		}
		e.number(1)
		if e.enter() {
			element.append(e, to)
			e.leave()
		}
	}
	p.decode = func(d *decoder, p unsafe.Pointer) {
		if d.number(1) == 0 || !d.enter() {
			return
		}
		if len(d.b) < element.least {
			d.fail(fmt.Errorf("%d bytes left: want at least %d", len(d.b), element.least))
			return
		}
		made := reflect.New(t.Elem())
		if element.decode(d, made.UnsafePointer()); d.err == nil {
			*(*unsafe.Pointer)(p) = made.UnsafePointer()
		}
		d.leave()
	}
	return p, nil
}
