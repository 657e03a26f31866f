/** `herdr_methods`: what `herdr_call` accepts. */

import { isObject } from '../../../contract/json.ts';
import { RESULT_TEXT_CHARS } from '../../../contract/limits.ts';
import { isReadMethod } from '../../../contract/methods.ts';
import type { ToolHandler } from '../context.ts';
import { NEVER_FORWARDED } from './guards.ts';
import type { LiveSchema, Schemas } from './live-schema.ts';
import type { LocalMethods } from './local.ts';
import type { JsonSchema } from './schema.ts';

type Fact = Record<string, unknown>;

/** Room that is kept in the answer for everything beside the entries. */
const FRAME_CHARS = 2_000;

export function listMethods(live: LiveSchema, local: LocalMethods): ToolHandler {
  return async (args, context) => {
    const query = typeof args.query === 'string' ? args.query.toLowerCase() : '';
    const view = context.live.view();
    const schemas = await live.current(view);
    const entries = [...nativeEntries(schemas), ...localEntries(local)].filter((entry) =>
      entry.method.toLowerCase().includes(query),
    );
    const { shown, bare } = fit(entries);
    return {
      ok: true,
      body: {
        herdr: { state: view.state, version: view.server?.version ?? null, schema: schemas.source },
        count: entries.length,
        methods: shown,
        ...(bare > 0
          ? { truncated: true, cut: `The last ${bare} entries are given without params; query narrows.` }
          : {}),
      },
    };
  };
}

interface Entry extends Fact {
  method: string;
}

function nativeEntries({ methods, source }: Schemas): Entry[] {
  return [...methods]
    .filter(([method]) => !NEVER_FORWARDED.has(method))
    .map(([method, schema]) => ({
      method,
      source,
      access: isReadMethod(method) ? 'read' : 'write',
      params: schema ? paramsFact(schema) : 'unknown here',
    }));
}

function localEntries(local: LocalMethods): Entry[] {
  return Object.entries(local).map(([method, { access, description, params }]) => ({
    method,
    source: 'herdr_mcp_local',
    access,
    ...(method.endsWith('.advise') ? { advisory_only: true } : {}),
    ...(description === undefined ? {} : { description }),
    params: paramsFact(JSON.parse(JSON.stringify(params)) as JsonSchema),
  }));
}

function paramsFact(schema: JsonSchema): Fact {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const empty = Object.keys(properties).length === 0 && schema.oneOf === undefined && schema.anyOf === undefined;
  if (empty) return { empty: true };
  return {
    properties,
    required: Array.isArray(schema.required) ? schema.required : [],
    ...(schema.oneOf === undefined ? {} : { oneOf: schema.oneOf }),
    ...(schema.anyOf === undefined ? {} : { anyOf: schema.anyOf }),
  };
}

/** All entries, the last ones without their parameters when there is no room for all. */
function fit(entries: readonly Entry[]): { shown: Entry[]; bare: number } {
  let room =
    RESULT_TEXT_CHARS -
    FRAME_CHARS -
    entries.reduce((sum, { params: _, ...rest }) => sum + JSON.stringify(rest).length + 1, 0);
  let bare = 0;
  const shown = entries.map((entry) => {
    const cost = JSON.stringify(entry.params).length + 12;
    if (bare === 0 && cost <= room) {
      room -= cost;
      return entry;
    }
    bare += 1;
    const { params: _, ...rest } = entry;
    return rest;
  });
  return { shown, bare };
}
