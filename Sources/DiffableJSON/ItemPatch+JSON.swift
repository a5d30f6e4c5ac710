import Diffable

extension ItemPatch {
    var document: Content { preconditionFailure("stub") }
}
