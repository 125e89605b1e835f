package codec

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// plan says how values of a type are encoded. It is made once for a type, by reflection. The
// functions get the address of a value.
type plan struct {
	of     string // the type
	size   int    // bytes of a value in memory
	least  int    // bytes of the shortest encoded value; 0 only if copied and size is 0
	copied bool   // encoded values are the size bytes in memory, whatever these are
	flat   bool   // fagus.NewArray accepts the type
	custom bool   // methods of the program, or gob, encode a part of it
	append func(e *encoder, p unsafe.Pointer)
	decode func(d *decoder, p unsafe.Pointer) // *p is the zero value before
}

// planOf returns the plan of the type that of points to.
func planOf(of any, key bool) (*plan, error) {
	t := reflect.TypeOf(of).Elem()
	p, err := (&compiler{key: key, plans: map[reflect.Type]*plan{}}).of(t)
	if err != nil {
		return nil, fmt.Errorf("codec: values of type %v: %w", t, err)
	}
	return p, nil
}

// encode appends the value at v to b. If it fails, it returns b as it was.
func (p *plan) encode(b []byte, v unsafe.Pointer) ([]byte, error) {
	e := encoder{b: b}
	if p.append(&e, v); e.err != nil {
		return b, fmt.Errorf("codec: a value of type %s: %w", p.of, e.err)
	}
	return e.b, nil
}

// decodeTo sets the zero value at v to the first value in b, and returns the bytes behind it.
func (p *plan) decodeTo(v unsafe.Pointer, b []byte) (rest []byte, err error) {
	d := decoder{b: b}
	if p.decode(&d, v); d.err != nil {
		return b, fmt.Errorf("codec: %d bytes with a value of type %s: %w", len(b), p.of, d.err)
	}
	return d.b, nil
}

// after returns the error for bytes behind a value that should be the last one.
func (p *plan) after(rest []byte) error {
	return fmt.Errorf("codec: %d bytes after a value of type %s: want none", len(rest), p.of)
}

// compiler makes plans. A type that contains itself, by a pointer for example, has its plan in
// plans before it is complete.
type compiler struct {
	key   bool // of keys: see Key
	plans map[reflect.Type]*plan
}

var errAddress = errors.New("its value is an address of one process: leave it out, or give the type that has it the methods MarshalBinary and UnmarshalBinary")

func (c *compiler) of(t reflect.Type) (*plan, error) {
	if p := c.plans[t]; p != nil {
		return p, nil
	}
	p := new(plan)
	c.plans[t] = p
	made, err := c.compile(t)
	if err != nil {
		return nil, err
	}
	*p = *made
	p.of, p.size, p.flat = t.String(), int(t.Size()), flat(t)
	return p, nil
}

func (c *compiler) compile(t reflect.Type) (*plan, error) {
	if !flat(t) {
		if p := custom(t); p != nil {
			return p, nil
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &plan{least: 1, append: copies(1).append, decode: decodeBool}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return copies(int(t.Size())), nil
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		p := copies(int(t.Size()))
		if c.key {
			p.copied, p.append = false, appendFloat(t.Kind())
		}
		return p, nil
	case reflect.String:
		return &plan{least: 1, append: appendString, decode: decodeString}, nil
	case reflect.Array:
		return c.array(t)
	case reflect.Struct:
		return c.fields(t)
	case reflect.Slice:
		return c.slice(t)
	case reflect.Map:
		return c.mapping(t)
	case reflect.Pointer:
		return c.pointer(t)
	case reflect.Interface:
		if c.key {
			return nil, fmt.Errorf("an interface cannot be part of a key, because equal keys need equal bytes: use a type of fixed fields")
		}
		return gobbed(t), nil
	}
	return nil, fmt.Errorf("a %v cannot be encoded: %w", t.Kind(), errAddress)
}

// flat reports whether fagus.NewArray accepts elements of a type.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && flat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
		return t.Size() > 0
	}
	return reflect.Bool <= t.Kind() && t.Kind() <= reflect.Complex128 && t.Kind() != reflect.Uintptr
}

