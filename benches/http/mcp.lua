-- The requests of run.py for wrk: wrk -s mcp.lua URL -- list|call|legacylist, with TOKEN in the environment.
local meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
  .. '"io.modelcontextprotocol/clientInfo":{"name":"wrk","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}'
local modes = {
  list = { "tools/list", nil, "{" .. meta .. "}" },
  call = { "tools/call", "echo", '{"name":"echo","arguments":{"text":"hello world"},' .. meta .. "}" },
  legacylist = { nil, nil, "{}" },
}
local text

function init(args)
  local mode = modes[args[1]]
  local method, name, params = mode[1], mode[2], mode[3]
  wrk.method = "POST"
  wrk.headers["Authorization"] = "Bearer " .. os.getenv("TOKEN")
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json, text/event-stream"
  wrk.headers["MCP-Protocol-Version"] = method and "2026-07-28" or "2025-11-25"
  if method then wrk.headers["Mcp-Method"] = method end
  if name then wrk.headers["Mcp-Name"] = name end
  wrk.body = '{"jsonrpc":"2.0","id":1,"method":"' .. (method or "tools/list") .. '","params":' .. params .. "}"
  text = wrk.format()
end

function request() return text end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("RESULT %f %f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(99) / 1e3, errors.status + broken))
end
