import Diffable
import DiffableInput

struct BackupSelection: Sendable {
    /// The names of the lists; all lists if it is empty.
    var lists: Set<String>
    /// The new name, if there is a single list.
    var newName: String?

    init(_ lists: [ListName], as newName: ListName? = nil) {
        self.lists = Set(lists.map(\.description))
        self.newName = newName?.description
    }

    var isAll: Bool { lists.isEmpty && newName == nil }

    func has(_ list: String) -> Bool { lists.isEmpty || lists.contains(list) }
}

struct BackupPart {
    private let request: JSONReader

    init(_ line: some Sequence<UInt8>) { request = JSONReader(Content(Array(line))) }

    var list: String { request.member("params")?.member("list")?.plainText ?? "" }

    func renamed(_ name: String) -> [UInt8] {
        let members = request.members.map { member in
            (member.name, member.name == "params" ? renamed(member.value, name) : content(member.value))
        }
        return Content.object(members).bytes
    }

    private func renamed(_ parameters: JSONReader, _ name: String) -> Content {
        .object(parameters.members.map { ($0.name, $0.name == "list" ? .string(name.utf8) : content($0.value)) })
    }

    private func content(_ value: JSONReader) -> Content { Content(Array(value.json.utf8)) }
}
