import Diffable
import Testing

struct AccessModeTests {
    @Test(arguments: [
        ("0640", "0640", "rw-r-----"), ("640", "0640", "rw-r-----"), ("6", "0006", "------rw-"),
        ("0", "0000", "---------"), ("0666", "0666", "rw-rw-rw-"), ("0246", "0246", "-w-r--rw-"),
    ])
    func `octal digits are a mode, and a mode is written as ls writes it`(
        text: String, octal: String, symbolic: String
    ) throws {
        let mode = try AccessMode(octal: text)
        #expect(mode.description == octal)
        #expect(mode.symbolic == symbolic)
    }

    @Test(arguments: ["", "8", "00640", "1000", "+640", "-1", "0x1ff", "6 4", "rw"])
    func `anything else is no mode`(text: String) {
        #expect(throws: AccessModeError.notOctal(text)) { try AccessMode(octal: text) }
    }

    @Test(arguments: ["0100", "755", "7", "0611"])
    func `bits to execute are refused as what they are`(text: String) {
        #expect(throws: AccessModeError.execution(text)) { try AccessMode(octal: text) }
        #expect("\(AccessModeError.execution(text))".contains("a list is not executed"))
    }

    @Test func `of all numbers those with no other bits are modes`() {
        for bits in -1...0o7777 { #expect((AccessMode(bits: bits) != nil) == (bits >= 0 && bits & 0o666 == bits)) }
    }

    @Test(arguments: [
        ("g+r", "0640"), ("o+rw", "0606"), ("a=r", "0444"), ("=", "0000"), ("u-w", "0400"), ("go=u-w", nil),
        ("g+r,o+r", "0644"), ("ug=rw,o=", "0660"), ("+r", "0644"), ("u-r+w", "0200"), ("g=rw-w", "0640"),
        ("640", "0640"),
        ("a", nil), ("", nil), ("g+r,", nil), ("g+q", nil), ("rw", nil), ("648", nil),
    ])
    func `changes are made as by chmod`(text: String, expected: String?) throws {
        let changed = try? AccessMode.ownerOnly.changed(as: text)
        #expect(changed?.description == expected)
    }

    @Test func `letters to execute are refused as what they are`() {
        for text in ["u+x", "a=rwx", "g+s", "+t"] {
            #expect(throws: AccessModeError.execution(text)) { try AccessMode.ownerOnly.changed(as: text) }
        }
    }
}
