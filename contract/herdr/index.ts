/**
 * Herdr's wire: what its socket takes and gives, as types, schemas and tables. The runtime's client and the embedded
 * server both speak from here; neither knows the other. No I/O and no clock. Where a real Herdr differs, it is right.
 */
export * from './agents.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './keys.ts';
export * from './lines.ts';
export * from './methods.ts';
export * from './objects.ts';
export * from './params.ts';
export * from './results.ts';
export * from './versions.ts';
