import Diffable
import DiffableJSON

extension ByteWriter {
    /// Writes `,"undo":{"from":7,"to":6}` or `,"redo":{"from":6,"to":7}`. Writes nothing for the step of a redraw.
    mutating func appendMember(_ step: UndoStep) {
        if step.from == step.to { return }
        append(step.isUndo ? #","undo":{"from":"# : #","redo":{"from":"#)
        append(step.from)
        appendMember("to", step.to)
        append(byte: UInt8(ascii: "}"))
    }
}

private enum UndoStepMember: UInt8, IndexedMemberName {
    case from, to

    static let names = MemberNames(UndoStepMember.self)
}

extension Decoder {
    mutating func undoStep() throws(DecodingError) -> UndoStep {
        var step = UndoStep(from: 0, to: 0)
        try object("a step", UndoStepMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .from: step.from = try decoder.wholeNumber("a number")
            case .to: step.to = try decoder.wholeNumber("a number")
            }
        }
        return step
    }
}
