/**
 * The semantic service: typed questions and short chats to small models, for this runtime's advisers, the browser
 * extension and `herdr-mcp semantic`. Routes of the machine's own `config.json` come before the edge's pool, for each
 * kind of question by itself; the configured order is the priority. Nothing of a question, an answer or a key is logged.
 *
 * Everything that it says is advice. Who asks has a way to go on without, and takes it when this is slow, wrong or absent.
 */
import type { Log } from '../../local/log/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { edgePool } from './edge-pool.ts';
import { localRoutes } from './local-routes.ts';
import { createSemantic, type Semantic } from './service.ts';

export type { Asking, Chatted, Evaluated, NoAnswer, Semantic, SemanticState } from './service.ts';

/** The service of one runtime. Opens nothing until it is first asked. */
export function openSemantic(parts: { stateDir: string; nowMs: () => number; log: Log }): Semantic {
  const { stateDir, nowMs, log } = parts;
  return createSemantic({
    local: localRoutes(statePaths(stateDir).config),
    edge: edgePool(stateDir, nowMs),
    nowMs,
    log,
  });
}
