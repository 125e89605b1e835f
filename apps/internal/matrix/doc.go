// Package matrix reads and writes dense real matrices in files, and reads sparse ones. They are
// the input and the result of programs such as apps/matmul and apps/conjugate.
//
//	a, err := matrix.Read("west0479.mtx")
//	...
//	err = matrix.Write("c.npy", c)
//	s, err := matrix.ReadSparse("bcsstk01.mtx")
//
// The extension selects the format: .mtx is Matrix Market, a text format, and .npy is NumPy's.
//
// # Matrix Market
//
// Readers accept coordinate and array files; real, integer and pattern values, where pattern
// entries are 1; and general, symmetric and skew-symmetric matrices, which they expand. They
// reject complex and hermitian matrices. Entries of a coordinate file with the same indices are
// added up, as in finite element assembly. Beyond the format, readers accept what other programs
// write: NaN, Inf and Infinity, with any sign and in any case; exponents of Fortran (1.0D+00);
// comments behind numbers. All other deviations from the format are errors that name the line: for
// example both halves of a symmetric matrix, an index out of range, or a wrong number of entries.
//
// Writers produce real general matrices. They choose the coordinate format if less than a third
// of the elements differ from zero, and the array format otherwise. Numbers have as many digits
// as it takes to read the same bits back, except that NaNs become equal.
//
// # NPY
//
// Readers accept what package npy accepts: float64, float32, integers of 1 to 8 bytes and
// booleans, in either byte order; C and Fortran order; and up to two dimensions. A vector is one
// column. Writers produce float64, little-endian, C order, and preserve all bits, including the
// bits of NaNs.
//
// Files in either format may be compressed by gzip (.mtx.gz).
//
// In both formats integers of more than 53 bits are rounded to the nearest float64.
//
// # What is missing
//
// There are no complex or symmetric matrices in memory, no .npz files, and no
// linear algebra except [Dot]. Sparse matrices can only be read.
//
// # Limits
//
// A matrix has at most [MaxElements] elements. A [Sparse] matrix has at most [MaxRows] rows and
// columns, and at most [MaxElements] stored elements. Files are not trusted: a header makes a
// reader allocate no more memory than the file then fills. The exception is a dense matrix from a
// coordinate file, where a few lines may describe up to MaxElements elements.
package matrix
