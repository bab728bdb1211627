-- POST /v1/messages for wrk: each request is a taskwire message of 512 bytes with a new id.
-- The script builds the request without wrk.format, which would cost the client more time.
-- Use: wrk -t1 -c64 -d5s -s post.lua http://127.0.0.1:PORT/v1/messages -- EIGHT_HEX_DIGITS

local body_bytes = 512
local id_format = '%s-0000-4000-8000-%012x'
local id_bytes = 36
local count = 0
local run, head, tail

function init(args)
    run = args[1] or '00000000'
    local before = '{"id":"'
    local after = '","timestamp":"2025-01-01T00:00:00.000Z","from":"planner","to":"sink",'
        .. '"type":"TASK_UPDATE","metadata":{"correlation_id":"0b8e4c1a-92d7-4e55-8a36-7c1f0d9e2b44",'
        .. '"priority":"high","retry_count":0,"max_retries":3},'
        .. '"payload":{"task_id":"task-1","status":"in_progress","note":"'
    local close = '"}}'
    local padding = body_bytes - #before - id_bytes - #after - #close
    head = 'POST ' .. wrk.path .. ' HTTP/1.1\r\nHost: ' .. wrk.host .. ':' .. wrk.port
        .. '\r\nContent-Type: application/json\r\nContent-Length: ' .. body_bytes .. '\r\n\r\n'
        .. before
    tail = after .. string.rep('x', padding) .. close
end

function request()
    count = count + 1
    return head .. string.format(id_format, run, count) .. tail
end

function done(summary, latency, requests)
    local errors = summary.errors
    print(string.format(
        '{"requests_per_s":%.1f,"p50_us":%d,"p99_us":%d,"refused":%d,"broken":%d}',
        summary.requests / (summary.duration / 1e6), latency:percentile(50),
        latency:percentile(99), errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
