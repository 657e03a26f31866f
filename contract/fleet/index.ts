/**
 * What the CLI, the link and the edge promise each other about who may act: pairing, devices, connectors, and the
 * token with which a workstation proves itself. Schemas and pure functions only.
 */
export * from './automations.ts';
export * from './connectors.ts';
export * from './control.ts';
export * from './device-token.ts';
export * from './devices.ts';
export * from './dispatches.ts';
export * from './errors.ts';
