// Package wordcount counts the words of a text: how often each occurs. A word is a sequence of
// letters and digits; upper and lower case are the same.
//
// It is a tutorial of a table that ranks merge into:
//
//   - Every rank has a block of the text (parts.Block). Blocks of a file end between words; of a
//     generated text, every rank generates its own block.
//   - A rank adds its words to a parts.Table, which does not communicate. At the end of the block
//     the table is merged: every word goes to one rank, which adds the counts of all ranks.
//   - Rank 0 collects the table, in the order of the words.
//
// The result depends neither on the number of ranks nor on the mode.
//
// Rank 0 verifies alone, by another algorithm: it sorts the words of the whole text, and counts
// equal neighbours.
package wordcount
