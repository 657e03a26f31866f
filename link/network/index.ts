/** The way out of this machine: proxies, their exemptions, certificates, and single requests to the edge. */
export { type CreateConnection, connectionTo } from './connect.ts';
export { bareHost, type Environment, isLoopback, proxyFor } from './proxy.ts';
export { clockOf, type EdgeAnswer, type EdgeRequest, readJson, requestEdge } from './request.ts';
