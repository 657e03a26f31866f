/** The floor of the loopback port: a server in a process of its own that does nothing but answer the same bytes. */
import { createServer } from 'node:http';

const result = process.argv[2];
const hello = JSON.stringify({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'floor', version: '1' },
});
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(text);
    if (id === undefined) return void response.writeHead(202).end();
    const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${method === 'initialize' ? hello : result}}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
