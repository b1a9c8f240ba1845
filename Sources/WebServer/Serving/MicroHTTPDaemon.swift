internal import CMicroHTTPD

/// A libmicrohttpd daemon on one listening socket, with a thread of its own.
///
/// Its calls may come from any thread: MHD_quiesce_daemon and MHD_stop_daemon are meant for threads
/// other than the daemon's, and the daemon locks what they share.
@safe struct MicroHTTPDaemon: @unchecked Sendable {
    private let daemon: OpaquePointer
    private let configuration: UnsafeMutablePointer<purser_mhd_configuration>

    /// Starts it, for an `engine` that lives until ``stop()`` returns; nil when libmicrohttpd cannot.
    init?(listeningOn socket: ListenSocket, connections: Int, engine: Engine) {
        unsafe configuration = .allocate(capacity: 1)
        unsafe configuration.initialize(
            to: purser_mhd_configuration(
                listen_socket: socket.descriptor, connection_limit: UInt32(connections),
                connection_memory: engine.limits.maximumHeaderBytes,
                context: Unmanaged.passUnretained(engine).toOpaque(),
                request_started: requestStarted, access: requestCalled,
                completed: requestCompleted, connection_changed: connectionChanged, logged: logged))
        guard let daemon = unsafe purser_mhd_start(configuration) else {
            unsafe configuration.deallocate()
            return nil
        }
        unsafe self.daemon = daemon
    }

    /// Accepts no more connections; those that are open go on.
    func quiesce() {
        _ = unsafe MHD_quiesce_daemon(daemon)
    }

    /// Closes all connections, none of which may be suspended, and ends the thread; call it once.
    func stop() {
        unsafe MHD_stop_daemon(daemon)
        unsafe configuration.deallocate()
    }
}
