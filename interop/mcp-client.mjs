// The official TypeScript client in the modes legacy, auto and pinned 2026-07-28, against a running server:
// discover, list, every tool, progress, abort, and a repeated call that attaches (MCP-36). Having listed the tools, the
// client itself refuses a result that does not fit its tool's output schema (MCP-39).
//
//   SIMPLEX_MCP_URL=http://127.0.0.1:5226/mcp SIMPLEX_MCP_TOKEN=... SIMPLEX_MCP_TARGET=LINK node mcp-client.mjs
//   node mcp-client.mjs COMMAND...
//
// The second form starts the command and reads the same from its first line, {"url", "token", "target"}; its stdin is
// closed at the end and it has to end with 0. SIMPLEX_MCP_TARGET is the link of a bot that answers "knitting"; the agent's owner approves what it
// is asked (interop/scenario.json has both). SIMPLEX_MCP_MODES picks modes, separated by commas.
// Ends with 0 when everything held, and with 1 and the reason otherwise.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const MODERN = '2026-07-28';
const modes = { legacy: 'legacy', auto: 'auto', pinned: { pin: MODERN } };

/** The server to talk to, and how to let it go. */
async function server() {
  const { SIMPLEX_MCP_URL: url, SIMPLEX_MCP_TOKEN: token, SIMPLEX_MCP_TARGET: target } = process.env;
  const [command, ...args] = process.argv.slice(2);
  if (!command) {
    assert(url && token, 'set SIMPLEX_MCP_URL and SIMPLEX_MCP_TOKEN, or give a command that starts a server');
    return { url, token, target, end: async () => {} };
  }
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  for await (const line of createInterface({ input: child.stdout })) {
    const end = async () => {
      child.stdin.end();
      const [code] = await once(child, 'exit');
      assert.equal(code, 0, `${command} ended with ${code}`);
    };
    return { ...JSON.parse(line), end };
  }
  throw new Error(`${command} ended without a line`);
}

/** A connected client of a mode, with the HTTP requests it made. */
async function connected(mode, { url, token }) {
  const requests = [];
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      requests.push({ method: init?.method ?? 'GET', status: response.status, type: response.headers.get('content-type'), session: response.headers.get('mcp-session-id') });
      return response;
    },
  });
  const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: modes[mode] } });
  await client.connect(transport);
  return { client, requests };
}

/** What holds for every server of ours. */
async function basics(mode, { client, requests }) {
  const modern = mode !== 'legacy';
  assert.equal(client.getProtocolEra(), modern ? 'modern' : 'legacy');
  assert.equal(client.getNegotiatedProtocolVersion(), modern ? MODERN : '2025-11-25');
  assert(client.getInstructions()?.length > 5, 'instructions');
  assert(client.getServerVersion()?.name, 'serverInfo');
  assert('tools' in client.getServerCapabilities());
  if (modern) {
    const discovered = await client.discover();
    assert.deepEqual(discovered.supportedVersions, [MODERN]);
  } else {
    await client.ping();
  }
  const { tools } = await client.listTools();
  assert(tools.length > 0);
  for (const tool of tools) {
    assert.match(tool.name, /^[a-z_]{1,64}$/);
    assert(tool.description && tool.inputSchema.type === 'object' && tool.outputSchema?.type === 'object', tool.name);
  }
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), error => error.code === -32602);
  assert(requests.every(request => request.session === null), 'no session');
  assert(requests.every(request => request.method === 'POST' ? request.status < 300 : request.status === 405));
  return tools.map(tool => tool.name);
}

/** A call with its progress messages. */
async function call(client, name, args, options = {}) {
  const progress = [];
  const result = await client.callTool({ name, arguments: args }, {
    timeout: 60_000,
    onprogress: ({ progress: number, message }) => progress.push([number, message]),
    ...options,
  });
  assert(progress.every(([number], index) => index === 0 || number > progress[index - 1][0]), 'progress grows');
  return { result, progress, value: result.structuredContent };
}