// copies returns the plan of values whose bytes are those in memory.
func copies(size int) *plan {
	return &plan{size: size, least: size, copied: true,
		append: func(e *encoder, p unsafe.Pointer) { e.b = append(e.b, memory(p, size)...) },
		decode: func(d *decoder, p unsafe.Pointer) { copy(memory(p, size), d.take(size)) },
	}
}

func decodeBool(d *decoder, p unsafe.Pointer) {
	if b := d.take(1); len(b) == 1 && b[0] > 1 {
		d.fail(fmt.Errorf("a boolean is %d: want 0 or 1", b[0]))
	} else if len(b) == 1 {
		*(*bool)(p) = b[0] == 1
	}
}

// appendFloat appends numbers as keys: 0 in place of -0, which is equal.
func appendFloat(kind reflect.Kind) func(e *encoder, p unsafe.Pointer) {
	single := func(e *encoder, p unsafe.Pointer) {
		x := *(*float32)(p) + 0
		e.b = append(e.b, memory(unsafe.Pointer(&x), 4)...)
	}
	double := func(e *encoder, p unsafe.Pointer) {
		x := *(*float64)(p) + 0
		e.b = append(e.b, memory(unsafe.Pointer(&x), 8)...)
	}
	switch kind {
	case reflect.Float32:
		return single
	case reflect.Float64:
		return double
	case reflect.Complex64:
		return func(e *encoder, p unsafe.Pointer) { single(e, p); single(e, unsafe.Add(p, 4)) }
	}
	return func(e *encoder, p unsafe.Pointer) { double(e, p); double(e, unsafe.Add(p, 8)) }
}

func (c *compiler) array(t reflect.Type) (*plan, error) {
	element, err := c.of(t.Elem())
	if err != nil {
		return nil, fmt.Errorf("elements: %w", err)
	}
	if element.copied || t.Len() == 0 {
		return copies(int(t.Size())), nil
	}
	length, size := t.Len(), element.size
	return &plan{least: length * element.least, custom: element.custom,
		append: func(e *encoder, p unsafe.Pointer) {
			for i := 0; i < length && e.err == nil; i++ {
				element.append(e, unsafe.Add(p, i*size))
			}
		},
		decode: func(d *decoder, p unsafe.Pointer) {
			for i := 0; i < length && d.err == nil; i++ {
				element.decode(d, unsafe.Add(p, i*size))
			}
		},
	}, nil
}

// run is a field of a struct, or several in a row that are copied together.
type run struct {
	at   int
	plan *plan
}

func (c *compiler) fields(t reflect.Type) (*plan, error) {
	var runs []run
	all := new(plan)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		p, err := c.of(f.Type)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		all.least += p.least
		all.custom = all.custom || p.custom
		last := len(runs) - 1
		if last >= 0 && p.copied && runs[last].plan.copied && runs[last].at+runs[last].plan.size == int(f.Offset) {
			runs[last].plan = copies(runs[last].plan.size + p.size)
			continue
		}
		runs = append(runs, run{int(f.Offset), p})
	}
	if len(runs) == 0 && t.Size() > 0 { // only fields named _
		skipped := copies(1)
		return &plan{least: 1, append: func(e *encoder, _ unsafe.Pointer) { e.b = append(e.b, 0) },
			decode: func(d *decoder, _ unsafe.Pointer) { skipped.decode(d, unsafe.Pointer(new(byte))) }}, nil
	}
	if len(runs) == 0 {
		return copies(0), nil
	}
	if first := runs[0].plan; len(runs) == 1 && first.copied && first.size == int(t.Size()) {
		return first, nil
	}
	all.append = func(e *encoder, p unsafe.Pointer) {
		for _, r := range runs {
			r.plan.append(e, unsafe.Add(p, r.at))
		}
	}
	all.decode = func(d *decoder, p unsafe.Pointer) {
		for _, r := range runs {
			r.plan.decode(d, unsafe.Add(p, r.at))
		}
	}
	return all, nil
}
