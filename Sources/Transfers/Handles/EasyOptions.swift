internal import CCurl

/// Sets options on an easy handle and remembers the first that libcurl would not take.
///
/// An option that is not taken is never passed over: most of them are here for safety.
@safe struct EasyOptions {
    private let easy: UnsafeMutableRawPointer
    private var failure: (option: CURLoption, code: CURLcode)?

    init(_ easy: UnsafeMutableRawPointer) {
        unsafe self.easy = easy
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        note(option, unsafe purser_easy_set_long(easy, option, value))
    }

    mutating func set(_ option: CURLoption, _ value: Bool) {
        set(option, value ? 1 : 0)
    }

    mutating func setSize(_ option: CURLoption, _ value: Int) {
        note(option, unsafe purser_easy_set_offset(easy, option, curl_off_t(value)))
    }

    /// libcurl copies the string.
    mutating func set(_ option: CURLoption, _ value: String?) {
        if let value {
            note(
                option, unsafe value.withCString { unsafe purser_easy_set_string(easy, option, $0) }
            )
        } else {
            note(option, unsafe purser_easy_set_string(easy, option, nil))
        }
    }

    /// libcurl keeps the pointer.
    mutating func lend(_ option: CURLoption, _ pointer: UnsafeRawPointer?) {
        note(option, unsafe purser_easy_set_pointer(easy, option, pointer))
    }

    /// libcurl and its connections keep the pointer.
    mutating func lendBlob(_ option: CURLoption, _ start: UnsafeRawPointer, count: Int) {
        note(option, unsafe purser_easy_lend_blob(easy, option, start, count))
    }

    /// libcurl keeps the list.
    mutating func lend(_ option: CURLoption, list: UnsafeMutablePointer<curl_slist>?) {
        note(option, unsafe purser_easy_set_list(easy, option, list))
    }

    /// Throws ``TransferError/internalFault(code:detail:)`` if any option was not taken.
    func check() throws(TransferError) {
        guard let failure else { return }
        throw .internalFault(
            code: Int(failure.code.rawValue), detail: "option \(failure.option.rawValue)")
    }

    mutating func note(_ option: CURLoption, _ code: CURLcode) {
        if failure == nil, code != CURLE_OK { failure = (option, code) }
    }
}
