package guard

import (
	"runtime"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

// verb is the kind of an access.
type verb uint8

const (
	touching verb = iota // reading or writing: unknown
	reading
	writing
)

// instruction returns the kind of the access that raised the fault being recovered. Go does not
// pass on what the kernel knows, so on amd64 instruction decodes the machine code. On other
// architectures it returns touching.
func instruction() verb {
	const longest = 15 // bytes of an instruction
	if runtime.GOARCH != "amd64" {
		return touching
	}
	frames := source.Frames(source.Callers())
	for i, f := range frames {
		if f.Function == "runtime.sigpanic" && i+1 < len(frames) {
			// Machine code does not move, and other code follows every function of a program, so
			// longest bytes can be read.
			pc := frames[i+1].PC
			return decode(unsafe.Slice(*(**byte)(unsafe.Pointer(&pc)), longest))
		}
	}
	return touching
}

// decode returns how an amd64 instruction accesses its memory operand (Intel 64 and IA-32 manual,
// volume 2, appendix A). It knows the instructions that compilers generate for loads and stores,
// and returns touching for all others.
func decode(code []byte) verb {
	repeated := false
	for len(code) > 3 {
		switch c := code[0]; {
		case c == 0xF3:
			repeated = true
		case c == 0x66, c == 0xF2, c == 0xF0, c&0xF0 == 0x40: // prefixes: size, repeat, lock, REX
		case c == 0x0F && code[1] == 0x38, c == 0x0F && code[1] == 0x3A:
			return reading
		case c == 0x0F:
			return decodeLong(code[1], repeated)
		case c == 0xC5: // VEX, two bytes: the low bits of the second encode the prefix
			return decodeLong(code[2], code[1]&3 == 2)
		case c == 0xC4: // VEX, three bytes
			if code[1]&31 != 1 {
				return reading
			}
			return decodeLong(code[3], code[2]&3 == 2)
		default:
			return decodeShort(c, code[1]>>3&7)
		}
		code = code[1:]
	}
	return touching
}

// decodeShort decodes an opcode of one byte. digit, from the next byte, extends some opcodes.
func decodeShort(op, digit byte) verb {
	switch {
	case op < 0x40 && op&7 < 4: // arithmetic, to memory if bit 1 is 0; 38 and 39 compare
		if op&2 == 0 && op&0xFC != 0x38 {
			return writing
		}
		return reading
	}
	switch op {
	case 0x63, 0x69, 0x6B, 0x84, 0x85, 0x8A, 0x8B:
		return reading
	case 0x86, 0x87, 0x88, 0x89, 0xAA, 0xAB, 0xC0, 0xC1, 0xC6, 0xC7, 0xD0, 0xD1, 0xD2, 0xD3:
		return writing
	case 0x80, 0x81, 0x83: // arithmetic with a constant; digit 7 compares
		if digit == 7 {
			return reading
		}
		return writing
	case 0xF6, 0xF7: // test, not, neg, multiply, divide
		if digit == 2 || digit == 3 {
			return writing
		}
		return reading
	case 0xFE, 0xFF: // increment, decrement, call, jump, push
		if digit < 2 {
			return writing
		}
		return reading
	}
	return touching
}

// decodeLong decodes an opcode after 0F or a VEX prefix. repeated: it has the prefix F3.
func decodeLong(op byte, repeated bool) verb {
	switch {
	case op == 0x7E: // MOVQ to a register, or MOVD and MOVQ from a register
		if repeated {
			return reading
		}
		return writing
	case op >= 0x40 && op < 0x7E, op >= 0x28 && op < 0x30 && op != 0x29 && op != 0x2B:
		return reading
	}
	switch op {
	case 0x10, 0x12, 0x14, 0x15, 0x16, 0xAF, 0xB6, 0xB7, 0xB8, 0xBC, 0xBD, 0xBE, 0xBF, 0xD4, 0xDB, 0xEB, 0xEF, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE:
		return reading
	case 0x11, 0x13, 0x17, 0x29, 0x2B, 0x7F, 0xB0, 0xB1, 0xC0, 0xC1, 0xC3, 0xD6, 0xE7:
		return writing
	}
	return touching
}
