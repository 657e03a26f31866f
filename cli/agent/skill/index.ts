/** `herdr-mcp agent skill …`: the text that teaches local agents to dispatch work and to read what became of it. */
import { action, group } from '../../command.ts';
import { json } from '../../continuity/index.ts';
import { note, say, sayJson } from '../../terminal/index.ts';
import { installSkill, removeSkill, skillFolder, skillState } from './place.ts';

const install = action('install', 'Write the skill where local agents look for skills', { json }, async (args) => {
  const path = skillFolder(process.env);
  const done = await installSkill(path);
  if (args.json) return sayJson({ path, done });
  say(done === 'written' ? `Written to ${path}` : `${path} is what this version writes`);
  note('Agents find it when they are started anew.');
});

const uninstall = action('uninstall', 'Remove the skill', { json }, async (args) => {
  const path = skillFolder(process.env);
  const done = await removeSkill(path);
  if (args.json) return sayJson({ path, done });
  say(done === 'removed' ? `Removed ${path}` : `There is no ${path}`);
});

const WORDS = {
  absent: 'not installed: herdr-mcp agent skill install',
  current: 'installed, as this version writes it',
  outdated: 'installed by another version: herdr-mcp agent skill install',
  foreign: 'not ours, left alone',
} as const;

const status = action('status', 'Whether the skill is installed', { json }, async (args) => {
  const state = await skillState(skillFolder(process.env));
  if (args.json) return sayJson(state);
  say(`${state.path}: ${WORDS[state.state]}${state.state === 'foreign' ? ` (${state.why})` : ''}`);
});

export const skill = group('skill', 'What local agents are taught', { install, uninstall, status });
