import Diffable
import Testing

struct AccessModeTests {
    @Test(arguments: [
        ("0640", "0640", "rw-r-----"), ("640", "0640", "rw-r-----"), ("6", "0006", "------rw-"),
        ("0", "0000", "---------"), ("0666", "0666", "rw-rw-rw-"), ("0246", "0246", "-w-r--rw-"),
        ("0751", "0751", "rwxr-x--x"), ("7", "0007", "------rwx"),
    ])
    func `octal digits are a mode, and a mode is written as ls writes it`(
        text: String, octal: String, symbolic: String
    ) throws {
        let mode = try AccessMode(octal: text)
        #expect(mode.description == octal)
        #expect(mode.symbolic == symbolic)
    }

    @Test(arguments: ["", "8", "00640", "+640", "-1", "0x1ff", "6 4", "rw"])
    func `anything else is no mode`(text: String) {
        #expect(throws: AccessModeError.notOctal(text)) { try AccessMode(octal: text) }
    }

    @Test(arguments: ["1000", "4755", "2600", "7777"])
    func `special bits are refused as what they are`(text: String) {
        #expect(throws: AccessModeError.special(text)) { try AccessMode(octal: text) }
        #expect("\(AccessModeError.special(text))".contains("has special bits, which a list does not have"))
    }

    @Test func `of all numbers those with no other bits are modes`() {
        for bits in -1...0o7777 { #expect((AccessMode(bits: bits) != nil) == (bits >= 0 && bits & 0o777 == bits)) }
    }
}
