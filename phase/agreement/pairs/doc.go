// Package pairs is the agreement of a phase in which every rank sends its list to all others.
//
// [Protocol] is the papers' protocol: lists go through rings. [Inline] is for live ports: a list
// that wants at most one variable goes as one word, stored at the peer, in the format of package
// syncvar (inline.go there). area.go says why two words per peer are enough. The contents of one
// small variable may go with the word (attach.go). A phase in which only one rank wants a variable
// ends when the words have landed (turn.go).
package pairs
