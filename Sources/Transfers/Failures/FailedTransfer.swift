internal import CCurl
internal import Glibc

/// What is known of a transfer that libcurl gave up, and what that means.
///
/// One place translates libcurl's codes. They alone say too little: what had happened before, kept
/// by ``Transfer``, tells whether a time-out or a closed connection came before or after the request.
struct FailedTransfer: Sendable {
    var code: CURLcode
    /// The text in CURLOPT_ERRORBUFFER.
    var text = ""
    var host = ""
    /// The proxy's host, if there is one.
    var proxy: String?
    /// The errno of the last connect(2) that failed.
    var systemError: Int32 = 0
    /// What the proxy answered to CONNECT; 0 without a proxy.
    var proxyStatus = 0
    /// Whether more than is read came in answer to CONNECT.
    var proxyHasNoEnd = false
    /// Whether the request had begun to be written.
    var requestBegun = false
    var connectionReused = false
    /// Whether any header had been received.
    var answerBegun = false
    /// Whether the receiving callbacks refused more bytes.
    var overflowed = false
    var responseLimit = 0
    /// Why no connection was tried at all, if that is because of the address.
    var addressRefusal: AddressRefusal?
    /// Whether this process can open no more files.
    var filesExhausted = false
    /// How far the connection had come.
    var stage = ConnectStage.nameLookup

    /// The error to report.
    var meaning: TransferError {
        if overflowed { return .answerTooLarge(limit: responseLimit) }
        if filesExhausted && !requestBegun { return .tooManyFiles }
        let openSSL = OpenSSLErrorText(in: text)
        // TLS 1.3 tells a client late: its handshake has ended before the server has looked at the
        // certificate, and the alert is what the first read gives.
        if let alert = openSSL?.alert, !answerBegun { return .tlsAlert(alert) }
        return requestBegun ? afterTheRequest : beforeTheRequest(openSSL)
    }

    private var afterTheRequest: TransferError {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            .answerTimedOut(host: host)
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY:
            // The second is how 7.88 says that one header line is longer than 100 KB.
            .answerTooLarge(limit: responseLimit)
        case CURLE_PARTIAL_FILE:
            .truncatedAnswer(host: host)
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            // The first: no status line at all, which libcurl takes for HTTP/0.9.
            .malformedAnswer(host: host)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_ABORTED_BY_CALLBACK,
            CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST:
            // The last three: our callbacks stopped libcurl from sending the request again over
            // another connection (see Transfer.beginRequest).
            answerBegun
                ? .truncatedAnswer(host: host)
                : .closedBeforeAnswer(connectionReused: connectionReused)
        default:
            internalFault
        }
    }

    private func beforeTheRequest(_ openSSL: OpenSSLErrorText?) -> TransferError {
        if let addressRefusal { return .addressRefused(host: host, addressRefusal) }
        if proxyHasNoEnd { return .proxyFailed(detail: "its answer to CONNECT is too long") }
        if proxyStatus == 999 { return .proxyFailed(detail: "it did not speak as a proxy does") }
        if proxyStatus > 299 { return .proxyRefused(status: proxyStatus) }
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            if let proxy, proxyStatus == 0 {
                return .connectTimedOut(
                    host: proxy, stage: stage == .nameLookup ? .nameLookup : .connecting)
            }
            return .connectTimedOut(host: host, stage: stage)
        case CURLE_COULDNT_RESOLVE_HOST:
            return .nameNotResolved(host: host)
        case CURLE_COULDNT_RESOLVE_PROXY:
            return .proxyFailed(detail: "its name cannot be resolved")
        case CURLE_PROXY:
            return .proxyFailed(detail: "it did not speak as a proxy does")
        case CURLE_COULDNT_CONNECT:
            if let proxy { return .proxyFailed(detail: "cannot connect to \(proxy)") }
            return systemError == ECONNREFUSED || systemError == ECONNRESET
                ? .connectionRefused(host: host) : .unreachable(host: host)
        case CURLE_PEER_FAILED_VERIFICATION:
            return verificationFailure
        case CURLE_SSL_CERTPROBLEM:
            return .identityUnusable(
                detail: text.contains("private key")
                    ? "the key is not in PEM, or not the certificate's"
                    : "the certificate is not in PEM")
        case CURLE_SSL_CACERT_BADFILE:
            return .trustUnusable(detail: openSSL?.reason ?? brief(text))
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
            return .requestRefused(brief(text))
        case _ where isReset && proxy == nil:
            // Whether a reset comes before TLS begins or in it is a matter of luck.
            return .connectionRefused(host: host)
        case CURLE_SSL_CONNECT_ERROR:
            return .handshakeFailed(host: host, detail: openSSL?.reason ?? brief(text))
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
            if proxy != nil, proxyStatus == 0 {
                return .proxyFailed(detail: "it closed the connection without an answer")
            }
            return .handshakeFailed(host: host, detail: openSSL?.reason ?? brief(text))
        default:
            return internalFault
        }
    }

    /// Whether libcurl's text is strerror(3)'s for ECONNRESET.
    private var isReset: Bool { text.contains("Connection reset by peer") }

    private var verificationFailure: TransferError {
        // ossl_verifyhost words its two refusals so; everything else is about the chain.
        if text.hasPrefix("SSL: no alternative certificate subject name")
            || text.contains("does not match target host name")
        {
            return .serverNameMismatch(host: host)
        }
        // 7.88 reports the server's alert 45 under TLS 1.2 as if our own check had failed, but
        // without a result of that check.
        if text == "SSL certificate verification failed" { return .tlsAlert(TLSAlert(number: 45)) }
        let lead = "SSL certificate problem: "
        let detail = text.hasPrefix(lead) ? String(text.dropFirst(lead.count)) : text
        return .serverUntrusted(host: host, detail: brief(detail))
    }

    private var internalFault: TransferError {
        let words = text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text
        return .internalFault(code: Int(code.rawValue), detail: brief(words))
    }
}

/// A text of another library cut so that a summary stays within a line; printable ASCII only.
private func brief(_ text: String) -> String {
    String(
        text.unicodeScalars.filter { $0.isASCII && $0.value >= 0x20 }.prefix(60).map(Character.init)
    )
}
