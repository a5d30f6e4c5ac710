import CSystemd
import Glibc

/// A message of sd-bus, read or written from beginning to end. The code that provides it defines its lifetime.
struct BusMessage {
    let pointer: OpaquePointer

    /// Reads a string; nil at the end of the container, and for another type.
    func string(_ type: Character = "s") -> String? {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(pointer, CChar(type.asciiValue ?? 0), &text) > 0, let text else { return nil }
        return String(cString: text)
    }

    func unsigned64() -> UInt64? {
        var number: UInt64 = 0
        return sd_bus_message_read_basic(pointer, CChar(UInt8(ascii: "t")), &number) > 0 ? number : nil
    }

    func boolean() -> Bool? {
        var number: Int32 = 0
        return sd_bus_message_read_basic(pointer, CChar(UInt8(ascii: "b")), &number) > 0 ? number != 0 : nil
    }

    func skip(_ types: String) { sd_bus_message_skip(pointer, types) }

    /// Reads the contents of a container; nil if the next element is not of that type.
    func readContainer<R>(_ container: Character, _ contents: String, _ read: () -> R?) -> R? {
        let type = CChar(container.asciiValue ?? 0)
        guard sd_bus_message_enter_container(pointer, type, contents) > 0 else { return nil }
        let result = read()
        return sd_bus_message_exit_container(pointer) >= 0 ? result : nil
    }

    /// Reads the contents of a variant.
    func variant<R>(_ contents: String, _ read: () -> R?) -> R? { readContainer("v", contents, read) }

    /// The error of an answer; nil if the call succeeded.
    var error: (name: String, message: String)? {
        guard sd_bus_message_is_method_error(pointer, nil) > 0, let error = sd_bus_message_get_error(pointer) else {
            return nil
        }
        let name = error.pointee.name.map { String(cString: $0) } ?? ""
        return (name, error.pointee.message.map { String(cString: $0) } ?? name)
    }

    // MARK: - Writing

    func append(_ text: String) -> Bool {
        text.withCString { sd_bus_message_append_basic(pointer, CChar(UInt8(ascii: "s")), $0) >= 0 }
    }

    func append(_ texts: [String]) -> Bool {
        guard sd_bus_message_open_container(pointer, CChar(UInt8(ascii: "a")), "s") >= 0 else { return false }
        for text in texts where !append(text) { return false }
        return sd_bus_message_close_container(pointer) >= 0
    }
}

// MARK: - Messages of systemd

extension BusMessage {
    /// Reads the units in an answer of ListUnits or a similar call.
    func units() -> [Unit]? {
        readContainer("a", "(ssssssouso)") {
            var units: [Unit] = []
            while let unit = readContainer("r", "ssssssouso", unit) { units.append(unit) }
            return units
        }
    }

    private func unit() -> Unit? {
        guard let name = string(), let description = string(), let load = string(), let active = string(),
            let sub = string()
        else { return nil }
        skip("souso")
        return Unit(name: name, description: description, load: load, state: UnitState(active: active, sub: sub))
    }

    /// Reads the unit files in an answer of ListUnitFiles or a similar call.
    func unitFiles() -> [UnitFile]? {
        readContainer("a", "(ss)") {
            var files: [UnitFile] = []
            while let file = readContainer("r", "ss", unitFile) { files.append(file) }
            return files
        }
    }

    private func unitFile() -> UnitFile? {
        guard let path = string(), let state = string() else { return nil }
        return UnitFile(name: path.split(separator: "/").last.map(String.init) ?? path, state: state)
    }

    /// Reads the state in PropertiesChanged of the interface of all units; nil for another interface or without the state.
    func changedState() -> UnitState? {
        guard string() == "org.freedesktop.systemd1.Unit" else { return nil }
        var state = UnitState(active: "", sub: "")
        let isRead: Bool? = readContainer("a", "{sv}") {
            while readContainer("e", "sv", { property(of: &state) }) != nil {}
            return true
        }
        return isRead == true && !state.active.isEmpty && !state.sub.isEmpty ? state : nil
    }

    private func property(of state: inout UnitState) -> Bool? {
        switch string() {
        case "ActiveState": state.active = variant("s") { string() } ?? ""
        case "SubState": state.sub = variant("s") { string() } ?? ""
        case "StateChangeTimestamp": state.since = variant("t", unsigned64).flatMap(milliseconds)
        case nil: return nil
        default: skip("v")
        }
        return true
    }

    /// Reads a unit's time from an answer of Get, in milliseconds since 1970.
    func time() -> Int? { variant("t", unsigned64).flatMap(milliseconds) }
}

/// Returns milliseconds for systemd's microseconds; nil for zero, which means never.
private func milliseconds(_ microseconds: UInt64) -> Int? {
    microseconds == 0 || microseconds == .max ? nil : Int(microseconds / 1_000)
}
