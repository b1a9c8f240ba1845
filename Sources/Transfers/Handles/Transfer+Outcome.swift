internal import CCurl
internal import Glibc

extension Transfer {
    /// What became of the request that libcurl ended with `code`; asked before ``release()``.
    func outcome(_ code: CURLcode) -> Result<TransferResponse, TransferError> {
        guard code == CURLE_OK || isCutShort(code) else { return .failure(failure(code).meaning) }
        return .success(
            TransferResponse(
                status: unsafe purser_easy_long(easy, CURLINFO_RESPONSE_CODE),
                headerLines: progress.headerLines, body: progress.body,
                connectionReused: progress.connectionReused,
                localPort: unsafe purser_easy_long(easy, CURLINFO_LOCAL_PORT), timings: timings))
    }

    /// Whether the answer was only too long for a caller who needs its status alone.
    private func isCutShort(_ code: CURLcode) -> Bool {
        guard submission?.request.statusSuffices == true else { return false }
        return code == CURLE_FILESIZE_EXCEEDED
            || (code == CURLE_WRITE_ERROR && progress.bodyOverflowed)
    }

    private var timings: TransferTimings {
        var timings = TransferTimings()
        if let submission { timings.waited = max(began - submission.submitted, .zero) }
        timings.total = time(CURLINFO_TOTAL_TIME_T)
        if !progress.connectionReused {
            // libcurl counts each of them from the beginning.
            let name = time(CURLINFO_NAMELOOKUP_TIME_T)
            let connected = time(CURLINFO_CONNECT_TIME_T)
            timings.nameLookup = name
            timings.connect = max(connected - name, .zero)
            timings.handshake = max(time(CURLINFO_APPCONNECT_TIME_T) - connected, .zero)
        }
        return timings
    }

    private func failure(_ code: CURLcode) -> FailedTransfer {
        var stage = ConnectStage.nameLookup
        if progress.socketsOpened > 0 {
            // Counted when TCP has connected; the times are only written when TLS has agreed too.
            let connected = unsafe purser_easy_long(easy, CURLINFO_NUM_CONNECTS) > 0
            stage = connected ? .handshake : .connecting
        }
        return FailedTransfer(
            code: code, text: errorText, host: submission?.request.authority ?? "",
            proxy: pool.proxyHost,
            systemError: Int32(unsafe purser_easy_long(easy, CURLINFO_OS_ERRNO)),
            proxyStatus: progress.proxyStatus,
            proxyHasNoEnd: progress.proxyBytes > Transfer.proxyLimit,
            requestBegun: progress.requestsBegun > 0, connectionReused: progress.connectionReused,
            answerBegun: !progress.headerLines.isEmpty, overflowed: progress.overflowed,
            responseLimit: pool.configuration.maximumResponseBytes,
            addressRefusal: progress.socketsOpened == 0 ? progress.addressRefusal : nil,
            filesExhausted: progress.filesExhausted || !canOpenAFile(), stage: stage)
    }

    private func time(_ info: CURLINFO) -> Duration {
        .microseconds(unsafe purser_easy_offset(easy, info))
    }
}

/// Whether this process may open another file: failures of libcurl do not say that it may not.
private func canOpenAFile() -> Bool {
    let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
    close(descriptor)
    return true
}
