internal import CCurl

extension EasyOptions {
    /// What is the same for every request of a pool, set once when the handle is made.
    mutating func setConstants(_ configuration: PoolConfiguration) {
        setProtocol(configuration)
        setTLS()
        setRoute(configuration)
        set(CURLOPT_CONNECTTIMEOUT_MS, max(configuration.connectTimeout.milliseconds, 1))
        setSize(CURLOPT_MAXFILESIZE_LARGE, configuration.maximumResponseBytes)
        set(CURLOPT_MAXAGE_CONN, max(configuration.idleLifetime.wholeSeconds, 1))
        let life = max(configuration.connectionLifetime.wholeSeconds, 1)
        set(CURLOPT_MAXLIFETIME_CONN, Int.random(in: max(life * 4 / 5, 1)...life))
        // No signals: other threads run. SIGPIPE is ignored instead (LibraryStart).
        set(CURLOPT_NOSIGNAL, true)
        // A transfer that ends while its name is being looked up would otherwise wait for the
        // look-up's thread, and all other transfers with it. That thread cleans up after itself.
        set(CURLOPT_QUICK_EXIT, true)
    }

    private mutating func setProtocol(_ configuration: PoolConfiguration) {
        set(CURLOPT_PROTOCOLS_STR, configuration.allowsPlainHTTP ? "http,https" : "https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
        // A gateway that redirects is to be looked at by a person, not followed with a merchant's
        // certificate.
        set(CURLOPT_FOLLOWLOCATION, false)
        // One request at a time on a connection: a connection that fails takes one request with it,
        // and an answer never waits behind another. There is nothing to gain from HTTP/2 here.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_HTTP09_ALLOWED, false)
        // Bytes are handed on as they come: no encoding is offered, none undone.
        set(CURLOPT_ACCEPT_ENCODING, nil)
        set(CURLOPT_USERAGENT, "purser")
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // Ours to see: see Transfer.receiveHeader.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, false)
        // libcurl makes both buffers anew for each request: 64 KB by default for what it sends, which
        // makes the allocator tidy up each time. These hold our requests and Apple's answers whole.
        set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
        set(CURLOPT_BUFFERSIZE, 8_192)
    }

    private mutating func setTLS() {
        set(CURLOPT_SSL_VERIFYPEER, true)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // For TLS 1.2: what Apple's gateway asks for. TLS 1.3 has its own list, all of it good.
        set(
            CURLOPT_SSL_CIPHER_LIST,
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
                + "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384")
        set(CURLOPT_SSL_SESSIONID_CACHE, true)
        set(CURLOPT_PROXY_SSL_VERIFYPEER, true)
        set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
        set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    }

    private mutating func setRoute(_ configuration: PoolConfiguration) {
        // Set also where there is none, or libcurl asks HTTPS_PROXY and NO_PROXY.
        set(CURLOPT_PROXY, configuration.proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_DNS_CACHE_TIMEOUT, Transfer.nameLifetime)
        set(CURLOPT_IPRESOLVE, configuration.addressFamily.option)
        set(CURLOPT_TCP_NODELAY, true)
        // A firewall that forgets idle connections is noticed between requests, not within one.
        set(CURLOPT_TCP_KEEPALIVE, true)
        set(CURLOPT_TCP_KEEPIDLE, 20)
        set(CURLOPT_TCP_KEEPINTVL, 10)
    }
}

extension AddressFamily {
    fileprivate var option: Int {
        switch self {
        case .any: Int(CURL_IPRESOLVE_WHATEVER)
        case .ipv4: Int(CURL_IPRESOLVE_V4)
        case .ipv6: Int(CURL_IPRESOLVE_V6)
        }
    }
}
