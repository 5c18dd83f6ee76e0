// A proxy that adds the agent's token to each request, for a client that can't send one. Everything else passes as
// it is, bytes as they come: `Host` and `Origin` stay the client's, so that the server judges them, and a client that
// closes its stream closes the server's.

import { once } from 'node:events';
import { createServer, request } from 'node:http';

/** Listens on `127.0.0.1`, any free port, in front of the server on `port`. */
export async function proxy(port, authorization) {
  const server = createServer((incoming, answer) => {
    const { method, url: path } = incoming;
    const headers = [...incoming.rawHeaders, 'Authorization', authorization];
    const onward = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, reply => {
      answer.writeHead(reply.statusCode, reply.statusMessage, reply.rawHeaders);
      answer.flushHeaders();
      reply.pipe(answer);
      reply.once('error', () => answer.destroy());
    });
    onward.once('error', () => answer.destroy());
    answer.once('close', () => onward.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
