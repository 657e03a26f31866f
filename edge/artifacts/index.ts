/**
 * Artifacts' door: bytes that a web AI or a workstation hands to the other, for fifteen minutes.
 *
 * Optional: without a bucket every route says so and nothing else misses it. Decided here: what is taken, who may have
 * it, when it goes. Not decided here: where it ends up on a workstation, which is the runtime's guarded file write.
 */
import { log } from '../log.ts';
import { sweep } from './bucket.ts';

export { artifactRoutes } from './routes.ts';

/** Deletes expired artifacts; for the deployment's cron trigger. Does nothing without a bucket. */
export async function sweepArtifacts(env: { ARTIFACT_BUCKET?: R2Bucket }): Promise<void> {
  if (!env.ARTIFACT_BUCKET) return;
  const gone = await sweep(env.ARTIFACT_BUCKET, Date.now());
  if (gone > 0) log('artifacts_swept', { gone });
}
