import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonicalJson, sha256 } from '../../contract/canonical.ts';
import { argumentsAfter, publicTools, runtimeTools, TOOLS } from '../../contract/catalog/index.ts';
import { isAcceptedRuntime, PUBLIC_EPOCHS, RUNTIME_EPOCHS } from '../../contract/epochs/index.ts';
import { DESCRIPTIONS_CHARS_MAX, INPUT_SCHEMA_BYTES_MAX, TOOLS_LIST_BYTES_MAX } from '../../contract/limits.ts';
import { GLOBAL_POLICY, SKILL_MODULES } from '../../contract/skills/index.ts';
import { READ_TOOLS, WRITE_TOOLS } from '../../contract/tools.ts';
import { verifies } from '../verifies.ts';
import { schemaFaults, toolFaults } from './lint.ts';

const epochs = [...Object.values(RUNTIME_EPOCHS), ...Object.values(PUBLIC_EPOCHS)];

describe('the frozen epochs', () => {
  it('equal what the catalog gives, with the hash over canonical JSON', async () => {
    verifies('contract.epochs-pinned');
    const derived = {
      'runtime-2': runtimeTools(2),
      'runtime-4': runtimeTools(4),
      'runtime-5': runtimeTools(5),
      'public-3': publicTools(3),
      'public-8': publicTools(8),
    };
    for (const [name, tools] of Object.entries(derived)) {
      const file = JSON.parse(readFileSync(new URL(`../../contract/epochs/${name}.json`, import.meta.url), 'utf8'));
      expect(file.tools, name).toEqual(JSON.parse(JSON.stringify(tools)));
      expect(file.hash, name).toBe(await sha256(canonicalJson(file.tools)));
    }
  });

  it('change their hash with a single word of a description', async () => {
    verifies('contract.epochs-pinned');
    const tools = structuredClone(RUNTIME_EPOCHS[5].tools);
    const [first] = tools;
    if (first === undefined) throw new Error('no tools');
    first.description = first.description.replace('Live', 'Present');
    expect(await sha256(canonicalJson(tools))).not.toBe(RUNTIME_EPOCHS[5].hash);
  });

  it('have 18 tools on the workstation and 19 at the edge, with herdr_devices last', () => {
    verifies('contract.derived-epochs');
    expect(Object.values(RUNTIME_EPOCHS).map((epoch) => epoch.tools.length)).toEqual([18, 18, 18]);
    expect(Object.values(PUBLIC_EPOCHS).map((epoch) => epoch.tools.length)).toEqual([19, 19]);
    for (const epoch of Object.values(PUBLIC_EPOCHS)) {
      for (const tool of epoch.tools) {
        const properties = tool.inputSchema.properties as Record<string, unknown>;
        expect('device' in properties, tool.name).toBe(tool.name !== 'herdr_devices');
      }
    }
  });

  it('lose later arguments in older epochs', () => {
    verifies('contract.derived-epochs');
    const propertiesOf = (epoch: 2 | 4 | 5, name: string) =>
      Object.keys(RUNTIME_EPOCHS[epoch].tools.find((tool) => tool.name === name)?.inputSchema.properties as object);
    expect(propertiesOf(5, 'herdr_exec')).toEqual(expect.arrayContaining(['idempotency_key', 'intent', 'steps']));
    expect(propertiesOf(4, 'herdr_exec')).not.toContain('idempotency_key');
    expect(propertiesOf(4, 'herdr_exec')).toEqual(expect.arrayContaining(['intent', 'steps']));
    expect(propertiesOf(2, 'herdr_exec')).not.toContain('intent');
    expect(propertiesOf(4, 'herdr_fs_edit')).not.toContain('expected_sha256');
    for (const tool of RUNTIME_EPOCHS[4].tools) {
      expect(Object.keys(tool.inputSchema.properties as object), tool.name).not.toContain('idempotency_key');
    }
    expect(argumentsAfter('herdr_exec', 4)).toEqual(['idempotency_key']);
    expect(argumentsAfter('herdr_exec', 5)).toEqual([]);
  });

  it('accept a link only when epoch and hash belong together', () => {
    verifies('contract.epochs-pinned');
    expect(isAcceptedRuntime(5, RUNTIME_EPOCHS[5].hash)).toBe(true);
    expect(isAcceptedRuntime(2, RUNTIME_EPOCHS[2].hash)).toBe(true);
    expect(isAcceptedRuntime(5, RUNTIME_EPOCHS[4].hash)).toBe(false);
    expect(isAcceptedRuntime(3, RUNTIME_EPOCHS[4].hash)).toBe(false);
  });
});

