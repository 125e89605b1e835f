package guard

import (
	"encoding/hex"
	"strings"
	"testing"
)

// TestDecode decodes loads, stores and read-modify-write instructions in the encodings of the Go
// compiler and assembler.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		code, what string
		want       verb
	}{
		{"488b08", "MOVQ (AX), CX", reading},
		{"488908", "MOVQ CX, (AX)", writing},
		{"8a08", "MOVB (AX), CX", reading},
		{"66448908", "MOVW R9, (AX)", writing},
		{"c60001", "MOVB $1, (AX)", writing},
		{"48c74008", "MOVQ $1, 8(AX)", writing},
		{"0fb608", "MOVBLZX (AX), CX", reading},
		{"480fbf08", "MOVWQSX (AX), CX", reading},
		{"486308", "MOVLQSX (AX), CX", reading},
		{"48ff00", "INCQ (AX)", writing},
		{"48ff08", "DECQ (AX)", writing},
		{"ff10", "CALL (AX)", reading},
		{"480308", "ADDQ (AX), CX", reading},
		{"480108", "ADDQ CX, (AX)", writing},
		{"48830001", "ADDQ $1, (AX)", writing},
		{"48833800", "CMPQ (AX), $0", reading},
		{"483908", "CMPQ (AX), CX", reading},
		{"483b08", "CMPQ CX, (AX)", reading},
		{"480fafc1", "IMULQ (AX), CX", reading},
		{"48d120", "SHLQ $1, (AX)", writing},
		{"f60001", "TESTB $1, (AX)", reading},
		{"48f718", "NEGQ (AX)", writing},
		{"f20f1000", "MOVSD (AX), X0", reading},
		{"f20f1100", "MOVSD X0, (AX)", writing},
		{"f30f100488", "MOVSS (AX)(CX*4), X0", reading},
		{"f20f5800", "ADDSD (AX), X0", reading},
		{"f2480f2a00", "CVTSQ2SD (AX), X0", reading},
		{"0f1000", "MOVUPS (AX), X0", reading},
		{"0f1100", "MOVUPS X0, (AX)", writing},
		{"0f2900", "MOVAPS X0, (AX)", writing},
		{"f30f6f00", "MOVOU (AX), X0", reading},
		{"f30f7f00", "MOVOU X0, (AX)", writing},
		{"660fe700", "MOVNTO X0, (AX)", writing},
		{"f30f7e00", "MOVQ (AX), X0", reading},
		{"660fd600", "MOVQ X0, (AX)", writing},
		{"c5fe6f06", "VMOVDQU (SI), Y0", reading},
		{"c5fe7f07", "VMOVDQU Y0, (DI)", writing},
		{"c4c17e7f07", "VMOVDQU Y0, (R15)", writing},
		{"c4e2f9b800", "VFMADD231SD (AX), X0, X0", reading},
		{"c4e27d1800", "VBROADCASTSS (AX), Y0", reading},
		{"f0480fc108", "LOCK XADDQ CX, (AX)", writing},
		{"488708", "XCHGQ CX, (AX)", writing},
		{"f348ab", "REP STOSQ", writing},
		{"f348a5", "REP MOVSQ", touching},
		{"62f17c4810", "VMOVUPS (AX), Z0", touching},
	} {
		code, err := hex.DecodeString(c.code + strings.Repeat("90", 15-len(c.code)/2))
		if err != nil {
			t.Fatal(err)
		}
		if got := decode(code); got != c.want {
			t.Errorf("%s: decoded as verb %d, want %d", c.what, got, c.want)
		}
	}
	for first := range 256 { // decode must not panic on any first byte
		decode([]byte{byte(first), byte(first), byte(first), byte(first)})
	}
}
