import Testing
import WebServer

@Suite struct RouterTests {
    private let router: Router<String> = {
        var router = Router<String>()
        router.add("GET", "/", "root")
        router.add("GET", "/v1/merchants", "list")
        router.add("POST", "/v1/merchants", "add")
        router.add("GET", "/v1/merchants/{id}", "show")
        router.add("GET", "/v1/merchants/all", "all")
        router.add("PUT", "/v1/merchants/{id}/domains/{domain}", "put")
        router.add("DELETE", "/v1/merchants/{id}/domains/{domain}", "delete")
        router.add("GET", "/v1/merchants/all/special", "special")
        return router
    }()

    private func describe(_ match: Router<String>.Match) -> String {
        switch match {
        case .found(let name, let parameters):
            ([name] + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                .joined(separator: " ")
        case .methodNotAllowed(let allowing): "allow \(allowing)"
        case .notFound: "nothing"
        }
    }

    @Test(arguments: [
        ("GET", "/", "root"),
        ("HEAD", "/", "root"),
        ("POST", "/v1/merchants", "add"),
        ("GET", "/v1/merchants/merchant.com.shop", "show id=merchant.com.shop"),
        ("GET", "/v1/merchants/a%20b%2Fc", "show id=a b/c"),
        ("GET", "/v1/merchants/all", "all"),
        ("PUT", "/v1/merchants/m/domains/d", "put domain=d id=m"),
        // A literal that leads nowhere gives way to a name.
        ("PUT", "/v1/merchants/all/domains/d", "put domain=d id=all"),
        ("GET", "/v1/merchants/all/special", "special"),
        ("POST", "/v1/merchants/m/domains/d", "allow DELETE, PUT"),
        ("DELETE", "/v1/merchants", "allow GET, HEAD, POST"),
        ("HEAD", "/v1/merchants/m/domains/d", "allow DELETE, PUT"),
        ("get", "/", "allow GET, HEAD"),
        ("GET", "/v1/merchants/", "nothing"),
        ("GET", "//", "nothing"),
        ("GET", "/v1", "nothing"),
        ("GET", "/v1/merchants/m/", "nothing"),
        ("GET", "/v1/merchants/%FF", "nothing"),
        ("GET", "/v1/../v1/merchants", "nothing"),
        ("GET", "", "nothing"),
        ("GET", "*", "nothing"),
    ])
    func `a method and a path find their handler`(
        _ method: String, _ path: String, _ expected: String
    ) {
        #expect(describe(router.match(method, path)) == expected)
    }

    @Test func `escapes are decoded or refused`() {
        #expect(PercentEncoding.decode("a%41%c3%a4+") == "aAä+")
        for broken in ["%", "%4", "%4g", "%c3", "%ff"] {
            #expect(PercentEncoding.decode(broken) == nil)
        }
    }
}
