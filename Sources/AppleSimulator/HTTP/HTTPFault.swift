/// A request that is not HTTP/1.1 as we read it; it is answered with ``status``, and the connection
/// ends.
struct HTTPFault: Error {
    let status: Int
    let words: String

    init(_ status: Int, _ words: String) {
        self.status = status
        self.words = words
    }
}
