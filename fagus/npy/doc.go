// Package npy reads and writes the headers of files in the format of NumPy (.npy). The elements
// follow the header; the caller reads and writes them.
//
//	h, err := npy.Read(file)
//	...
//	h = npy.Header{Type: npy.Type{Kind: 'f', Bytes: 8}, Shape: []int{2, 3}}
//	_, err = file.Write(h.Append(nil))
//
// Read accepts what the format permits, whichever program wrote it: versions 1 to 3, the keys of
// the dictionary in any order and with either kind of quotes, any spacing, and lengths as Python 2
// wrote them (3L). It refuses, with the reason, types other than numbers and booleans.
//
// The format is described by numpy.lib.format in the reference of NumPy.
package npy
