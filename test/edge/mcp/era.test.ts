import { describe, expect, it } from 'vitest';
import { eraOf, type RpcHeaders } from '../../../edge/mcp/era.ts';
import { verifies } from '../../verifies.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const INFO = 'io.modelcontextprotocol/clientInfo';
const good = { [VERSION]: '2026-07-28', [CAPABILITIES]: {}, [INFO]: { name: 'h', version: '1' } };
const call = (meta?: unknown) => ({ name: 'herdr_git', arguments: {}, ...(meta === undefined ? {} : { _meta: meta }) });
const none: RpcHeaders = { version: null, method: null, name: null };
const spec = { version: '2026-07-28', method: 'tools/call', name: 'herdr_git' };
const old = (version = '2025-11-25') => ({ ...none, version });

describe('the era of a body', () => {
  it.each<[string, string, unknown, RpcHeaders, string]>([
    ['no claim, no header', 'tools/call', call(), none, 'legacy'],
    ['no claim, a legacy header', 'tools/call', call(), old(), 'legacy'],
    ['no claim, an unknown old header', 'tools/call', call(), old('2025-99-99'), 'legacy'],
    ['no claim, a nonsense header', 'tools/call', call(), old('1.0'), 'legacy'],
    ['no claim, a header that is no version', 'tools/call', call(), old('banana'), 'legacy'],
    ['the envelope under a header that is no version', 'tools/call', call(good), old('banana'), 'refer'],
    ['no params at all', 'tools/list', undefined, none, 'legacy'],
    ['meta that is no object', 'tools/call', call(7), none, 'legacy'],
    ['other reserved keys only, malformed', 'tools/call', call({ [CAPABILITIES]: 'junk', [INFO]: 7 }), old(), 'legacy'],
    ['a claim of an old version', 'tools/call', call({ ...good, [VERSION]: '2025-11-25' }), none, 'legacy'],
    ['a malformed claim under a legacy header', 'tools/call', call({ [VERSION]: 7 }), old(), 'legacy'],
    [
      'a 2026 claim without its envelope under a legacy header',
      'tools/call',
      call({ [VERSION]: '2026-07-28' }),
      old(),
      'legacy',
    ],
    ['initialize with a malformed claim', 'initialize', { _meta: { [VERSION]: 7 } }, none, 'legacy'],
    [
      'initialize with a 2026 claim and no capabilities',
      'initialize',
      { _meta: { [VERSION]: '2026-07-28' } },
      none,
      'legacy',
    ],
    ['the 2026 envelope and its headers', 'tools/call', call(good), spec, 'modern'],
    [
      'the envelope without clientInfo',
      'tools/call',
      call({ [VERSION]: '2026-07-28', [CAPABILITIES]: {} }),
      spec,
      'modern',
    ],
    ['the envelope under an older header', 'tools/call', call(good), old(), 'modern'],
    [
      'the envelope under an older header, with its method and name',
      'tools/call',
      call(good),
      { ...spec, version: '2025-06-18' },
      'modern',
    ],
    ['the 2026 header without an envelope', 'tools/call', call(), spec, 'refer'],
    ['the envelope without a version header', 'tools/call', call(good), none, 'refer'],
    ['the envelope without Mcp-Method', 'tools/call', call(good), { ...spec, method: null }, 'refer'],
    ['the envelope without Mcp-Name', 'tools/call', call(good), { ...spec, name: null }, 'refer'],
    ['another Mcp-Name', 'tools/call', call(good), { ...spec, name: 'herdr_exec' }, 'refer'],
    ['another Mcp-Method under an older header', 'tools/call', call(good), { ...old(), method: 'ping' }, 'refer'],
    ['another Mcp-Name under an older header', 'tools/call', call(good), { ...old(), name: 'herdr_exec' }, 'refer'],
    [
      'a version that nobody knows',
      'tools/call',
      call({ ...good, [VERSION]: '2027-01-01' }),
      { ...spec, version: '2027-01-01' },
      'refer',
    ],
    [
      'a version that nobody knows under an older header',
      'tools/call',
      call({ ...good, [VERSION]: '2027-01-01' }),
      old(),
      'refer',
    ],
    ['a malformed claim without a header', 'tools/call', call({ [VERSION]: 7 }), none, 'refer'],
    ['a malformed envelope without a header', 'tools/call', call({ ...good, [CAPABILITIES]: 'junk' }), none, 'refer'],
    ['a malformed envelope under the 2026 header', 'tools/call', call({ ...good, [INFO]: 7 }), spec, 'refer'],
    ['initialize with a whole 2026 envelope', 'initialize', { _meta: good }, none, 'refer'],
  ])('%s', (_, method, params, headers, kind) => {
    verifies('edge.mcp-eras');
    expect(eraOf(method, params, headers).kind).toBe(kind);
  });
});
