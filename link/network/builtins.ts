/**
 * Node's HTTP modules without their imports: an ES import of `node:http` reads all its exports, one of which loads the
 * whole of undici. That is 12 MB in a process that idles for weeks.
 */
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
