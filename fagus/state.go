package fagus

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
)

// checkState returns an error if a value of Resume is no pointer, or if encoding/json would lose
// something of what it points to.
func checkState(state []any) error {
	for i, to := range state {
		v := reflect.ValueOf(to)
		if v.Kind() != reflect.Pointer || v.IsNil() {
			return fmt.Errorf("value %d is of type %T: want a pointer to what checkpoints have", i+1, to)
		}
		if why := loses(v.Type().Elem(), map[reflect.Type]bool{}); why != "" {
			return fmt.Errorf("value %d is of type %T, which checkpoints cannot have: %s: pass pointers to numbers, strings, slices, maps, and structs whose fields are all exported", i+1, to, why)
		}
	}
	return nil
}

// loses says what encoding/json does not save of a type; "": nothing. seen are the types that are
// being looked at.
func loses(t reflect.Type, seen map[reflect.Type]bool) string {
	if seen[t] || encodesItself(t) {
		return ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return fmt.Sprintf("%v loses the type of its value", t)
	case reflect.Complex64, reflect.Complex128, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("encoding/json does not encode %v", t)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return loses(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct) {
				return fmt.Sprintf("the field %s of %v is not exported", f.Name, t)
			}
			if why := loses(f.Type, seen); why != "" {
				return why
			}
		}
	}
	return ""
}

// encodesItself reports whether a type has methods by which encoding/json encodes and decodes it.
func encodesItself(t reflect.Type) bool {
	has := func(methods ...reflect.Type) bool {
		for _, m := range methods {
			if !reflect.PointerTo(t).Implements(m) {
				return false
			}
		}
		return true
	}
	return has(reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.Unmarshaler]()) ||
		has(reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]())
}
