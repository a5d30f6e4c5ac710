package enum HandlerRequestKind: String, CaseIterable, Sendable {
    case perform
    case propose
    case expand
}
