import Database
import Issuance
import Merchants
import Registry

/// `purser alert list`.
enum AlertListCommand {
    static let all = Option(flag: "all", "those that are over, too")

    static let verb = Verb(
        "alert", "list", summary: "list what the watch has raised, and who could not be told",
        discussion: [
            "An alert is over when the watch finds its problem gone. A stage is the number of days "
                + "before an expiry that has been reached, or how urgent it is; an acknowledged one is "
                + "not told daily until its next stage. One that is over is listed until everybody who "
                + "was told of it has taken that, and with --all for good.",
            "With --json each alert has its receivers, with what they have taken and when.",
        ],
        options: [all],
        examples: [Example("purser alert list --all", "see what was told in the past, too")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let home = try await invocation.openHome(.readOnly)
        let isAll = invocation.isSet(all)
        let rows = try await home.database.read { transaction in
            let alerts =
                isAll
                ? try AlertRecords.all(in: transaction)
                : try AlertRecords.unfinished(in: transaction)
            return try alerts.map { alert in
                AlertReport(alert, try AlertDeliveries.list(of: alert.id, in: transaction))
            }
        }
        try invocation.print(AlertListReport(rows: rows))
    }
}
