// The MCP conformance suite against the program (MCP-41, MCP-42), behind proxy.mjs, which adds the token: the required
// scenarios of both requirement sets, then `server-stateless` check by check. baseline-VERSION.yml names, each with
// its reason, what a server without prompts, resources and the suite's own tools can't pass. A run fails when anything
// else fails, and when something of the baseline passes.
//
//   node conformance.mjs ../../target/debug/simplex-mcp
//
// Ends with 0 when every run agrees with its baseline.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { proxy } from './proxy.mjs';

const RUNS = [
  ['2026-07-28', ['--requirements', '2026-07-28']],
  ['2025-11-25', ['--requirements', '2025-11-25']],
  // Check by check; and what no set counts: the headers of a modern request, an older `initialize`.
  ['2026-07-28', ['--scenario', 'server-stateless', '--spec-version', '2026-07-28']],
  ['2026-07-28', ['--scenario', 'http-header-validation', '--spec-version', '2026-07-28']],
  ['2025-11-25', ['--scenario', 'server-initialize', '--spec-version', '2025-06-18']],
];
const program = resolve(process.argv[2]);
const suite = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const folder = await mkdtemp(join(tmpdir(), 'simplex-mcp-conformance-'));

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise(done => probe.close(done));
  return port;
}

/** A running server, once its owner has joined. */
async function serve(port) {
  const options = ['--data', folder, '--port', String(port), '--core', 'sim', '--scenario', resolve('../scenario.json')];
  const child = spawn(program, ['serve', 'conformance', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('Add the agent to Claude Code: ')) return child;
  }
  throw new Error('the server ended');
}

/** One run of the suite: whether it agrees with the baseline. Prints its count alone, and everything when it does not. */
async function run(url, version, choice) {
  const options = ['--expected-failures', `baseline-${version}.yml`, '-o', join(folder, 'checks')];
  const args = [suite, 'server', '--url', url, ...choice, ...options];
  const limits = { timeout: 120_000, maxBuffer: 1 << 26 };
  const [error, printed] = await new Promise(done => {
    execFile(process.execPath, args, limits, (error, stdout, stderr) => done([error, stdout + stderr]));
  });
  // A scenario that the suite skips ends with 0 and without a count.
  const count = /^(?:Total|Passed): .*$/m.exec(printed)?.[0];
  const agrees = !error && count !== undefined;
  console.log(agrees ? `ok ${choice.join(' ')}: ${count}` : `${printed}\nFAILED ${choice.join(' ')}`);
  return agrees;
}

const port = await freePort();
let server, front;
try {
  server = await serve(port);
  const { Authorization } = JSON.parse(await readFile(join(folder, 'headers.json'), 'utf8'));
  front = await proxy(port, Authorization);
  const url = `http://127.0.0.1:${front.address().port}/mcp`;
  for (const [version, choice] of RUNS) {
    if (!(await run(url, version, choice))) process.exitCode = 1;
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  front?.close();
  if (server && server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
