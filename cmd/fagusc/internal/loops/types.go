package loops

import "slices"

// Type is the type of a scalar or of the elements of an array.
type Type struct {
	Class   Class
	Bytes   int64
	Element *Type // of an array type: the type of its elements, or of theirs if these are arrays
	Origin  any   // the type in the front end
}

// Class says what ranks can do with the values of a type.
type Class int

// The classes.
const (
	Other Class = iota // ranks can only copy values
	Boolean
	Integer
	Float
)

// Folds reports whether ranks can combine values of a type by an operator.
func (t *Type) Folds(op string) bool {
	if op == "&&" || op == "||" {
		return t.Class == Boolean
	}
	return t.Class == Integer || t.Class == Float
}

// FoldsElements reports whether ranks can combine variables of an array type, element by element,
// if the program changes elements by an operator.
func (t *Type) FoldsElements(op string) bool {
	return t.Element != nil && op != "&&" && op != "||" && t.Element.Folds(op)
}

// Idempotent reports whether an operator combines a value with itself to this value. Any operator
// that is a name is a function that returns the greater or the lesser of two values.
func Idempotent(op string) bool { return !slices.Contains([]string{"+", "-", "*", "^"}, op) }

// Identity is a value that an operator combines with any other to this other value.
type Identity int

// The identities.
const (
	Zero Identity = iota
	NegativeZero
	One
)

// Identity returns the value of a type from which ranks other than 0 start.
func (t *Type) Identity(op string) Identity {
	switch {
	case op == "*":
		return One
	case t.Class == Float: // -0 + 0 is 0
		return NegativeZero
	}
	return Zero
}
