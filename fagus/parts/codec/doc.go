// Package codec encodes values of Go types as bytes. It is for values that shared arrays cannot
// have as elements, because their size varies: strings, slices, maps, and structs with them.
//
//	c, err := codec.Of[record]()        // once: the type is examined here, and nowhere else
//	b, err = c.Append(b, r)             // appends the bytes of r to b
//	r, b, err := c.Decode(b)            // the value, and the bytes after it
//	rs, err := codec.Of[[]record]()     // many values at a time are faster
//
// # Types
//
// All fields of a struct are encoded, also unexported ones, but for those named _.
//
//	booleans, numbers          as in memory; a block of numbers is copied at once
//	strings, slices            a length, and the elements; nil stays nil
//	arrays, structs            the elements, or fields, without the padding between them
//	maps                       entries, ordered by their bytes: equal maps have equal bytes
//	pointers                   whether it is nil, and the value
//	interfaces                 encoding/gob; the program registers the types by gob.Register
//
// A type whose pointer has the methods MarshalBinary (or AppendBinary) and UnmarshalBinary, or
// GobEncode and GobDecode, is encoded by them, for example time.Time, netip.Addr and big.Int. A
// type of which [NewArray] accepts elements is copied even so. Methods that a struct has from an
// embedded field do not count if it has other fields, too, because they would leave those out.
//
// Functions, channels, uintptr and unsafe.Pointer cannot be encoded: Of returns an error that names
// the field. Two pointers to one value become pointers to two values. A value that contains itself
// gives an error when it is encoded, as does one that is nested more than 10000 deep.
//
// # Bytes
//
// Encoded values have no type, so they mean something only to the same type in the same program,
// on machines of the same byte order. Decode takes bytes from anywhere: it checks every length
// before it allocates memory, and returns an error instead of a wrong value where it can see that.
//
// [NewArray]: https://pkg.go.dev/github.com/fagus-dsm/fagus/fagus#NewArray
package codec