describe('published tools', () => {
  it('keep to the plain schema subset and to the limits of hosts, in every epoch', () => {
    verifies('contract.plain-schemas');
    for (const epoch of epochs) {
      for (const tool of epoch.tools)
        expect(toolFaults(tool), `${epoch.plane}-${epoch.epoch} ${tool.name}`).toEqual([]);
    }
  });

  it('lint finds what hosts drop', () => {
    verifies('contract.plain-schemas');
    const sized = (n: number) => ({
      type: 'object',
      properties: { p: { type: 'string', description: 'x'.repeat(n) } },
    });
    const overhead = JSON.stringify(sized(0)).length;
    const tool = (inputSchema: Record<string, unknown>, name = 'herdr_x') => ({ ...firstTool(), name, inputSchema });
    expect(toolFaults(tool(sized(INPUT_SCHEMA_BYTES_MAX - overhead)))).toEqual([]);
    expect(toolFaults(tool(sized(INPUT_SCHEMA_BYTES_MAX - overhead + 1)))).toHaveLength(1);
    expect(toolFaults(tool(sized(1), 'herdr.fs.read'))).toHaveLength(1);
    for (const bad of [{ $ref: '#/x' }, { $defs: {} }, { propertyNames: {} }, { exclusiveMinimum: 1 }, { anyOf: [] }]) {
      expect(schemaFaults({ type: 'object', properties: {}, ...bad }), JSON.stringify(bad)).not.toEqual([]);
    }
    expect(schemaFaults({ type: 'object', properties: { p: {} } })).not.toEqual([]);
    expect(schemaFaults({ type: 'object', properties: { p: { type: ['string', 'null'] } } })).not.toEqual([]);
  });

  it('carry a title and all four hints, read-only exactly where they read', () => {
    verifies('contract.annotations');
    for (const epoch of epochs) {
      for (const { name, title, annotations } of epoch.tools) {
        expect(title.length, name).toBeGreaterThan(3);
        expect(Object.keys(annotations).sort(), name).toEqual([
          'destructiveHint',
          'idempotentHint',
          'openWorldHint',
          'readOnlyHint',
          'title',
        ]);
        expect(annotations.readOnlyHint, name).toBe(READ_TOOLS.has(name));
        expect(WRITE_TOOLS.has(name), name).toBe(!READ_TOOLS.has(name));
      }
    }
  });

  it('take an idempotency key exactly when they may change something', () => {
    for (const tool of TOOLS) {
      expect(Object.keys(tool.input.properties).includes('idempotency_key'), tool.name).toBe(
        WRITE_TOOLS.has(tool.name),
      );
    }
  });

  it('stay small together', () => {
    verifies('contract.descriptions-bounded');
    for (const epoch of epochs) {
      expect(descriptionChars(epoch.tools)).toBeLessThanOrEqual(DESCRIPTIONS_CHARS_MAX);
      const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: epoch.tools } });
      expect(new TextEncoder().encode(answer).length).toBeLessThan(TOOLS_LIST_BYTES_MAX - 1000);
    }
  });

  it('says of every shell that it is one, as the user, and never calls it a sandbox', () => {
    verifies('exec.said-plainly');
    const shells = TOOLS.filter(({ name }) => name === 'herdr_exec' || name === 'herdr_exec_start');
    expect(shells).toHaveLength(2);
    for (const { name, description } of shells) {
      expect(description, name).toMatch(/shell command .*as the workstation's user/);
      expect(description, name).not.toMatch(/sandbox/i);
    }
    const served = [GLOBAL_POLICY, ...SKILL_MODULES.map(({ text }) => text)].join('\n');
    expect(served).toContain('It is no sandbox');
    const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(page).toContain("`herdr_exec` runs commands as the workstation's user and reaches everything that user can");
  });

  it('state facts: no words that trip a host’s safety filter', () => {
    const tripping = /arbitrary commands|bypass|\bnever\b|do not|must be|planner/i;
    for (const tool of TOOLS) expect(tool.description, tool.name).not.toMatch(tripping);
    expect(TOOLS.find((tool) => tool.name === 'herdr_exec')?.description).toContain("as the workstation's user");
  });
});

function firstTool() {
  const [tool] = RUNTIME_EPOCHS[5].tools;
  if (tool === undefined) throw new Error('no tools');
  return tool;
}

function descriptionChars(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, member]) =>
      sum + (key === 'description' && typeof member === 'string' ? member.length : descriptionChars(member)),
    0,
  );
}
