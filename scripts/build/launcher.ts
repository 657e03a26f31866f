import { NODE_API_MIN } from '../../local/version/index.ts';

/**
 * What `dist/<name>.js` holds: a check of Node that an old Node can read, then the bundle with its compile cache.
 * Nothing may be imported before the check: better-sqlite3 ends an old Node with a crash instead of a sentence.
 * In a clone whose bootstrap has brought its own Node, an old Node hands over to that one.
 */
export function launcher(name: string): string {
  return `#!/usr/bin/env node
if (Number(process.versions.napi) >= ${NODE_API_MIN}) {
  process.getBuiltinModule('module').enableCompileCache(import.meta.dirname + '/.compile-cache');
  import('./${name}.main.js').catch(failed);
} else {
  Promise.all([import('child_process'), import('fs'), import('url')]).then(handOver).catch(failed);
}

function handOver(modules) {
  var own = modules[2].fileURLToPath(new URL('../.herdr-mcp/node/bin/node', import.meta.url));
  if (!modules[1].existsSync(own)) {
    console.error('herdr-mcp needs Node 22.14, 23.6 or later; this is ' + process.versions.node + '. Install Node 24, or run \`npm start\` in a clone, which brings its own.');
    process.exit(1);
  }
  var child = modules[0].spawn(own, process.argv.slice(1), { stdio: 'inherit' });
  ['SIGTERM', 'SIGHUP', 'SIGINT'].forEach(function (signal) {
    process.on(signal, function () { child.kill(signal); });
  });
  child.on('error', failed);
  child.on('exit', function (code, signal) { process.exit(signal ? 1 : code); });
}

function failed(error) {
  console.error(error);
  process.exit(1);
}
`;
}
