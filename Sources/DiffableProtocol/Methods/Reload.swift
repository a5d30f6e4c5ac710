import DiffableJSON

extension Reply {
    package struct Reload: Equatable, Sendable {
        /// The file that was read; nil if there is none, and all settings are defaults or from the environment.
        package var file: String?
        package var applied: [String]
        /// The settings that have changed in the configuration, but keep their values until a restart.
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
