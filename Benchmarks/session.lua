-- What wrk sends, and what it tells in the end, as one line of JSON.
-- wrk … -s session.lua URL -- BODY [NUMBER]
-- The first NUMBER requests come within 300 ms, and not all at once.

function init(arguments)
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
    wrk.body = arguments[1]
    -- Not among the arguments, which everybody on the machine can read.
    local token = os.getenv("PURSER_BENCHMARK_TOKEN")
    if token then wrk.headers["Authorization"] = "Bearer " .. token end
    local first = tonumber(arguments[2] or 0)
    if first == 0 then return end
    function delay()
        if first == 0 then return 0 end
        first = first - 1
        return math.random(0, 300)
    end
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"p50":%.1f,"p99":%.1f,"refused":%d,"failures":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
        errors.status, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