/** A call that is given up after a while. */
async function aborted(client, name, args, after) {
  const controller = new AbortController();
  const pending = client.callTool({ name, arguments: args }, { signal: controller.signal, timeout: 60_000 });
  const rejected = assert.rejects(pending);
  await sleep(after);
  controller.abort('given up');
  await rejected;
}

/** The test machine of the adapters. */
async function bench({ client, requests }) {
  const echo = await call(client, 'echo', { text: 'Grüße, 🐑', n: 1.5 });
  assert.deepEqual(echo.value, { text: 'Grüße, 🐑', n: 1.5 });
  assert.equal(requests.at(-1).type, 'application/json');
  const slow = await call(client, 'slow', { ms: 700 });
  assert.equal(slow.result.content[0].text, 'slow done');
  assert.equal(requests.at(-1).type, 'text/event-stream');
  assert(slow.progress.length > 1);
  const big = await call(client, 'big', { bytes: 1_000_000 });
  assert.equal(big.result.content[0].text.length, 1_000_000);
  await aborted(client, 'hang', {}, 400);
  const first = call(client, 'slow', { ms: 1500, key: 'k' });
  await sleep(1000);
  const start = Date.now();
  await Promise.all([first, call(client, 'slow', { ms: 1500, key: 'k' })]);
  assert(Date.now() - start < 1400, 'the second call attached');
}

/** The agent server: its tools on a chat with a bot. */
async function agent({ client, requests }, target) {
  assert(target, 'set SIMPLEX_MCP_TARGET to the link of a bot');
  const before = (await call(client, 'list', {})).value;
  assert(Array.isArray(before.chats) && Array.isArray(before.actions));

  const joined = await call(client, 'connect', { target, wait: 30, idle: 2 });
  assert.equal(joined.value.status, 'done', JSON.stringify(joined.value));
  assert.equal(joined.value.connected, true);
  assert.deepEqual(JSON.parse(joined.result.content[0].text), joined.value);
  assert(joined.progress.length > 0 && joined.progress[0][1], 'progress while the owner decides');
  assert.equal(requests.at(-1).type, 'text/event-stream');
  const { chat } = joined.value;
  const known = await call(client, 'connect', { target });
  assert.equal(known.value.status, 'known');
  assert.equal(known.value.chat, chat);

  const sent = await call(client, 'send', { chat, text: 'knitting', wait: 20, idle: 2 });
  assert.equal(sent.value.status, 'done', JSON.stringify(sent.value));
  assert(sent.value.responses.length > 0, 'the bot answers');

  // A call that is given up leaves its action, and the same call gets its result.
  const again = { chat, text: 'knitting again', wait: 4, idle: 3 };
  await aborted(client, 'send', again, 800);
  const open = (await call(client, 'list', {})).value.actions.find(action => action.input.text === again.text);
  assert(open, 'the action is still listed');
  const attached = await call(client, 'send', again);
  assert.equal(attached.value.action, open.action, 'the repeated call attached');
  assert.equal(attached.value.status, 'done');

  const received = await call(client, 'receive', { chat, wait: 0 });
  assert(Array.isArray(received.value.messages));
  await aborted(client, 'receive', { chat, wait: 600 }, 500);

  const refused = await call(client, 'send', { chat, text: '' });
  assert.equal(refused.result.isError, true);
  assert.match(refused.result.content[0].text, /^text: must have 1 to 12000 characters/);

  const left = await call(client, 'leave', { chat });
  assert.equal(left.value.status, 'done', JSON.stringify(left.value));
}

const { url, token, target, end } = await server();
try {
  const picked = (process.env.SIMPLEX_MCP_MODES ?? Object.keys(modes).join()).split(',');
  await assert.rejects(connected('pinned', { url, token: 'wrong' }), 'a wrong token is refused');
  for (const mode of picked) {
    assert(mode in modes, `no mode ${mode}`);
    const session = await connected(mode, { url, token });
    const tools = await basics(mode, session);
    if (tools.includes('echo')) {
      await bench(session);
    } else {
      assert.deepEqual(tools, ['connect', 'send', 'receive', 'list', 'leave']);
      await agent(session, target);
    }
    await session.client.close();
    console.log(`ok ${mode}: ${tools.join(', ')}`);
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await end();
}
