/**
 * `node wrangler-config.mjs <wrangler.toml>`: what wrangler makes of that file, as JSON on stdout. A process of its own:
 * wrangler takes a second and 130 MB to load, and whoever builds may go on to live for days.
 */
import { unstable_readConfig } from 'wrangler';

const config = unstable_readConfig({ config: process.argv[2] }, { hideWarnings: true });
process.stdout.write(JSON.stringify(config));
