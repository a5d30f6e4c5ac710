import DiffableJSON

extension InputError {
    package init(_ error: JSONError, in text: ArraySlice<UInt8>) {
        self.init(line: lineNumber(ofByte: error.offset, in: text), "\(error.reason)", isBrokenJSON: true)
    }

    package init(_ error: DecodingError, in text: ArraySlice<UInt8>) {
        switch error.reason {
        case .syntax(let error): self.init(error, in: text)
        case .invalid(_, let offset): self.init(line: lineNumber(ofByte: offset, in: text), "\(error)")
        case .tooLarge: self.init("\(error)")
        }
    }
}

private func lineNumber(ofByte offset: Int, in text: ArraySlice<UInt8>) -> Int {
    1 + text.prefix(offset).count(where: { $0 == UInt8(ascii: "\n") })
}
