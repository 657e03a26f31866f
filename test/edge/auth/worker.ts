/** The identity half alone, with a workstation object that only remembers what it was told. */
import { DurableObject } from 'cloudflare:workers';
import { Hono } from 'hono';
import { type AuthEnv, authenticate, authRoutes } from '../../../edge/auth/index.ts';
import { type FleetEnv, fleetRoutes } from '../../../edge/fleet/index.ts';

export { Auth } from '../../../edge/auth/index.ts';
export { Fleet } from '../../../edge/fleet/index.ts';

export class Workstation extends DurableObject {
  async revokeConnector(connectorId: string): Promise<void> {
    if (await this.ctx.storage.get('broken')) throw new Error('not now');
    await this.ctx.storage.put(`ended:${connectorId}`, true);
  }
  async revokeDevice(): Promise<void> {
    if (await this.ctx.storage.get('broken')) throw new Error('not now');
    await this.ctx.storage.put('revoked', true);
  }
}

const app = new Hono<{ Bindings: AuthEnv & FleetEnv }>();
app.route('/', authRoutes);
app.route('/', fleetRoutes);
app.all('/mcp', async (c) => {
  const caller = await authenticate(c.req.raw, c.env, { fresh: c.req.header('x-fresh') !== undefined });
  return caller.ok ? Response.json(caller.principal) : caller.response;
});
export default app;
