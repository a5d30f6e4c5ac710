package enum HandledKind: String, CaseIterable, Sendable {
    case perform
    case propose
    case expand
}
