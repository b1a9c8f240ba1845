import Merchants
import Metrics
import WebServer

/// What the service tells of itself.
enum ServiceCalls {
    static let all = [
        Call(
            method: "GET", path: "/healthz", summary: "Whether the process answers.",
            rule: .localOr(.auditor), isHarmless: true,
            answers: [
                AnswerShape(
                    200, "It does.", .object([Schema.Property("status", .choice(["ok"]))]))
            ]
        ) { _ in Answer(.json(Array(#"{"status":"ok"}"#.utf8))) },
        Call(
            method: "GET", path: "/readyz", summary: "Whether the service should get new work.",
            rule: .localOr(.auditor), isHarmless: true,
            answers: [
                AnswerShape(200, "It should.", .named("Readiness")),
                AnswerShape(503, "It should not; the reasons say why.", .named("Readiness")),
            ]
        ) { try $0.api.ready() },
        Call(
            method: "GET", path: "/metrics", summary: "Measurements for Prometheus.",
            rule: .localOr(.auditor), isAboutAllMerchants: true,
            answers: [
                AnswerShape(
                    200, "In Prometheus's text form.", type: MetricFamily.contentType, .string())
            ]
        ) { await $0.api.measured() },
        Call(
            method: "GET", path: "/openapi.json", summary: "This document.",
            rule: .localOr(.auditor),
            answers: [AnswerShape(200, "OpenAPI 3.1.", .anyObject)]
        ) { Answer(.json($0.api.description)) },
    ]
}
