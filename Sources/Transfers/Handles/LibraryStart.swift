internal import CCurl
internal import Glibc

/// libcurl's global start, once for the process and before any handle.
///
/// curl_global_init(3) may be called from any thread where the library says `threadsafe`, as
/// Debian's does; a lazy global is initialised once whoever comes first.
let libraryIsStarted: Bool = {
    // TLS writes on a connection that the server has closed would otherwise end the process: curl's
    // own guard is off, because CURLOPT_NOSIGNAL is on.
    signal(SIGPIPE, SIG_IGN)
    // libcurl would write every session's keys to the file that this variable names.
    unsafe unsetenv("SSLKEYLOGFILE")
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}()
