// Starts `simplex-mcp serve` in a new data folder and, when its owner has joined, prints one JSON line for
// mcp-client.mjs: {"url", "token", "target"}. Stops it when stdin ends, and ends with its exit code.
//
//   node mcp-client.mjs node serve.mjs ../target/debug/simplex-mcp --core sim --scenario scenario.json
//   SIMPLEX_LIBS_DIR=../target/debug SIMPLEX_SIM_SCENARIO=scenario.json \
//     node mcp-client.mjs node serve.mjs ../target/debug/simplex-mcp
//
// The target is the link that the scenario publishes as "directory", read from the simulator's store.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A port that is free at this moment. */
async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => probe.once('listening', resolve));
  const { port } = probe.address();
  await new Promise(resolve => probe.close(resolve));
  return port;
}

async function json(folder, file) {
  return JSON.parse(await readFile(join(folder, file), 'utf8'));
}

const [program, ...options] = process.argv.slice(2);
assert(program, 'give the program and its options for serve');
const folder = await mkdtemp(join(tmpdir(), 'simplex-mcp-interop-'));
const port = await freePort();
const child = spawn(program, ['serve', 'interop', '--data', folder, '--port', String(port), ...options], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
child.once('exit', async (code, signal) => {
  await rm(folder, { recursive: true, force: true });
  if (signal) console.error(`ended by ${signal}`);
  process.exit(code ?? 1);
});
process.stdin.resume().once('end', () => child.kill('SIGTERM'));

for await (const line of createInterface({ input: child.stdout })) {
  console.error(`  ${line}`);
  if (/ joined \(member \d+\) and is now an owner/.test(line)) {
    const { Authorization } = await json(folder, 'headers.json');
    const { network } = await json(folder, 'simplex_sim.json');
    const target = JSON.parse(network).published.directory;
    const url = `http://127.0.0.1:${port}/mcp`;
    console.log(JSON.stringify({ url, token: Authorization.replace('Bearer ', ''), target }));
  }
}
