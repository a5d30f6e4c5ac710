import DiffableJSON

extension Request {
    struct Reload: PlainRequest {
        static let method = Method.reload
        static let summary = "read the configuration again; for root and the server's own user"
        static let needsLists = false
        static let request = Request.reload
    }
}

// MARK: - Reply

extension Reply {
    package struct Reload: Equatable, Sendable {
        /// What was read; nil when there is no file, and all is as it is built in or in the environment.
        package var file: String?
        /// The settings, as in the configuration, that have other values now.
        package var applied: [String]
        /// The settings that have other values in the configuration, and keep the old ones until a restart.
        package var needRestart: [String]

        package init(file: String?, applied: [String], needRestart: [String]) {
            self.file = file
            self.applied = applied
            self.needRestart = needRestart
        }
    }
}

extension Reply.Reload {
    func write(into writer: inout ByteWriter) {
        writer.append(#""applied":"#)
        writer.appendArray(applied) { name, writer in writer.appendString(name) }
        writer.append(#","needRestart":"#)
        writer.appendArray(needRestart) { name, writer in writer.appendString(name) }
        if let file { writer.appendMember("file", file) }
    }
}

extension Reply.Reload: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case file, applied, needRestart

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var file: String?
        var (applied, needRestart): ([String], [String]) = ([], [])
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .file: file = try decoder.string("file").text
            case .applied: applied = try decoder.names("applied")
            case .needRestart: needRestart = try decoder.names("needRestart")
            }
        }
        self.init(file: file, applied: applied, needRestart: needRestart)
    }
}
