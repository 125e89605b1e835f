// Package sor finds a harmonic function by red-black successive over-relaxation: each point of a grid with a fixed border
// becomes more than the mean of its four neighbours, until nothing changes.
//
// It reads as a tutorial of programs that write in place what their neighbours read:
//
//   - Points are red and black as on a chess board: a red one has black neighbours only, and so all red ones can
//     change at once, then all black ones. The order of additions is the same however many ranks
//     there are: so are the bits of the result.
//   - Each colour is a parts.Grid of its own, with half of the columns: so a rank can write its red rows while
//     others read black ones, and what moves is the colour that a neighbour needs.
//   - A half of an iteration acquires this rank's rows of one colour, exclusive, and of the other, shared, those
//     of the neighbours at both ends included. A Barrier ends it: in both modes nobody reads a colour that is
//     not finished, nor writes one that is still read.
//
// Verified is the function x^2 - y^2 on the unit square, whose values are given on the border. Its second
// differences cancel, so it solves the discrete equation, too: the largest difference to it may be
// 1e-8. Over-relaxation with the best factor, 2/(1+sin(pi h)) for points h apart, is that near after some 4/h
// iterations: 5 for every row are the default.
package sor
