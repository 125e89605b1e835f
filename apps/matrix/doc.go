// Package matrix reads and writes dense real matrices in files, and reads sparse
// ones: the input and the result of programs such as apps/matmul and apps/conjugate.
//
//	a, err := matrix.Read("west0479.mtx")
//	...
//	err = matrix.Write("c.npy", c)
//	s, err := matrix.ReadSparse("bcsstk01.mtx")
//
// The extension chooses the format: .mtx is Matrix Market, which is text, .npy
// is NumPy's. [DecodeMatrixMarket], [DecodeNPY] and their counterparts do the
// same on a reader or writer.
//
// # Matrix Market
//
// Read: coordinate and array; real, integer and pattern, whose entries are 1;
// general, symmetric and skew-symmetric, which are expanded. Complex and
// hermitian matrices are refused. Entries of a coordinate file that name the
// same place are added up, as in finite element assembly. NaN, Inf and Infinity
// with any sign and in any case are values, though the format does not name
// them: no result is lost by writing it. Anything else that the format does not
// allow is an error that names the line: a half given twice, an index out of
// range, an entry too few or too many.
//
// Written: always real general, coordinate if less than a third of the entries
// differ from zero and array otherwise, with as many digits as it takes to read
// the same bits back, except that all NaNs are one.
//
// # NPY
//
// Read: versions 1 and 2; float64, float32 and integers of 1 to 8 bytes, either
// byte order; C and Fortran order; two dimensions. Written: version 1, float64,
// little-endian, C order; the bits are kept, NaNs too.
//
// Integers of more than 53 bits are rounded to the nearest float64, here as in
// Matrix Market.
//
// # What it is not
//
// There are no complex or symmetric matrices in memory, no .npz, no compression, no
// linear algebra. Sparse matrices are only read.
//
// # Limits
//
// [MaxElements] elements; of a [Sparse] matrix [MaxRows] rows and columns, and [MaxElements]
// elements that are stored. A file is not trusted: its header allocates no more
// than it goes on to fill, save that a coordinate file, being sparse, may make
// a matrix of up to MaxElements with a few lines.
package matrix
