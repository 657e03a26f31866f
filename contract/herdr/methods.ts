import { type HerdrMethod, METHOD_PARAMS } from './params.ts';

/**
 * Methods that exist in Herdr's schema but that we neither send nor build. The embedded server answers them with
 * `not_implemented`, which tells a caller something else than a misspelt name does (`invalid_request`).
 */
const SCHEMA_ONLY_METHODS = [
  'server.live_handoff',
  'server.reload_config',
  'server.agent_manifests',
  'server.reload_agent_manifests',
  'client.window_title.set',
  'client.window_title.clear',
  'workspace.move',
  'workspace.move_block',
  'tab.move',
  'agent.view.set',
  'agent.view.clear',
  'pane.swap',
  'pane.move',
  'pane.zoom',
  'layout.export',
  'layout.apply',
  'layout.set_split_ratio',
  'pane.neighbor',
  'pane.edges',
  'pane.focus_direction',
  'pane.resize',
  'pane.input.set',
  'pane.graphics.set',
  'pane.graphics.clear',
  'pane.graphics.info',
  'pane.graphics.stream',
  'popup.close',
  'integration.install',
  'integration.uninstall',
  'plugin.link',
  'plugin.list',
  'plugin.unlink',
  'plugin.enable',
  'plugin.disable',
  'plugin.action.list',
  'plugin.action.invoke',
  'plugin.log.list',
  'plugin.pane.open',
  'plugin.pane.focus',
  'plugin.pane.close',
] as const;

/** All 92 method names of protocol 20, the one that the schema leaves out included. */
export const HERDR_METHODS: readonly string[] = [...Object.keys(METHOD_PARAMS), ...SCHEMA_ONLY_METHODS];

/** Whether we have a schema for its parameters. */
export function isModelledMethod(name: string): name is HerdrMethod {
  return Object.hasOwn(METHOD_PARAMS, name);
}
