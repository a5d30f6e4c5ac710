import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

@Suite struct ModeChangeTests {
    @Test(arguments: [
        ("g+r", "0640"), ("o+rw", "0606"), ("a=r", "0444"), ("=", "0000"), ("u-w", "0400"), ("go=u-w", nil),
        ("g+r,o+r", "0644"), ("ug=rw,o=", "0660"), ("+r", "0644"), ("u-r+w", "0200"), ("g=rw-w", "0640"),
        ("640", "0640"), ("o+x", "0601"), ("a=rwx", "0777"), ("a+x,o-x", "0710"), ("u=x", "0100"),
        ("a", nil), ("", nil), ("g+r,", nil), ("g+q", nil), ("rw", nil), ("648", nil),
    ])
    func `changes are made as by chmod`(text: String, expected: String?) throws {
        let changed = try? ModeChange(text).applied(to: .ownerOnly)
        #expect(changed?.description == expected)
    }

    @Test func `letters of special bits are refused as what they are`() {
        for text in ["u+X", "a=rwX", "g+s", "+t"] {
            #expect(throws: ModeChangeError.mode(.special(text))) { try ModeChange(text) }
        }
    }
}
