import Foundation
import Testing

extension Integration {
    struct FeedExampleTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        /// Serves a file with an ETag, and writes its port and each answer's status into files.
        private static let server = """
            import hashlib, http.server, os, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    body = open(sys.argv[1], "rb").read()
                    tag = '"' + hashlib.sha256(body).hexdigest() + '"'
                    is_same = self.headers["If-None-Match"] == tag
                    self.send_response(304 if is_same else 200)
                    self.send_header("ETag", tag)
                    self.end_headers()
                    if not is_same: self.wfile.write(body)
                def log_request(self, code="-", size="-"): open(sys.argv[3], "a").write(f"{int(code)}\\n")
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            open(sys.argv[2] + ".part", "w").write(str(server.server_address[1]))
            os.rename(sys.argv[2] + ".part", sys.argv[2])
            server.serve_forever()
            """

        private func replace(_ text: String) throws {
            _ = try daemon.directory.write(text, to: "new")
            try #require(rename(file("new"), file("rows.json")) == 0)
        }

        @Test func `a feed with a URL asks by the ETag, and keeps its list while the reply is nonsense`() throws {
            try replace(#"[{"id":"x"}]"#)
            let server = try Program(
                "/usr/bin/python3", ["-c", Self.server, file("rows.json"), file("port"), file("answers")],
                in: daemon.directory)
            defer { server.end(with: SIGKILL) }
            let port = try eventually("a port; \(server.complaints)") {
                try? String(contentsOfFile: file("port"), encoding: .utf8)
            }
            let program = try daemon.startFeeds(
                """
                - list: a
                  url: http://127.0.0.1:\(port)/rows.json
                  every: 100ms
                """)
            try daemon.waitForIDs(["x"], program)
            _ = try eventually("an answer that nothing has changed") {
                try String(contentsOfFile: file("answers"), encoding: .utf8).contains("304") ? true : nil
            }
            try replace(#"[{"id":"x"},{"id":"y"}]"#)
            try daemon.waitForIDs(["x", "y"], program)
            try replace("nonsense")
            _ = try daemon.waitForStatus("a failure") { $0.state == "failing" }
            #expect(try daemon.ids(of: "a") == ["x", "y"])
            try replace(#"[{"id":"z"}]"#)
            try daemon.waitForIDs(["z"], program)
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }
    }
}
