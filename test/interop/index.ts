/** Interoperability: the official conformance suite and four clients that are not ours, against the whole product. */

export { openBearerDoor } from './bearer.ts';
export { runAuthorizationScenarios, runServerScenarios, suiteVersion } from './conformance.ts';
export { installInspector, roadOfInspector } from './inspector.ts';
export { roadOfLibrary } from './oauth-library.ts';
export { compatibilityPage, isClean, type Run, terminalLines } from './report.ts';
export { VERSIONS } from './scenarios.ts';
export { roadOfV1, roadOfV2 } from './sdk-clients.ts';
