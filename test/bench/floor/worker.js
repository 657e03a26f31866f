/**
 * The floor of the full path: a bare Worker, one Durable Object and one WebSocket to a process that echoes. No auth,
 * no MCP, no routing, nothing kept: what the platform itself costs for the same bytes.
 */
export default {
  async fetch(request, env) {
    const object = env.ECHO.getByName('echo');
    if (request.headers.get('upgrade') === 'websocket') return object.fetch(request);
    const answer = await object.echo(await request.arrayBuffer());
    return new Response(answer, { headers: { 'content-type': 'application/json' } });
  },
};

import { DurableObject } from 'cloudflare:workers';

export class Echo extends DurableObject {
  next = 0;
  waiting = new Map();

  async fetch() {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  echo(body) {
    const [socket] = this.ctx.getWebSockets();
    if (socket === undefined) throw new Error('nothing is connected');
    const id = ++this.next;
    const frame = new Uint8Array(4 + body.byteLength);
    new DataView(frame.buffer).setUint32(0, id);
    frame.set(new Uint8Array(body), 4);
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      socket.send(frame);
    });
  }

  webSocketMessage(_socket, message) {
    const id = new DataView(message).getUint32(0);
    this.waiting.get(id)?.(message.slice(4));
    this.waiting.delete(id);
  }
}
