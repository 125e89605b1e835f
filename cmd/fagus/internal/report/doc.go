// Package report has the command fagus report: it says why a run was slow, from its trace, in a
// short text, as one page, or as a document. Package analysis finds the answers; this package only
// words and draws them.
//
// The file may be damaged or made by anybody: package tracefile checks what it refers to, and the
// page escapes every text.
package report
