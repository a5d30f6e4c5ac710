import EtcdClient
import Testing

@Suite struct EndpointTests {
    @Test func anEndpointIsAURLOrAHost() throws {
        #expect(try Endpoint("http://10.0.0.1:2379").place == .address4("10.0.0.1", port: 2_379))
        #expect(try Endpoint("etcd.example").place == .name("etcd.example", port: 2_379))
        #expect(try Endpoint("https://etcd.example:1").place == .name("etcd.example", port: 1))
        #expect(try Endpoint("https://[::1]:5").place == .address6("::1", port: 5))
        #expect(try Endpoint("unix:///run/etcd.sock").place == .socket("/run/etcd.sock"))
        #expect(try Endpoint("https://a/").usesTLS)
        #expect(try !Endpoint("a").usesTLS)
    }

    @Test(arguments: ["", "ftp://a", "http://", "unix://run", "http://a/b", "http://u@a", "http://a?b"])
    func whatIsNoneIsRefused(_ text: String) { #expect(throws: EndpointError.self) { try Endpoint(text) } }
}
