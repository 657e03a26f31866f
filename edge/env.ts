/** What the Worker is given: bindings in `wrangler.toml`, variables and secrets by start or deploy. */
import type { Auth } from './auth/index.ts';
import type { Fleet } from './fleet/index.ts';
import type { IdentityEnv } from './http/index.ts';
import type { Workstation } from './workstation/index.ts';

export interface Env extends Omit<IdentityEnv, 'AUTH' | 'FLEET' | 'WORKSTATION'> {
  AUTH: DurableObjectNamespace<Auth>;
  FLEET: DurableObjectNamespace<Fleet>;
  /** One object a device, named by its id. */
  WORKSTATION: DurableObjectNamespace<Workstation>;
  /** Device id or name that is meant when a call names none; see `edge/routing`. */
  DEFAULT_DEVICE?: string;
  /** The public epoch to serve; heeded only outside the stages `dev` and `prod`. */
  PUBLIC_EPOCH?: string;
  /** The semantic pool; see `edge/semantic`. */
  HERDR_SEMANTIC_ROUTES?: string;
  /** Only where artifacts are switched on; see `edge/artifacts`. */
  ARTIFACT_BUCKET?: R2Bucket;
  /** Which version is deployed, for `/health` and the link's welcome; `wrangler.toml` names the package's. */
  EDGE_VERSION?: string;
}
