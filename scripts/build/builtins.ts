import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Node's own modules as the programs get them. An ES import of one reads every export of it, also those that Node loads
 * on first use: `node:http` brings a second HTTP client (25 ms and 10 to 14 MB), `node:fs` promises and streams. Fetched
 * with `process.getBuiltinModule`, only the names that a program uses are read.
 */
export function leanBuiltins(): Plugin {
  return {
    name: 'lean-builtins',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[a-z][a-z0-9_:/]*$/ }, ({ path, kind }) => {
        if (kind !== 'import-statement' || !isBuiltin(path)) return undefined; // `require` gets the lean one anyway
        return { path, namespace: 'builtin', sideEffects: false };
      });
      onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: moduleOf(path), loader: 'js' }));
    },
  };
}

/** Each export is a call without effects, so that the bundler leaves out those that nobody imports. */
function moduleOf(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => /^[\w$]+$/.test(name));
  return [
    `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
    'const the = (name) => builtin[name];',
    'export default builtin;',
    ...names
      .filter((name) => name !== 'default')
      .map((name) => `const $${name} = /* @__PURE__ */ the('${name}'); export { $${name} as ${name} };`),
  ].join('\n');
}
