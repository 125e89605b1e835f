package codec

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"fmt"
	"reflect"
	"unsafe"
)

// custom returns the plan of a type whose methods encode it, or nil.
func custom(t reflect.Type) *plan {
	to, from := methods(t)
	if to == nil || promoted(t) {
		return nil
	}
	return &plan{least: 1, custom: true,
		append: func(e *encoder, p unsafe.Pointer) {
			e.counted(func(b []byte) ([]byte, error) {
				b, err := to(b, reflect.NewAt(t, p).Interface())
				if err != nil {
					return nil, fmt.Errorf("%v: %w", t, err)
				}
				return b, nil
			})
		},
		decode: func(d *decoder, p unsafe.Pointer) {
			b := d.take(d.number(len(d.b)))
			if d.err != nil {
				return
			}
			if err := from(bytes.Clone(b), reflect.NewAt(t, p).Interface()); err != nil {
				d.fail(fmt.Errorf("%v: %w", t, err))
			}
		},
	}
}

// methods returns functions that encode and decode by methods of a pointer, or nil.
func methods(t reflect.Type) (to func(b []byte, x any) ([]byte, error), from func(b []byte, x any) error) {
	pointer := reflect.PointerTo(t)
	has := func(i reflect.Type) bool { return pointer.Implements(i) }
	if has(reflect.TypeFor[encoding.BinaryUnmarshaler]()) {
		from = func(b []byte, x any) error { return x.(encoding.BinaryUnmarshaler).UnmarshalBinary(b) }
		if has(reflect.TypeFor[encoding.BinaryAppender]()) {
			return func(b []byte, x any) ([]byte, error) { return x.(encoding.BinaryAppender).AppendBinary(b) }, from
		}
		if has(reflect.TypeFor[encoding.BinaryMarshaler]()) {
			return func(b []byte, x any) ([]byte, error) {
				more, err := x.(encoding.BinaryMarshaler).MarshalBinary()
				return append(b, more...), err
			}, from
		}
	}
	if has(reflect.TypeFor[gob.GobEncoder]()) && has(reflect.TypeFor[gob.GobDecoder]()) {
		return func(b []byte, x any) ([]byte, error) {
			more, err := x.(gob.GobEncoder).GobEncode()
			return append(b, more...), err
		}, func(b []byte, x any) error { return x.(gob.GobDecoder).GobDecode(b) }
	}
	return nil, nil
}

// promoted reports whether a struct may have its methods from an embedded field although it has
// other fields, too.
func promoted(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() == 1 {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous {
			continue
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if to, _ := methods(inner); to != nil {
			return true
		}
	}
	return false
}

// gobbed returns the plan of an interface type: nil is 0, and another value 1 and a stream of gob
// with its length, of its own so that each value can be decoded alone.
func gobbed(t reflect.Type) *plan {
	return &plan{least: 1, custom: true,
		append: func(e *encoder, p unsafe.Pointer) {
			v := reflect.NewAt(t, p)
			if v.Elem().IsNil() {
				e.number(0)
				return
			}
			e.number(1)
			e.counted(func(b []byte) ([]byte, error) {
				stream := bytes.NewBuffer(b)
				if err := gob.NewEncoder(stream).EncodeValue(v); err != nil {
					return nil, fmt.Errorf("%v: %w (gob.Register makes a type known, on every rank)", t, err)
				}
				return stream.Bytes(), nil
			})
		},
		decode: func(d *decoder, p unsafe.Pointer) {
			if d.number(1) == 0 {
				return
			}
			b := d.take(d.number(len(d.b)))
			if d.err != nil {
				return
			}
			if err := gob.NewDecoder(bytes.NewReader(b)).DecodeValue(reflect.NewAt(t, p)); err != nil {
				d.fail(fmt.Errorf("%v: %w (gob.Register makes a type known, on every rank)", t, err))
			}
		},
	}
}
