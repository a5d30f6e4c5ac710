import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

struct Schema: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print or set the schemas for the contents of a list's items.",
        discussion: """
            Without FILE, the schemas are printed. FILE contains a JSON Schema for each kind, such as \
            {"todo":{"type":"object","required":["text"]}}; the kind "" is for items without one. From then on the \
            daemon refuses contents that do not match, from any client. Existing items must match too, unless you add \
            --keep. Only the owner and root can set schemas.
              diffablectl schema tasks schemas.json --others refuse
            The keywords are type, properties, required, additionalProperties, items, enum, const, minimum, maximum, \
            exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems and maxItems. title, description, \
            format, default, examples and $schema are allowed and check nothing.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "A file with the schemas to set; - is standard input.") var file: String?
    @Option(help: ArgumentHelp("Items of a kind without a schema: allow or refuse.", valueName: "rule"))
    var others: OtherKinds?
    @Flag(help: "Accept existing items that do not match.") var keep = false
    @Flag(help: "Remove the schemas.") var clear = false
    @Flag(help: "Print the daemon's reply as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    enum OtherKinds: String, ExpressibleByArgument, CaseIterable {
        case allow, refuse
    }

    func validate() throws {
        if clear, file != nil || others != nil || keep {
            throw ValidationError("--clear removes all schemas, and cannot be combined with a file, --others or --keep")
        }
        if json, file != nil || clear {
            throw ValidationError("--json prints the schemas, and cannot be combined with a file or --clear")
        }
        if file == nil, others != nil || keep {
            throw ValidationError(
                "--others and --keep can be used only with a file of schemas: name it, or use - for standard input")
        }
    }

    func run() async throws {
        if clear { return try await set(.none) }
        guard let file else { return try await show() }
        let bytes = try await inputBytes(of: file, "the schemas of \(list)", within: daemon.inputLimit)
        try await set(
            ListSchemas(
                json: try Schema.checked(bytes), others: others == .refuse ? .areRefused : .areAllowed,
                existing: keep ? .areKept : .areChecked))
    }

    /// Checks the schemas here, because only this program knows their lines.
    private static func checked(_ bytes: [UInt8]) throws(InputError) -> String {
        let text = try checkedText(bytes)
        let error: DecodingError? = text.withUnsafeBytes { bytes in
            do throws(DecodingError) {
                _ = try SchemaSet(json: bytes, others: .allow, limits: .journal)
                return nil
            } catch {
                return error
            }
        }
        if let error { throw InputError(error, in: text) }
        return String(decoding: text, as: UTF8.self)
    }

    private func set(_ schemas: ListSchemas) async throws {
        try await daemon.withConnection { try await $0.setSchemas(of: list, schemas) }
    }

    private func show() async throws {
        var output = StandardOutput()
        if json {
            output.json(try await daemon.withReadOnlyConnection { try await $0.schemasJSON(of: list) })
            return output.flush()
        }
        let schemas = try await daemon.withReadOnlyConnection { try await $0.schemas(of: list) }
        output.json(schemas.json.utf8)
        output.flush()
        if schemas.others == .areRefused {
            printMessage("items whose kind has no schema are refused (--others refuse)")
        }
    }
}
