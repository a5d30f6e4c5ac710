import DiffableJSON

extension Request {
    /// Writes one whole line of any length; `RequestWriter` splits long ones.
    package func write(id: RequestID, into writer: inout ByteWriter) {
        writer.beginRequest(method, id: id)
        parameters.write(into: &writer)
        writer.append("}}\n")
    }
}
