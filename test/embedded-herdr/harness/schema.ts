/** Herdr's own schema as checks: everything that the suite sends and gets has to fit it. */
import { readFileSync } from 'node:fs';
import { Compile } from 'typebox/schema';

const FILE = new URL('../fixtures/herdr-api.schema.json', import.meta.url);
const document = JSON.parse(readFileSync(FILE, 'utf8')) as { schemas: Record<string, object> };

type Part = 'request' | 'success_response' | 'error_response' | 'event' | 'subscription_event';

const compiled = new Map<Part, ReturnType<typeof Compile>>();

function validator(part: Part): ReturnType<typeof Compile> {
  let found = compiled.get(part);
  if (!found) {
    // References in the file are absolute, so each part is compiled inside the whole document.
    found = Compile({ ...document, $ref: `#/schemas/${part}` });
    compiled.set(part, found);
  }
  return found;
}

export const fits = (part: Part, value: unknown): boolean => validator(part).Check(value);

/** Throws with the value when it does not fit. */
export function mustFit(part: Part, value: unknown): void {
  if (!fits(part, value)) throw new Error(`does not fit Herdr's ${part} schema: ${JSON.stringify(value)}`);
}

/** Method names that the schema knows. */
export function schemaMethods(): string[] {
  const request = document.schemas['request'] as { oneOf: { properties: { method: { const: string } } }[] };
  return request.oneOf.map((alternative) => alternative.properties.method.const);
}
