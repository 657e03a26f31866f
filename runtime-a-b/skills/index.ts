/**
 * The planner's policy as this workstation serves it: one document, or a short text and modules that are loaded on demand
 * (`HERDR_MCP_PROGRESSIVE_SKILLS`). The texts are those of the contract; a project and the person may add skills of their
 * own below them.
 */
import { GLOBAL_POLICY } from '../../contract/skills/index.ts';
import { BUILTIN, descriptorOf, digestOf, SINGLE_DOCUMENT } from './skill.ts';

export { skillMethods } from './methods.ts';

/** Whether the environment asks for the progressive mode; the single document is the default. */
export function isProgressive(env: Readonly<Record<string, string | undefined>>): boolean {
  return ['1', 'true', 'on', 'progressive'].includes((env.HERDR_MCP_PROGRESSIVE_SKILLS ?? '').trim().toLowerCase());
}

/** What `herdr_skill` says about the policy itself. */
export function policyText(progressive: boolean): Record<string, unknown> {
  if (!progressive) {
    return {
      mode: 'single',
      content: SINGLE_DOCUMENT,
      bytes: Buffer.byteLength(SINGLE_DOCUMENT),
      digest: digestOf(SINGLE_DOCUMENT),
    };
  }
  const content = `${GLOBAL_POLICY}\n${CATALOG}`;
  return {
    mode: 'progressive',
    content,
    bytes: Buffer.byteLength(content),
    digest: digestOf(content),
    catalog: BUILTIN.map(descriptorOf),
    load: {
      tool: 'herdr_call',
      method: 'herdr_mcp.skill.load',
      params: JSON.stringify({ ids: ['files-search', 'execution'] }),
      more: 'herdr_mcp.skill.list with project_root adds the skills of that project and of the person.',
    },
  };
}

const CATALOG = `## Modules

Load the one that fits before that kind of work begins: herdr_call with method herdr_mcp.skill.load and ids. What was loaded stays valid until its digest changes.

${BUILTIN.map(({ id, description }) => `- **${id}**: ${description}`).join('\n')}
`;
