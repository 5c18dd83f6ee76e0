// MCP hosts as people have them, in a home folder of the test's own and without an account (REG-01, STDIO-01):
// `register`, then Claude Code lists the entry and connects; the Inspector's command line lists the tools and calls
// them, over HTTP and over `stdio`; the official TypeScript client does so over `stdio`, in its three modes.
//
//   node hosts.mjs ../../target/debug/simplex-mcp
//
// Ends with 0 when everything held.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const TOOLS = ['connect', 'send', 'receive', 'list', 'leave'];
const MODES = { legacy: 'legacy', auto: 'auto', pinned: { pin: '2026-07-28' } };
const scenario = resolve('../scenario.json');
const program = resolve(process.argv[2]);
const home = await mkdtemp(join(tmpdir(), 'simplex-mcp-hosts-'));
const bin = resolve('node_modules/.bin');
const env = { HOME: home, PATH: [bin, process.env.PATH].join(delimiter), DISABLE_AUTOUPDATER: '1' };

/** A command to its end: what it printed. */
async function run(command, ...args) {
  const { stdout } = await promisify(execFile)(command, args, { env, cwd: home, timeout: 120_000 });
  return stdout;
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise(done => probe.close(done));
  return port;
}

/** A running server, once its owner has joined. */
async function serve(port) {
  const args = ['serve', 'my-agent', '--port', String(port), '--core', 'sim', '--scenario', scenario];
  const child = spawn(program, args, { env, cwd: home, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('Add the agent to Claude Code: ')) return child;
  }
  throw new Error('the server ended');
}

async function claude(url) {
  assert.equal(await run(program, 'register', 'my-agent'), 'Added to Claude Code: scope user, server simplex-my-agent.\n');
  const listed = await run('claude', 'mcp', 'list');
  assert(listed.includes(`simplex-my-agent: ${url} (HTTP) - ✔ Connected`), listed);
  const entry = await run('claude', 'mcp', 'get', 'simplex-my-agent');
  for (const part of ['User config', 'Connected', url, '169800000ms']) assert(entry.includes(part), entry);
  // A second time replaces it, also for this project alone.
  await run(program, 'register', 'my-agent');
  await run(program, 'register', 'my-agent', '--scope', 'local');
  const { mcpServers, projects } = JSON.parse(await readFile(join(home, '.claude.json'), 'utf8'));
  assert.deepEqual(Object.keys(mcpServers), ['simplex-my-agent']);
  const local = Object.values(projects).filter(project => project.mcpServers?.['simplex-my-agent']);
  assert.deepEqual(local.map(project => project.mcpServers['simplex-my-agent']), [mcpServers['simplex-my-agent']]);
  assert.match(await run(program, 'doctor', 'my-agent'), /^ok {4}Claude Code: registered for http/m);
}

async function inspector(url) {
  const { Authorization } = JSON.parse(await readFile(join(home, '.simplex-mcp/my-agent/headers.json'), 'utf8'));
  const ways = [
    [url, '--transport', 'http', '--header', `Authorization: ${Authorization}`],
    [program, 'stdio', 'my-agent'],
  ];
  for (const way of ways) {
    const { tools } = JSON.parse(await run('mcp-inspector', '--cli', ...way, '--method', 'tools/list'));
    assert.deepEqual(tools.map(tool => tool.name), TOOLS);
    const call = ['--method', 'tools/call', '--tool-name', 'receive', '--tool-arg', 'chat=@2'];
    const { structuredContent } = JSON.parse(await run('mcp-inspector', '--cli', ...way, ...call));
    assert.equal(structuredContent.chat, '@2');
  }
}

async function stdio(mode, target) {
  const transport = new StdioClientTransport({ command: program, args: ['stdio', 'my-agent'], env });
  const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: MODES[mode] } });
  await client.connect(transport);
  assert.equal(client.getProtocolEra(), mode === 'legacy' ? 'legacy' : 'modern');
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(tool => tool.name), TOOLS);
  const progress = [];
  const call = (name, args, options = {}) => client.callTool({ name, arguments: args }, { timeout: 60_000, ...options });
  const onprogress = ({ message }) => progress.push(message);
  const joined = await call('connect', { target, wait: 30, idle: 1 }, { onprogress });
  const { chat, status } = joined.structuredContent;
  assert.equal(status, 'done', JSON.stringify(joined));
  assert(progress.length > 0, 'progress while the owner decides');
  // A call that is given up does not keep others, which are answered meanwhile.
  const controller = new AbortController();
  const given = assert.rejects(call('receive', { chat, wait: 600 }, { signal: controller.signal }));
  const quick = await Promise.all([call('list', {}), call('list', {})]);
  assert(quick.every(result => !result.isError));
  await sleep(300);
  controller.abort('given up');
  await given;
  await assert.rejects(call('no_such_tool', {}), error => error.code === -32602);
  const left = await call('leave', { chat });
  assert.equal(left.structuredContent.status, 'done', JSON.stringify(left));
  await client.close();
}

const port = await freePort();
const url = `http://127.0.0.1:${port}/mcp`;
let server;
try {
  server = await serve(port);
  await claude(url);
  console.log('ok Claude Code');
  await inspector(url);
  console.log('ok Inspector: http, stdio');
  const { network } = JSON.parse(await readFile(join(home, '.simplex-mcp/my-agent/simplex_sim.json'), 'utf8'));
  const target = JSON.parse(network).published.directory;
  for (const mode of Object.keys(MODES)) {
    await stdio(mode, target);
    console.log(`ok TypeScript client over stdio: ${mode}`);
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  if (server && server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}
